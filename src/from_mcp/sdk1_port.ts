/**
 * The port over version 1 of the official SDK.
 *
 * In: an SDK client and what carries its messages. Out: an `MCPPort`; `open_port.ts` makes one.
 * The client does the handshake and answers the server's requests. Requests of this side go through the exchange below it.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { CallError } from "../error.js"
import { onAbort, type RequestNetwork } from "../operation.js"
import { isObject } from "../schema.js"
import { answerServer } from "./answer_server.js"
import type { ContextualTransport, ReplaceablePort } from "./connection.js"
import { EndOfCall } from "./end_of_call.js"
import { requestError, type RequestPlace } from "./errors.js"
import type { ClientHandlers } from "./handlers.js"
import type { Logging } from "./logging.js"
import type { Mask } from "./mask.js"
import { MessageExchange } from "./message_exchange.js"
import { deadlineOf } from "./open_request.js"
import type { PortContext, PortRequest, PortRequestOptions, ServerInfo } from "./port.js"
import { RequestRefusal, refusalFor } from "./request_refusal.js"
import type { Warn } from "./warning_log.js"

/** What a port knows of its surroundings. */
export interface PortSettings {
  readonly server: string
  readonly mask: Mask
  readonly warn: Warn
  /** For whom messages are sent that belong to no request: the handshake, answers to the server. */
  readonly context?: PortContext | undefined
  /** Answer the server's requests. */
  readonly handlers?: ClientHandlers | undefined
  readonly logging?: Logging | undefined
}

/** What carries the messages of a port. */
export interface PortCarrier {
  readonly transport: Pick<ContextualTransport, "send" | "abandon" | "lossReason" | "limitsDepth" | "ignoresContext" | "sessionId" | "network"> & Partial<Pick<ContextualTransport, "close">>
  /** False where others send through the same client. */
  readonly alone: boolean
}

type Params = Readonly<Record<string, unknown>>

const NO_OPTIONS: PortRequestOptions = {}
const METHOD_NOT_FOUND = -32601

/** A port over one SDK client. */
export class SDK1Port implements ReplaceablePort {
  readonly exchange: MessageExchange
  private readonly requestHandlers = new Map<string, (params: unknown, request: PortRequest) => unknown>()
  private readonly closeListeners: ((reason?: CallError) => void)[] = []
  private gone: { readonly reason: CallError | undefined } | undefined
  private closing: Promise<void> | undefined

  constructor(
    private readonly client: Client,
    private readonly carrier: PortCarrier,
    private readonly settings: PortSettings,
  ) {
    const { server, mask, warn, context } = settings
    const { transport, alone } = carrier
    this.exchange = new MessageExchange({ server, mask, warn, context, alone, transport, onLost: () => this.lost() })
    if (settings.handlers !== undefined) answerServer(settings.handlers, { server, identity: context?.identity }, this.onRequest.bind(this))
    settings.logging?.listen(this)
  }

  get capabilities(): Params {
    const { greeting } = this.exchange
    if (greeting === undefined) return this.client.getServerCapabilities() ?? {}
    return isObject(greeting["capabilities"]) ? greeting["capabilities"] : {}
  }

  get serverInfo(): ServerInfo {
    const said = this.exchange.greeting?.["serverInfo"] ?? this.client.getServerVersion()
    const { name, version, title } = isObject(said) ? said : {}
    return {
      name: typeof name === "string" ? name : "",
      version: typeof version === "string" ? version : "",
      ...(typeof title === "string" ? { title } : {}),
    }
  }

  get instructions(): string | undefined {
    const said = this.exchange.greeting?.["instructions"] ?? this.client.getInstructions()
    return typeof said === "string" ? said : undefined
  }

  protocolVersion: string | undefined

  get sessionId(): string | undefined {
    return this.carrier.transport.sessionId
  }

  get network(): RequestNetwork | undefined {
    return this.carrier.transport.network
  }

  request(method: string, params: Params | undefined, options: PortRequestOptions = NO_OPTIONS): Promise<unknown> {
    const tool = method === "tools/call" && typeof params?.["name"] === "string" ? params["name"] : undefined
    const refusal = this.refusal(method, tool, options)
    return refusal === undefined ? this.exchange.request(method, tool, params, options) : Promise.reject(refusal)
  }

  notify(method: string, params?: Params): void {
    this.client.notification(params === undefined ? { method } : { method, params }).catch(() => undefined)
  }

  onNotification(method: string, listener: (params: unknown) => void): () => void {
    return this.exchange.listen(method, listener)
  }

