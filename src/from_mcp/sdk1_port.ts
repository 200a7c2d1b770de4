/**
 * The port over version 1 of the official SDK.
 *
 * In: an SDK client and the exchange below it. Out: an `MCPPort`; `open_port.ts` makes one.
 * The SDK keeps ids and the handshake; it is given a schema that passes everything and no timeout of its own. Deadline, abort,
 * malformed answers and a lost connection end a request from below: the SDK cannot tell an abort from a timeout, and would send
 * the caller's reason to the server.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { CallError } from "../error.js"
import { onAbort } from "../operation.js"
import { EndOfCall, endingAnswer } from "./end_of_call.js"
import { requestError, toPortError, type RequestPlace } from "./errors.js"
import type { Mask } from "./mask.js"
import { MessageExchange } from "./message_exchange.js"
import { OpenRequest } from "./open_request.js"
import type { MCPPort, PortContext, PortRequestOptions, ServerInfo } from "./port.js"
import type { ContextualTransport } from "./connection.js"
import type { Warn } from "./warning_log.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

/** What a port knows of its surroundings. */
export interface PortSettings {
  readonly server: string
  readonly mask: Mask
  readonly warn: Warn
  /** For whom messages are sent that belong to no request: the handshake, answers to the server. */
  readonly context?: PortContext | undefined
}

/** What carries the messages of a port's client. */
export interface PortCarrier {
  readonly transport: Pick<ContextualTransport, "send" | "abandon" | "lossReason" | "limitsDepth">
  /** Puts a message before the SDK as if it had arrived. */
  deliver(message: JSONRPCMessage): void
  /** False where others send through the same client. */
  readonly alone: boolean
}

type Params = Readonly<Record<string, unknown>>

const NO_TIMEOUT = { timeout: 2 ** 31 - 1 }
const METHOD_NOT_FOUND = -32601
// The SDK asks nothing but `safeParse` of a schema; its type wants a Zod schema.
const PASS_THROUGH = { safeParse: (value: unknown) => ({ success: true, data: value }) } as unknown as Parameters<Client["request"]>[1]

/** A port over one SDK client. */
export class SDK1Port implements MCPPort {
  readonly exchange: MessageExchange
  private readonly requestHandlers = new Map<string, (params: unknown) => unknown>()
  private readonly closeListeners: ((reason?: CallError) => void)[] = []
  private gone: { readonly reason: CallError | undefined } | undefined
  private closing: Promise<void> | undefined

  constructor(
    private readonly client: Client,
    private readonly carrier: PortCarrier,
    private readonly settings: PortSettings,
  ) {
    this.exchange = new MessageExchange({
      warn: settings.warn,
      context: settings.context,
      alone: carrier.alone,
      limitsDepth: carrier.transport.limitsDepth ?? false,
      deliver: (message) => carrier.deliver(message),
      abandon: (id, context) => {
        const cancelled = { jsonrpc: "2.0" as const, method: "notifications/cancelled", params: { requestId: id } }
        carrier.transport.send(cancelled, context === undefined ? undefined : { context }).catch(() => undefined)
        carrier.transport.abandon?.(id)
      },
      onLost: () => this.lost(),
    })
  }

  get capabilities(): Params {
    return this.client.getServerCapabilities() ?? {}
  }

  get serverInfo(): ServerInfo {
    return this.client.getServerVersion() ?? { name: "", version: "" }
  }

  get instructions(): string | undefined {
    return this.client.getInstructions()
  }

  protocolVersion: string | undefined

  request(method: string, params: Params | undefined, options: PortRequestOptions = {}): Promise<unknown> {
    const tool = method === "tools/call" && typeof params?.["name"] === "string" ? params["name"] : undefined
    const place: RequestPlace = { server: this.settings.server, method, tool, mask: this.settings.mask }
    const refusal = this.refusal(place, options)
    if (refusal !== undefined) return Promise.reject(refusal)
    const request = new OpenRequest(place, options)
    const sent = this.withToken(params, request)
    const answer = this.exchange.handOver(request, () => this.client.request({ method, params: sent }, PASS_THROUGH, NO_TIMEOUT))
    return answer.then(undefined, (cause: unknown) => this.rejected(request, cause))
  }

