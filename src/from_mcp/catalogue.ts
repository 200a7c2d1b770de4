/**
 * The tools of a server, all pages of them.
 *
 * In: a port. Out: the tools that can be used, in the server's order, and the others with the reason.
 * A listing ends: at a page without a cursor, at a cursor that was followed before, at the page limit. One tool never costs
 * another one. Nothing is converted here.
 */
import { isJSONEqual } from "./json_equal.js"
import type { MCPPort, PortContext } from "./port.js"
import { CallError, isCallError } from "../error.js"
import { isRejected, readTool, type ListedTool, type RejectedTool } from "./read_tool.js"
import type { Warn } from "./warning_log.js"

/** What a server offers. */
export interface Listing {
  readonly tools: readonly ListedTool[]
  readonly rejected: readonly RejectedTool[]
}

/** How a listing is made. */
export interface ListSettings {
  readonly server: string
  readonly maxPages: number
  readonly warn: Warn
  /** The latest end of the whole listing, in epoch milliseconds. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
}

const METHOD_NOT_FOUND = -32601
const CONTEXT: PortContext = { purpose: "list" }

/**
 * Lists the tools. A server without the tools capability, and one that does not know the method, has none.
 *
 * @throws CallError of the port, and PROTOCOL_ERROR where an answer holds no list of tools.
 */
export async function listTools(port: MCPPort, settings: ListSettings): Promise<Listing> {
  const collected = new Collected(settings)
  const { tools } = port.capabilities
  // Servers in languages with nil write null for a capability that they lack.
  if (tools === undefined || tools === null) return collected
  const followed = new Set<string>()
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const result = await requestPage(port, cursor, settings)
    if (result === undefined) return collected
    collected.addPage(result["tools"])
    const next = result["nextCursor"]
    if (next === undefined || next === null || next === "") return collected
    const stop = reasonToStop(next, followed, page, settings.maxPages)
    if (stop !== undefined) {
      settings.warn("listing", `The listing of tools was ended after ${page} pages: ${stop}`)
      return collected
    }
    // `reasonToStop` ends the walk at a cursor that is no text.
    cursor = next as string
    followed.add(cursor)
  }
}

function reasonToStop(next: unknown, followed: ReadonlySet<string>, page: number, maxPages: number): string | undefined {
  if (typeof next !== "string") return "the cursor of the next page is no text"
  if (followed.has(next)) return "the server gave a cursor that had been followed before"
  return page >= maxPages ? `no more than ${maxPages} pages are followed` : undefined
}

async function requestPage(port: MCPPort, cursor: string | undefined, settings: ListSettings): Promise<Record<string, unknown> | undefined> {
  try {
    const result = await port.request("tools/list", cursor === undefined ? {} : { cursor }, {
      timeoutMs: settings.deadline - Date.now(),
      signal: settings.signal,
      context: CONTEXT,
    })
    // A port answers with a result object; ports that a host wrote may not.
    return typeof result === "object" && result !== null ? { ...result } : {}
  } catch (error) {
    if (isCallError(error) && error.code === "PROTOCOL_ERROR" && error.details["rpcCode"] === METHOD_NOT_FOUND) return undefined
    throw error
  }
}

/** The tools so far. Of two tools with one name the first counts; an exact repetition is none. */
class Collected implements Listing {
  readonly tools: ListedTool[] = []
  readonly rejected: RejectedTool[] = []
  private readonly byName = new Map<string, ListedTool>()
  private seen = 0

  constructor(private readonly settings: ListSettings) {}

  addPage(tools: unknown): void {
    const { server, warn } = this.settings
    if (tools === undefined || tools === null) {
      warn("listing", "A page of the listing holds no list of tools; it was read as an empty page")
      return
    }
    if (!Array.isArray(tools)) {
      throw new CallError("PROTOCOL_ERROR", `Server "${server}", tools/list: the answer holds no list at /tools`, {
        details: { server, pointer: "/tools", outcome: "failed" },
      })
    }
    const page: unknown[] = tools
    for (const raw of page) this.add(readTool(raw, `/tools/${this.seen++}`, warn))
  }

  private add(tool: ListedTool | RejectedTool): void {
    if (isRejected(tool)) {
      this.reject(tool)
      return
    }
    const first = this.byName.get(tool.name)
    if (first === undefined) {
      this.byName.set(tool.name, tool)
      this.tools.push(tool)
    } else if (!isJSONEqual(first.wire, tool.wire)) {
      this.reject({ name: tool.name, reason: "another tool of this name was listed before and differs; the first one counts", pointer: `/tools/${this.seen - 1}` })
    }
  }

  private reject(tool: RejectedTool): void {
    this.rejected.push(Object.freeze(tool))
    const { server, warn } = this.settings
    warn("tool", `Server "${server}", tool "${tool.name}" cannot be used: ${tool.reason} (${tool.pointer})`, tool.name)
  }
}