  onRequest(method: string, handler: (params: unknown, request: PortRequest) => unknown): void {
    if (this.requestHandlers.size === 0) this.answerRequests()
    this.requestHandlers.set(method, handler)
  }

  onClose(listener: (reason?: CallError) => void): void {
    if (this.gone === undefined) this.closeListeners.push(listener)
    else listener(this.gone.reason)
  }

  retire(): void {
    // A turn later: the last request may be ending because the port is being closed.
    this.exchange.whenIdle(() => queueMicrotask(() => void this.close()))
  }

  close(): Promise<void> {
    this.closing ??= this.closeNow()
    return this.closing
  }

  private async closeNow(): Promise<void> {
    this.exchange.endAll(new EndOfCall("TRANSPORT_ERROR", "the client was closed", { kind: "closed", outcome: "unknown" }))
    try {
      await this.client.close()
      // The SDK forgets a transport that was lost, and this one may not have done yet: a process may have left others behind.
      await this.carrier.transport.close?.()
    } catch (error) {
      // Nothing can be done about a connection that does not even close; it is given up all the same.
      this.exchange.failed(error)
    }
    this.lost()
  }

  /** Why a request cannot even be handed over; undefined where it can. */
  private refusal(method: string, tool: string | undefined, options: PortRequestOptions): CallError | undefined {
    const place = (): RequestPlace => ({ server: this.settings.server, method, tool, mask: this.settings.mask })
    if (this.closing !== undefined) {
      return requestError(place(), "TRANSPORT_ERROR", "the client is closed", { kind: "closed", outcome: "not_started" })
    }
    if (this.gone !== undefined) {
      const { reason } = this.gone
      const details = { ...reason?.details, kind: "closed", outcome: "not_started" }
      return requestError(place(), "TRANSPORT_ERROR", `the connection is closed${whyLost(this.settings.server, reason)}`, details, reason)
    }
    const deadline = deadlineOf(options)
    if (deadline !== Infinity && deadline <= Date.now()) {
      return requestError(place(), "TIMEOUT", "the deadline had passed before the request was sent", { deadline, outcome: "not_started" })
    }
    const caller = options.caller ?? (options.signal === undefined ? undefined : options)
    if (caller === undefined) return undefined
    let refusal: CallError | undefined
    onAbort(caller, (reason) => {
      refusal = requestError(place(), "ABORTED", "the caller stopped the call before it was sent", { outcome: "not_started" }, reason)
    })()
    return refusal
  }

  /** From now on the server's requests that the SDK does not answer itself go to the handlers. */
  private answerRequests(): void {
    const before = this.client.fallbackRequestHandler
    this.client.fallbackRequestHandler = async (request, extra) => {
      const handler = this.requestHandlers.get(request.method)
      // An SDK handler gives a result object; the handlers of this port are told so.
      if (handler !== undefined) return (await this.answered(request.method, () => handler(request.params, extra), extra)) as Record<string, unknown>
      if (before !== undefined) return before(request, extra)
      throw new RequestRefusal(METHOD_NOT_FOUND, "Method not found")
    }
  }

  /** What a handler gives. The SDK would send the text of whatever it throws to the server. */
  private async answered(method: string, handle: () => unknown, { signal }: PortRequest): Promise<unknown> {
    try {
      return await handle()
    } catch (error) {
      if (!(error instanceof RequestRefusal) && !signal.aborted) {
        this.settings.warn("message", `The handler for ${method} failed: ${error instanceof Error ? error.message : "something was thrown that is no Error"}`)
      }
      throw refusalFor(error)
    }
  }

  private lost(): void {
    if (this.gone !== undefined) return
    const reason = this.closing === undefined ? (this.carrier.transport.lossReason ?? this.lostSilently()) : undefined
    this.gone = { reason }
    this.exchange.endAll(
      new EndOfCall("TRANSPORT_ERROR", `the connection was lost${whyLost(this.settings.server, reason)}`, { kind: "closed", ...reason?.details, outcome: "unknown" }, reason),
    )
    for (const listener of this.closeListeners) listener(reason)
  }

  private lostSilently(): CallError {
    return new CallError("TRANSPORT_ERROR", `Server "${this.settings.server}": the connection was lost`, { details: { kind: "closed" } })
  }
}

/** `: the process exited with code 3` for a reason that says `Server "x": the process exited with code 3`. */
function whyLost(server: string, reason: CallError | undefined): string {
  if (reason === undefined) return ""
  const subject = `Server "${server}": `
  return `: ${reason.message.startsWith(subject) ? reason.message.slice(subject.length) : reason.message}`
}
