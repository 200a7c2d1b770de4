/**
 * The operations of one server as they are listed at this moment.
 *
 * In: listings. Out: the operations, and what each listing changed. A listing takes the place of the one before whole; of two
 * at a time the one that was begun later counts. A tool that has not changed keeps its operation.
 */
import { CallError } from "../error.js"
import { closest } from "fastest-levenshtein"
import type { OperationHandler, OperationSpec } from "../operation.js"
import type { Listing } from "./catalogue.js"
import { isJSONEqual } from "./json_equal.js"
import type { RejectedTool } from "./read_tool.js"
import { ToolOperation, type ToolHome } from "./tool_operation.js"

/** What a new listing changed: ids of operations. */
export interface ToolsChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Holds the operations of one server. */
export class ToolSet {
  #home: ToolHome | undefined
  #operations: ReadonlyMap<string, ToolOperation> = new Map()
  #tools: ToolOperation[] | undefined
  #rejected: readonly RejectedTool[] = []
  readonly #listeners = new Set<(change: ToolsChange) => void>()
  #begun = 0
  #shown = 0

  get tools(): (OperationSpec & { handler: OperationHandler })[] {
    // Frozen, so that nobody's change is taken for the server's; the type is the one that consumers are promised.
    return (this.#tools ??= Object.freeze([...this.#operations.values()]) as ToolOperation[])
  }

  get rejected(): readonly RejectedTool[] {
    return this.#rejected
  }

  get operations(): Iterable<ToolOperation> {
    return this.#operations.values()
  }

  /** The operation of a tool, by the tool's name. */
  get(name: string): ToolOperation | undefined {
    return this.#operations.get(name)
  }

  has(name: string): boolean {
    return this.#operations.has(name)
  }

  /** The number of a listing that begins. */
  begin(): number {
    return ++this.#begun
  }

  /** Shows a listing, unless a later one is shown already; true where it changed something. Operations stay only in a home that is the same. */
  show(number: number, listing: Listing, home: ToolHome): boolean {
    if (number < this.#shown) return false
    this.#shown = number
    const before = this.#operations
    const operations = new Map<string, ToolOperation>()
    for (const tool of listing.tools) {
      const known = home === this.#home ? before.get(tool.name) : undefined
      operations.set(tool.name, known !== undefined && isJSONEqual(known.listed.wire, tool.wire) ? known : new ToolOperation(tool, home))
    }
    this.#home = home
    this.#operations = operations
    this.#tools = undefined
    this.#rejected = Object.freeze([...listing.rejected])
    return this.#tell(changeOf(before, operations))
  }

  /** Calls the listener after each change; gives the function that takes it away. */
  onChange(listener: (change: ToolsChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The error for a tool that is listed no more. */
  notListed(tool: ToolOperation, server: string): CallError {
    const names = [...this.#operations.keys()]
    const nearest = names.length === 0 ? [] : [`${tool.namespace}.${closest(tool.name, names)}`]
    return new CallError("OPERATION_NOT_FOUND", `Server "${server}" lists tool "${tool.name}" no more`, {
      details: { operationId: tool.id, nearest, outcome: "not_started" },
    })
  }

  #tell(change: ToolsChange): boolean {
    if (change.added.length + change.removed.length + change.changed.length === 0) return false
    for (const listener of [...this.#listeners]) {
      try {
        listener(change)
      } catch {
        // A listener's fault is its own: the tools have changed all the same.
      }
    }
    return true
  }
}

function changeOf(before: ReadonlyMap<string, ToolOperation>, after: ReadonlyMap<string, ToolOperation>): ToolsChange {
  const added: string[] = []
  const changed: string[] = []
  const removed: string[] = []
  for (const [name, operation] of after) {
    const known = before.get(name)
    if (known === undefined) added.push(operation.id)
    else if (known !== operation) changed.push(operation.id)
  }
  for (const [name, operation] of before) if (!after.has(name)) removed.push(operation.id)
  return Object.freeze({ added: Object.freeze(added), removed: Object.freeze(removed), changed: Object.freeze(changed) })
}
