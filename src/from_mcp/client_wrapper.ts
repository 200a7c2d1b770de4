/**
 * One MCP server as a host holds it: its operations, what is wrong with them, and its life.
 *
 * In: a connection and the first listing. Out: operations whose handlers go through this wrapper.
 * A listing is made beside the present one and takes its place whole; one that fails changes nothing. A handler that is held
 * longer than its tool is listed sends nothing any more.
 */
import { closest } from "fastest-levenshtein"
import { CallError } from "../error.js"
import type { ResponseEnvelope } from "../envelope.js"
import { toNamespace, type OperationContext, type OperationHandler, type OperationSpec } from "../operation.js"
import type { SchemaLoss } from "../schema.js"
import { callTool, type CallRoad } from "./call_tool.js"
import { listTools, type Listing } from "./catalogue.js"
import { CLIENT_DEFAULTS, type MCPClientOptions, type MCPWarning } from "./client_options.js"
import type { Connection } from "./connection.js"
import type { LoggingLevel } from "./handlers.js"
import { InFlight } from "./in_flight.js"
import { isJSONEqual } from "./json_equal.js"
import type { Logging } from "./logging.js"
import type { ServerInfo } from "./port.js"
import type { RejectedTool } from "./read_tool.js"
import { refreshOnChange } from "./refresh_on_change.js"
import { ToolOperation, type ToolHome } from "./tool_operation.js"
import type { WarningLog } from "./warning_log.js"

/** Where a client stands in its life. */
export type ClientStatus = "connecting" | "ready" | "reconnecting" | "failed" | "closed"

/** What a server said about itself when it was connected. */
export interface ServerDescription extends ServerInfo {
  readonly protocolVersion: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly instructions: string | undefined
}

/** A part of a tool's schema that is not enforced. */
export interface ToolLoss extends SchemaLoss {
  readonly tool: string
  readonly schema: "inputSchema" | "outputSchema"
}

/** Everything that is wrong with the tools of a server. */
export interface Diagnosis {
  readonly rejected: readonly RejectedTool[]
  readonly losses: readonly ToolLoss[]
}

/** What a wrapper is made of. */
export interface WrapperParts {
  readonly name: string
  readonly connection: Connection
  readonly listing: Listing
  readonly options: MCPClientOptions
  readonly warnings: WarningLog
  readonly logging: Logging
}

/** A connected MCP server. Close it with `close()`, `closeMCPClient` or `await using`. */
export class MCPClientWrapper implements AsyncDisposable {
  /** The name that was given to `createMCPClient`. */
  readonly name: string
  readonly server: ServerDescription
  readonly #connection: Connection
  readonly #options: MCPClientOptions
  readonly #warnings: WarningLog
  readonly #logging: Logging
  readonly #road: CallRoad
  readonly #home: ToolHome
  #operations: ReadonlyMap<string, ToolOperation>
  #tools: ToolOperation[] | undefined
  #rejected: readonly RejectedTool[]
  #status: ClientStatus = "ready"
  readonly #toolListeners = new Set<() => void>()
  #listings = 0
  #shownListing = 0