  notify(method: string, params?: Params): void {
    this.client.notification(params === undefined ? { method } : { method, params }).catch(() => undefined)
  }

  onNotification(method: string, listener: (params: unknown) => void): () => void {
    return this.exchange.listen(method, listener)
  }

  onRequest(method: string, handler: (params: unknown) => unknown): void {
    if (this.requestHandlers.size === 0) this.answerRequests()
    this.requestHandlers.set(method, handler)
  }

  onClose(listener: (reason?: CallError) => void): void {
    if (this.gone === undefined) this.closeListeners.push(listener)
    else listener(this.gone.reason)
  }

  close(): Promise<void> {
    this.closing ??= this.closeNow()
    return this.closing
  }

  private async closeNow(): Promise<void> {
    this.exchange.endAll(new EndOfCall("TRANSPORT_ERROR", "the client was closed", { kind: "closed", outcome: "unknown" }))
    try {
      await this.client.close()
    } finally {
      this.lost()
    }
  }

  /** Why a request cannot even be handed over; undefined where it can. */
  private refusal(place: RequestPlace, options: PortRequestOptions): CallError | undefined {
    if (this.closing !== undefined) {
      return requestError(place, "TRANSPORT_ERROR", "the client is closed", { kind: "closed", outcome: "not_started" })
    }
    if (this.gone !== undefined) {
      const { reason } = this.gone
      return requestError(place, "TRANSPORT_ERROR", `the connection is closed${whyLost(this.settings.server, reason)}`, { ...reason?.details, kind: "closed", outcome: "not_started" }, reason)
    }
    const { timeoutMs, caller, signal } = options
    if (timeoutMs !== undefined && timeoutMs <= 0) {
      return requestError(place, "TIMEOUT", "the deadline had passed before the request was sent", { deadline: Date.now() + timeoutMs, outcome: "not_started" })
    }
    if (caller === undefined && signal === undefined) return undefined
    let refusal: CallError | undefined
    onAbort(caller ?? options, (reason) => {
      refusal = requestError(place, "ABORTED", "the caller stopped the call before it was sent", { outcome: "not_started" }, reason)
    })()
    return refusal
  }

  private withToken(params: Params | undefined, request: OpenRequest): Record<string, unknown> | undefined {
    const { onProgress, idleTimeoutMs } = request.options
    // The SDK's type wants a writable object; it is only read and spread.
    if (onProgress === undefined && idleTimeoutMs === undefined) return params as Record<string, unknown> | undefined
    const meta = params?.["_meta"]
    return { ...params, _meta: { ...(typeof meta === "object" ? meta : {}), progressToken: this.exchange.tokenFor(request) } }
  }

  private rejected(request: OpenRequest, cause: unknown): never {
    const { id } = request
    const outcome = id === undefined ? "not_started" : "unknown"
    if (this.exchange.settle(request) && id !== undefined) {
      // What was never answered, such as a message that could not be sent, the SDK would keep for ever.
      this.carrier.deliver(endingAnswer(id, new EndOfCall("TRANSPORT_ERROR", "not sent", { outcome })))
    }
    throw toPortError(cause, request.place, outcome)
  }

  /** From now on the server's requests that the SDK does not answer itself go to the handlers. */
  private answerRequests(): void {
    const before = this.client.fallbackRequestHandler
    this.client.fallbackRequestHandler = async (request, extra) => {
      const handler = this.requestHandlers.get(request.method)
      // An SDK handler gives a result object; the handlers of this port are told so.
      if (handler !== undefined) return (await handler(request.params)) as Record<string, unknown>
      if (before !== undefined) return before(request, extra)
      throw Object.assign(new Error("Method not found"), { code: METHOD_NOT_FOUND })
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
