/**
 * The servers of a command, connected for as long as it runs.
 *
 * In: servers by name, and what to do with them. Out: what that gives; every server is closed by then, also after a failure.
 */
import { CallError, callErrorToJSON } from "../error.js"
import type { MCPClientWrapper, MCPConfig, ServerOutcome } from "../from_mcp.js"
import { clientOptions, withLoginRemedy } from "./client_options.js"
import type { Host } from "./host.js"
import { VERSION } from "./package_files.js"
import { waiting, type Say } from "./waiting.js"
import { Warnings } from "./warnings.js"
import { screenOf } from "./view/screen.js"

/** Connects all servers side by side and hands on what became of each; a failed one stops nobody. */
export async function withServers<T>(
  servers: MCPConfig["servers"],
  host: Host,
  use: (outcomes: readonly ServerOutcome[], say: Say) => Promise<T>,
): Promise<T> {
  const names = Object.keys(servers)
  const { MCPClientLoader } = await import("../from_mcp.js")
  const warnings = new Warnings()
  const loader = new MCPClientLoader()
  try {
    return await waiting(host, `connecting to ${names.join(", ")}`, async (say) => {
      try {
        const outcomes = await loader.load(
          { servers },
          {
            onWarning: warnings.add,
            orphanGuard: true,
            signal: host.signal,
            clientInfo: { name: "mcp-operations", version: VERSION },
            clients: await clientOptions(servers, host),
          },
        )
        return await use(outcomes, say)
      } catch (error) {
        throw withLoginRemedy(error, servers)
      } finally {
        await loader.closeAll()
      }
    })
  } finally {
    host.stderr.write(warnings.text(screenOf(host, host.stderr).paint))
  }
}

/** The one server that a command needs. @throws CallError where it could not be connected. */
export function connected(outcome: ServerOutcome | undefined): MCPClientWrapper {
  if (outcome === undefined) throw new TypeError("a server was asked for and none was given")
  if (outcome.ok) return outcome.wrapper
  throw outcome.error
}

/** The errors of the servers that could not be connected. @throws CallError where that is all of them. */
export function failuresUnlessAll(outcomes: readonly ServerOutcome[]): { readonly name: string; readonly error: CallError }[] {
  const failures = outcomes.flatMap((outcome) => (outcome.ok ? [] : [{ name: outcome.name, error: outcome.error }]))
  const [first] = failures
  if (first !== undefined && failures.length === outcomes.length) throw failures.length === 1 ? first.error : noneReached(failures)
  return failures
}

/** The code of the first failure: it decides the exit code, and mixed causes have no better name. */
function noneReached(failures: readonly { readonly name: string; readonly error: CallError }[]): CallError {
  const list = failures.map(({ name, error }) => `\n  ${name}: ${error.message}`).join("")
  return new CallError(failures[0]?.error.code ?? "TRANSPORT_ERROR", `None of the ${String(failures.length)} servers can be used:${list}`, {
    details: { servers: failures.map(({ name, error }) => ({ name, error: callErrorToJSON(error) })) },
  })
}