  /** @internal Made by `createMCPClient` and `fromMCP`. */
  constructor({ name, connection, listing, options, warnings, logging }: WrapperParts) {
    const { port } = connection
    this.name = name
    this.server = Object.freeze({
      ...port.serverInfo,
      protocolVersion: port.protocolVersion,
      capabilities: port.capabilities,
      instructions: port.instructions,
    })
    this.#connection = connection
    this.#options = options
    this.#warnings = warnings
    this.#logging = logging
    this.#road = {
      server: name,
      connection,
      inFlight: new InFlight(options.maxInFlight ?? CLIENT_DEFAULTS.maxInFlight),
      timeoutMs: options.timeoutMs ?? CLIENT_DEFAULTS.timeoutMs,
      emptyArguments: options.emptyArguments ?? "omit",
    }
    this.#home = {
      server: name,
      version: this.server.version,
      options,
      warn: warnings.add,
      call: (tool, input, context) => this.#call(tool, input, context),
    }
    this.#operations = this.#operationsOf(listing)
    this.#rejected = Object.freeze([...listing.rejected])
    refreshOnChange(port, () => this.refresh(), warnings.add)
    port.onClose((reason) => {
      if (this.#status !== "closed") this.#status = reason === undefined ? "closed" : "failed"
    })
  }

  /** The operations, in the server's order. A new frozen list after each change. */
  get tools(): (OperationSpec & { handler: OperationHandler })[] {
    // Frozen, so that nobody's change is taken for the server's; the type is the one that consumers are promised.
    return (this.#tools ??= Object.freeze([...this.#operations.values()]) as ToolOperation[])
  }

  /** The tools that cannot be used, and why. */
  get rejected(): readonly RejectedTool[] {
    return this.#rejected
  }

  /** The newest 100 warnings, oldest first. */
  get warnings(): readonly MCPWarning[] {
    return this.#warnings.list
  }

  get status(): ClientStatus {
    return this.#status
  }

  /** The operation of a tool, by the tool's name or by the operation's id. */
  getTool(nameOrId: string): (OperationSpec & { handler: OperationHandler }) | undefined {
    const byName = this.#operations.get(nameOrId)
    if (byName !== undefined) return byName
    const prefix = `${toNamespace(this.name)}.`
    return nameOrId.startsWith(prefix) ? this.#operations.get(nameOrId.slice(prefix.length)) : undefined
  }

  /** Every rejected tool, and every part of a schema that is not enforced. Converts all schemas. */
  diagnose(): Diagnosis {
    const losses: ToolLoss[] = []
    for (const operation of this.#operations.values()) {
      const { inputSchema, outputSchema } = operation.losses
      for (const loss of inputSchema) losses.push({ tool: operation.name, schema: "inputSchema", ...loss })
      for (const loss of outputSchema) losses.push({ tool: operation.name, schema: "outputSchema", ...loss })
    }
    return { rejected: this.#rejected, losses }
  }

  /**
   * Lists the tools again. A listing that fails changes nothing; of two at a time the one that was begun later counts.
   *
   * @throws CallError of the connection.
   */
  async refresh(): Promise<void> {
    const number = ++this.#listings
    const listing = await listTools(this.#connection.port, {
      server: this.name,
      maxPages: this.#options.maxPages ?? CLIENT_DEFAULTS.maxPages,
      warn: this.#warnings.add,
      deadline: Date.now() + (this.#options.connectTimeoutMs ?? CLIENT_DEFAULTS.connectTimeoutMs),
    })
    if (number < this.#shownListing) return
    this.#shownListing = number
    this.#operations = this.#operationsOf(listing, this.#operations)
    this.#tools = undefined
    this.#rejected = Object.freeze([...listing.rejected])
    for (const listener of this.#toolListeners) listener()
  }

  /** Calls the listener after each change of `tools`; gives the function that takes it away. */
  onToolsChange(listener: () => void): () => void {
    this.#toolListeners.add(listener)
    return () => this.#toolListeners.delete(listener)
  }

  /**
   * Tells the server how much to log, in this session and in those that take its place; `onLog` hears it.
   *
   * @throws CallError PROTOCOL_ERROR where the server does not offer logging, and the errors of a request.
   */
  setLoggingLevel(level: LoggingLevel): Promise<void> {
    return this.#logging.setLevel(level)
  }

  /**
   * Reports something about a tool that cost nothing but should be known.
   *
   * @internal
   */
  warn(message: string, tool: string): void {
    this.#warnings.add("tool", message, tool)
  }

  /** Ends the connection and, for a process, the process with all its children. Calls in flight reject. */
  async close(): Promise<void> {
    this.#status = "closed"
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #call(tool: ToolOperation, input: unknown, context: OperationContext | undefined): Promise<ResponseEnvelope> {
    return this.#operations.has(tool.name) ? callTool(tool, input, context, this.#road) : Promise.reject(this.#notListed(tool))
  }

  #notListed(tool: ToolOperation): CallError {
    const names = [...this.#operations.keys()]
    const nearest = names.length === 0 ? [] : [`${tool.namespace}.${closest(tool.name, names)}`]
    return new CallError("OPERATION_NOT_FOUND", `Server "${this.name}" lists tool "${tool.name}" no more`, {
      details: { operationId: tool.id, nearest, outcome: "not_started" },
    })
  }

  /** The operations of a listing. A tool that has not changed keeps its operation. */
  #operationsOf(listing: Listing, before?: ReadonlyMap<string, ToolOperation>): ReadonlyMap<string, ToolOperation> {
    const operations = new Map<string, ToolOperation>()
    for (const tool of listing.tools) {
      const known = before?.get(tool.name)
      operations.set(tool.name, known !== undefined && isJSONEqual(known.listed.wire, tool.wire) ? known : new ToolOperation(tool, this.#home))
    }
    return operations
  }
}
