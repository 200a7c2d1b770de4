/**
 * `mcp-operations lock`: the tools of the servers as they were reviewed, in a file; and whether they still are.
 *
 * In: servers by name, a file, and whether to compare. Out: the lock written, or every change since it was. Comparing writes nothing, and its
 * exit code says whether something changed. A server that cannot be reached fails the command: its tools would look as if they were gone.
 * One file may hold the servers of several configs, so a server of the lock that was not asked is named and nothing more.
 */
import { readFile, rename, writeFile } from "node:fs/promises"
import { compareServers, readLock, writeLock, type Lock, type ServerChange } from "../drift.js"
import { CallError, isCallError } from "../error.js"
import type { MCPConfig } from "../from_mcp.js"
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import type { Host } from "./host.js"
import { usageError } from "./usage_error.js"
import { printableLine } from "./view/printable.js"
import type { Screen } from "./view/screen.js"

/** What the command line says of the lock. */
export interface LockWords {
  readonly file: string
  readonly check?: boolean | undefined
}

/** A change, and the server that it is of. */
type NamedChange = { readonly server: string } & ServerChange

/** Writes or checks the lock. */
export async function lock({ file, check = false }: LockWords, servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  const before = await lockIn(file)
  if (check && before === undefined) throw usageError(`There is no lock at "${file}"`, `mcp-operations lock --file ${file}`, { file })
  const now = await withServers(servers, host, (outcomes) => Promise.resolve(Object.fromEntries(outcomes.map((outcome) => [outcome.name, connected(outcome).lock()]))))
  const changes = before === undefined ? [] : Object.entries(now).flatMap(([server, locked]) => changesOf(server, before, locked))
  if (!check) await write(file, { lockVersion: 1, servers: { ...before?.servers, ...now } })
  const notAsked = Object.keys(before?.servers ?? {}).filter((server) => !Object.hasOwn(now, server))
  const tools = Object.values(now).reduce((sum, server) => sum + Object.keys(server.tools).length, 0)
  return {
    document: { file, check, servers: Object.keys(now), tools, changes: changes.map(toDocument), notAsked },
    view: (screen) => view({ file, check, tools, changes, notAsked }, screen),
    exitCode: check && changes.length > 0 ? EXIT.toolError : EXIT.ok,
  }
}

function changesOf(server: string, before: Lock, now: Lock["servers"][string]): NamedChange[] {
  const known = Object.hasOwn(before.servers, server) ? before.servers[server] : undefined
  if (known === undefined) return [{ server, kind: "added", level: "minor", summary: "the server is not in the lock" }]
  return compareServers(known, now).map((change) => ({ server, ...change }))
}

async function lockIn(file: string): Promise<Lock | undefined> {
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw new CallError("CONFIGURATION_ERROR", `The lock "${file}" cannot be read`, { details: { file }, cause })
  }
  try {
    return readLock(text)
  } catch (cause) {
    if (!isCallError(cause)) throw cause
    throw new CallError(cause.code, `"${file}": ${cause.message}`, { details: { ...cause.details, file }, cause })
  }
}

async function write(file: string, content: Lock): Promise<void> {
  try {
    const draft = `${file}.${String(process.pid)}.tmp`
    await writeFile(draft, writeLock(content))
    await rename(draft, file)
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", `The lock "${file}" cannot be written`, { details: { file }, cause })
  }
}

function toDocument({ server, tool, kind, level, summary, comparison }: NamedChange): Record<string, unknown> {
  return { server, tool, kind, level, summary, ...(comparison === undefined ? {} : { comparison }) }
}

/** What a run has found. */
interface Outcome {
  readonly file: string
  readonly check: boolean
  readonly tools: number
  readonly changes: readonly NamedChange[]
  /** Servers of the lock that this run was not about: they stay in it as they are. */
  readonly notAsked: readonly string[]
}

function view({ file, check, tools, changes, notAsked }: Outcome, { paint }: Screen): string {
  const lines = changes.map(({ server, tool, level, summary }) => {
    const name = printableLine(tool === undefined ? server : `${server}.${tool}`)
    return `${paint.notable(level)}  ${paint.name(name)}  ${printableLine(summary)}`
  })
  const count = `${String(tools)} ${tools === 1 ? "tool" : "tools"}`
  const told = check ? (changes.length === 0 ? `${count} as reviewed.` : `Not as reviewed:`) : `${count} written to ${printableLine(file)}.`
  const others = notAsked.length === 0 ? [] : [`Also in the lock, and not among the servers that were asked: ${notAsked.map(printableLine).join(", ")}`]
  return [told, ...lines, ...others].join("\n")
}
