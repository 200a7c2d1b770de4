/**
 * One MCP server as a host holds it: its operations, what is wrong with them, and its life.
 *
 * In: a connection and the first listing. Out: operations whose handlers go through this wrapper.
 * A listing is made beside the present one and takes its place whole; one that fails changes nothing. A handler that is held
 * longer than its tool is listed sends nothing any more.
 */
import { isCallError, type CallError } from "../error.js"
import type { LockedServer } from "../drift.js"
import type { ResponseEnvelope } from "../envelope.js"
import { resolveDeadline, toNamespace, type OperationContext, type OperationHandler, type OperationSpec } from "../operation.js"
import type { SchemaLoss } from "../schema.js"
import { CallGate } from "./call_gate.js"
import { callTool, type CallRoad } from "./call_tool.js"
import { listTools, type Listing } from "./catalogue.js"
import { breakerOf, CLIENT_DEFAULTS, type MCPClientOptions, type MCPWarning } from "./client_options.js"
import type { ClientStatus, StatusDetail } from "./client_status.js"
import type { Connection } from "./connection.js"
import type { LoggingLevel } from "./handlers.js"
import { IdleCheck } from "./idle_check.js"
import { checkAgainstLock, lockOf } from "./lock_check.js"
import type { Logging } from "./logging.js"
import type { MCPPort, ServerInfo } from "./port.js"
import type { RejectedTool } from "./read_tool.js"
import type { RefreshOnChange } from "./refresh_on_change.js"
import type { ToolHome, ToolOperation } from "./tool_operation.js"
import { ToolSet, type ToolsChange } from "./tool_set.js"
import { waitUntil } from "./wait_until.js"
import type { WarningLog } from "./warning_log.js"

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
  /** Follows the port that was listed. */
  readonly changes: RefreshOnChange
}

/** A connected MCP server. Close it with `close()`, `closeMCPClient` or `await using`. */
export class MCPClientWrapper implements AsyncDisposable {
  /** The name that was given to `createMCPClient`. */
  readonly name: string
  readonly #connection: Connection
  readonly #options: MCPClientOptions
  readonly #warnings: WarningLog
  readonly #logging: Logging
  readonly #changes: RefreshOnChange
  readonly #tools = new ToolSet()
  readonly #road: CallRoad
  readonly #idleCheck: IdleCheck | undefined
  #server: ServerDescription
  #home: ToolHome

