/**
 * A listing against what was reviewed.
 *
 * In: a listing, and the lock and the wish of the host. Out: the listing with the tools that the host keeps; the others are rejected
 * with what changed. Without a lock nothing is looked at. Runs at every listing, so a tool that changes while it is used is met too.
 */
import { compareServers, lockServer, type LockedServer, type ServerChange, type ToolFacts } from "../drift.js"
import type { Listing } from "./catalogue.js"
import type { MCPClientOptions } from "./client_options.js"
import type { ServerInfo } from "./port.js"
import type { ListedTool, RejectedTool } from "./read_tool.js"
import type { Warn } from "./warning_log.js"

/** Where a listing comes from. */
export interface ListingOrigin {
  readonly server: string
  readonly info: ServerInfo
  readonly instructions: string | undefined
  readonly options: Pick<MCPClientOptions, "lock" | "onDrift">
  readonly warn: Warn
}

const NEVER_REVIEWED: LockedServer = { digest: "", tools: {} }

/** The listing that the host's lock leaves. */
export async function checkAgainstLock(listing: Listing, origin: ListingOrigin): Promise<Listing> {
  const { lock, onDrift = "warn" } = origin.options
  if (lock === undefined) return listing
  const known = Object.hasOwn(lock.servers, origin.server) ? lock.servers[origin.server] : undefined
  if (known === undefined) origin.warn("drift", "The server is not in the lock: none of its tools was reviewed")
  const changes = compareServers(known ?? NEVER_REVIEWED, lockOf(listing.tools, origin.info, origin.instructions))
  const blocked = new Map<string, string[]>()
  for (const change of changes) {
    const { tool, level, summary } = change
    if (known === undefined && tool === undefined) continue
    origin.warn("drift", tool === undefined ? `Not as reviewed: ${summary}` : `Tool "${tool}" is not as reviewed: ${summary} (${level})`, tool)
    if (tool === undefined || change.kind === "removed") {
      if (typeof onDrift === "function") await isKept(change, onDrift, origin.warn)
    } else if (onDrift !== "warn" && !(await isKept(change, onDrift, origin.warn))) blocked.set(tool, [...(blocked.get(tool) ?? []), summary])
  }
  if (blocked.size === 0) return listing
  const rejected = [...blocked].map(([name, reasons]): RejectedTool => ({ name, reason: `it is not as reviewed: ${reasons.join("; ")}`, pointer: "" }))
  return { tools: listing.tools.filter(({ name }) => !blocked.has(name)), rejected: [...listing.rejected, ...rejected] }
}

/** The tools as they are now, to be kept in a lock. */
export function lockOf(tools: Iterable<ListedTool>, info: ServerInfo, instructions: string | undefined): LockedServer {
  return lockServer({ name: info.name, instructions }, [...tools].map(factsOf))
}

/** What the server said, not what was made of it: a member of a wrong type counts as well. */
function factsOf({ name, wire, inputSchema, outputSchema }: ListedTool): ToolFacts {
  const said = (member: string): never => wire[member] as never // Digested as it is, whatever it is.
  return {
    name,
    title: said("title"),
    description: said("description"),
    annotations: said("annotations"),
    icons: said("icons"),
    execution: said("execution"),
    inputSchema,
    outputSchema,
  }
}

async function isKept(change: ServerChange, onDrift: NonNullable<MCPClientOptions["onDrift"]>, warn: Warn): Promise<boolean> {
  if (typeof onDrift !== "function") return false
  try {
    const kept: unknown = await onDrift(change)
    return kept === true
  } catch (error) {
    warn("drift", `The onDrift function threw, so the change is refused: ${error instanceof Error ? error.message : String(error)}`, change.tool)
    return false
  }
}
