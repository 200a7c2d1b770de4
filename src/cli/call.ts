/**
 * `mcp-operations call`: one operation, called once.
 *
 * In: an id, the own options that stood before it, and the words behind it. Out: the envelope, or an error.
 * What can be judged without the server is judged before anything is started.
 */
import type { ResponseEnvelope } from "../envelope.js"
import type { MCPConfig } from "../from_mcp.js"
import { operationId, specToJSON, type OperationContext, type OperationSpec, type Progress } from "../operation.js"
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { description } from "./describe.js"
import { EXIT } from "./exit_code.js"
import { findOperation, serversFor } from "./find_operation.js"
import { parseToolFlags } from "./flags/parse_tool_flags.js"
import { toolFlags } from "./flags/tool_flags.js"
import { readArg, readInput, toolInput } from "./flags/tool_input.js"
import { readStdin, type Host } from "./host.js"
import { envelopeView } from "./view/envelope_view.js"
import { printableLine } from "./view/printable.js"
import type { Say } from "./waiting.js"

/** What the command line says about a call. */
export interface CallOptions {
  /** JSON, `-` for stdin, or `@file`. */
  readonly input?: string | undefined
  /** Each `name=json`. */
  readonly arg: readonly string[]
  readonly timeoutMs?: number | undefined
  /** The words behind the id. */
  readonly words: readonly string[]
}

/** Runs the operation that was found. */
type Run = (operationId: string, input: unknown, context: OperationContext) => Promise<ResponseEnvelope>

/** A call whose own options are read: what is left to do once its operation is known. */
export type PreparedCall = (operation: OperationSpec, run: Run, say: Say) => Promise<CommandResult>

/** Calls an operation, or describes it where `--help` stands behind its id. */
export async function call(id: string, options: CallOptions, loadServers: () => Promise<MCPConfig["servers"]>, host: Host): Promise<CommandResult> {
  const prepared = await prepareCall(options, host)
  const servers = await loadServers()
  return withServers(serversFor(id, servers), host, async ([outcome], say) => {
    const operation = findOperation(id, connected(outcome), Object.keys(servers).length === 1)
    return prepared(operation, (_id, input, context) => operation.handler(input, context), say)
  })
}

/** Reads what stands before the id. @throws CallError for input that is none, before anything is started or asked. */
export async function prepareCall(options: CallOptions, host: Host): Promise<PreparedCall> {
  const args = options.arg.map(readArg)
  const input = options.input === undefined ? undefined : { value: await readInput(options.input, () => readStdin(host)) }
  return async (operation, run, say) => {
    const name = operationId(operation)
    const { values, json, help } = parseToolFlags(options.words, toolFlags(specToJSON(operation).inputSchema), name)
    if (help) return { ...description(operation), json, isText: true }

    const title = `calling ${printableLine(name)}`
    say(title)
    const envelope = await run(name, toolInput(input, args, values), {
      signal: host.signal,
      timeoutMs: options.timeoutMs,
      onProgress: (progress) => say(`${title}: ${progressWords(progress)}`),
    })
    const isError = envelope.meta.source === "mcp" && envelope.meta.isError
    return {
      document: envelope,
      view: (screen) => envelopeView(name, envelope, screen),
      exitCode: isError ? EXIT.toolError : EXIT.ok,
      json,
    }
  }
}

function progressWords({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${String(progress)} of ${String(total)}`
  return message === undefined ? share : `${share}, ${printableLine(message)}`
}