  /** @internal Made by `createMCPClient` and `fromMCP`. */
  constructor({ name, connection, listing, options, warnings, logging, changes }: WrapperParts) {
    const { main } = connection
    this.name = name
    this.#connection = connection
    this.#options = options
    this.#warnings = warnings
    this.#logging = logging
    this.#changes = changes
    const gate = new CallGate({
      server: name,
      maxInFlight: options.maxInFlight ?? CLIENT_DEFAULTS.maxInFlight,
      maxQueued: options.maxQueued ?? CLIENT_DEFAULTS.maxQueued,
      breaker: breakerOf(options),
      closed: main.closed,
      recovered: () => main.proved(),
    })
    this.#road = {
      server: name,
      connection,
      gate,
      tools: this.#tools,
      timeoutMs: options.timeoutMs ?? CLIENT_DEFAULTS.timeoutMs,
      idleTimeoutMs: options.idleTimeoutMs,
      emptyArguments: options.emptyArguments ?? "omit",
      retry: options.retry,
      instrument: options.instrument,
      trusted: options.trusted === true,
    }
    this.#server = descriptionOf(main.port)
    this.#home = this.#homeOf(this.#server.version)
    this.#tools.show(this.#tools.begin(), listing, this.#home)
    changes.start(() => this.#refresh())
    main.status.onChange(() => gate.disturb())
    main.start({ adopt: (port, attempt) => this.#adopt(port, attempt) })
    const { pingIntervalMs } = options
    if (pingIntervalMs !== undefined) this.#idleCheck = new IdleCheck({ everyMs: pingIntervalMs, main, isIdle: () => gate.isIdle })
  }

  /** What the server said about itself; of the newest connection. */
  get server(): ServerDescription {
    return this.#server
  }

  /** The operations, in the server's order. A new frozen list after each change. */
  get tools(): (OperationSpec & { handler: OperationHandler })[] {
    return this.#tools.tools
  }

  /** The tools that cannot be used, and why. */
  get rejected(): readonly RejectedTool[] {
    return this.#tools.rejected
  }

  /** The server and its tools as they are now, to be kept in a lock (`writeLock`). Tools that were rejected are not in it. */
  lock(): LockedServer {
    const { name, version, instructions } = this.#server
    return lockOf([...this.#tools.operations].map(({ listed }) => listed), { name, version }, instructions)
  }

  /** The newest 100 warnings, oldest first. */
  get warnings(): readonly MCPWarning[] {
    return this.#warnings.list
  }

  get status(): ClientStatus {
    return this.statusDetail.status
  }

  /** The status, since when it is so, and why. */
  get statusDetail(): StatusDetail {
    return this.#connection.main.status.detail
  }

  /** Calls the listener after each change of the status; gives the function that takes it away. What it throws is ignored. */
  onStatusChange(listener: (detail: StatusDetail) => void): () => void {
    return this.#connection.main.status.onChange(listener)
  }

  /** The operation of a tool, by the tool's name or by the operation's id. */
  getTool(nameOrId: string): (OperationSpec & { handler: OperationHandler }) | undefined {
    const byName = this.#tools.get(nameOrId)
    if (byName !== undefined) return byName
    const prefix = `${toNamespace(this.name)}.`
    return nameOrId.startsWith(prefix) ? this.#tools.get(nameOrId.slice(prefix.length)) : undefined
  }

  /** Every rejected tool, and every part of a schema that is not enforced. Converts all schemas. */
  diagnose(): Diagnosis {
    const losses: ToolLoss[] = []
    for (const operation of this.#tools.operations) {
      const { inputSchema, outputSchema } = operation.losses
      for (const loss of inputSchema) losses.push({ tool: operation.name, schema: "inputSchema", ...loss })
      for (const loss of outputSchema) losses.push({ tool: operation.name, schema: "outputSchema", ...loss })
    }
    return { rejected: this.rejected, losses }
  }

  /**
   * Lists the tools again. A listing that fails changes nothing; of two at a time the one that was begun later counts.
   *
   * @throws CallError of the connection.
   */
  async refresh(): Promise<void> {
    await this.#refresh()
  }

  /**
   * Asks the server for a sign of life.
   *
   * @throws CallError where none came; a server that does not know the question has given one.
   */
  async ping(context?: OperationContext): Promise<void> {
    const deadline = resolveDeadline(context, this.#road.timeoutMs)
    await this.#throughPort(deadline, context, async (port) => {
      try {
        await port.request("ping", undefined, { deadline, caller: context, signal: context?.signal })
      } catch (error) {
        if (!(isCallError(error) && "rpcCode" in error.details)) throw error
      }
    })
  }

  /** Calls the listener after each change of `tools`, with the ids; gives the function that takes it away. What it throws is ignored. */
  onToolsChange(listener: (change: ToolsChange) => void): () => void {
    return this.#tools.onChange(listener)
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

  /**
   * Ends the connection and, for a process, the process with all its children. Calls in flight and calls that wait reject. The
   * second time it waits for the first.
   */
  async close(): Promise<void> {
    this.#changes.stop()
    this.#idleCheck?.stop()
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs ?? CLIENT_DEFAULTS.connectTimeoutMs
  }

  #call(tool: ToolOperation, input: unknown, context: OperationContext | undefined): Promise<ResponseEnvelope> {
    return this.#tools.has(tool.name) ? callTool(tool, input, context, this.#road) : Promise.reject(this.#tools.notListed(tool, this.name))
  }

  /** True where the listing changed something. */
  #refresh(): Promise<boolean> {
    const deadline = Date.now() + this.#connectTimeoutMs
    return this.#throughPort(deadline, undefined, (port) => this.#list(port, { deadline }))
  }

  /** A request that is no call, in a session that is renewed once where the server has forgotten it. */
  async #throughPort<T>(deadline: number, context: OperationContext | undefined, request: (port: MCPPort) => Promise<T>): Promise<T> {
    const { main } = this.#connection
    for (let isRenewed = false; ; isRenewed = true) {
      const found = main.ready()
      const port = found instanceof Promise ? await waitUntil(found, deadline, context, { subject: `Server "${this.name}"` }) : found
      try {
        return await request(port)
      } catch (error) {
        if (isRenewed || !isExpiry(error) || !main.giveUp(port, error)) throw error
      }
    }
  }

  /** Makes a port that takes the place of a lost one the client's. A list that it refuses to give leaves the old one. */
  async #adopt(port: MCPPort, attempt: { readonly deadline: number; readonly signal: AbortSignal }): Promise<void> {
    this.#changes.follow(port)
    this.#server = descriptionOf(port)
    if (this.#home.version !== this.#server.version) this.#home = this.#homeOf(this.#server.version)
    try {
      await this.#list(port, attempt)
    } catch (error) {
      if (!isCallError(error) || error.code !== "PROTOCOL_ERROR") throw error
      this.#warnings.add("listing", `The tools could not be listed after reconnecting: ${error.message}`)
    }
  }

  async #list(port: MCPPort, { deadline, signal }: { readonly deadline: number; readonly signal?: AbortSignal }): Promise<boolean> {
    const number = this.#tools.begin()
    const maxPages = this.#options.maxPages ?? CLIENT_DEFAULTS.maxPages
    const listed = await listTools(port, { server: this.name, maxPages, warn: this.#warnings.add, deadline, signal })
    const { serverInfo: info, instructions } = port
    const listing = await checkAgainstLock(listed, { server: this.name, info, instructions, options: this.#options, warn: this.#warnings.add })
    return this.#tools.show(number, listing, this.#home)
  }

  #homeOf(version: string): ToolHome {
    return {
      server: this.name,
      version,
      options: this.#options,
      warn: this.#warnings.add,
      call: (tool, input, context) => this.#call(tool, input, context),
    }
  }
}

function descriptionOf({ serverInfo, protocolVersion, capabilities, instructions }: MCPPort): ServerDescription {
  return Object.freeze({ ...serverInfo, protocolVersion, capabilities, instructions })
}

function isExpiry(error: unknown): error is CallError {
  return isCallError(error) && error.details["kind"] === "session_expired"
}
