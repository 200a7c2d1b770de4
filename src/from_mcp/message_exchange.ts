/**
 * Who waits for which message of one connection.
 *
 * In: requests, and the messages that arrive, seen before the SDK sees them. Out: answers, progress, notifications.
 * Requests and their answers pass the SDK by. It would discard answers that are a little odd, cannot tell an abort from a
 * timeout, tells the server the caller's reason, hands progress out a turn late, and costs more than the rest of a call. What
 * is left to it is the handshake and the server's requests; ids that are not known here are its own.
 */
import type { TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { isObject } from "../schema.js"
import type { ContextualSendOptions, ContextualTransport } from "./connection.js"
import { malformed, type EndOfCall } from "./end_of_call.js"
import { answeredError, endedError, requestError, toPortError, type RequestPlace } from "./errors.js"
import type { Mask } from "./mask.js"
import { filterMessage } from "./message_filter.js"
import { isDeeperThan } from "./nesting.js"
import { OpenRequest, type RequestEnder } from "./open_request.js"
import type { PortContext, PortRequestOptions } from "./port.js"
import type { TapHooks } from "./tapped_transport.js"
import type { Warn } from "./warning_log.js"

const MAX_DEPTH = 512
const LATE_KEPT = 1_000
const TOKEN_PREFIX = "operation-"
/** The SDK of a client that is ours alone sends one request, the handshake, with the id 0. */
const FIRST_ID = 1
/**
 * The ids in a client that is shared: far from those of its host's own calls, and still integers for servers that keep ids in
 * 32 bits. One row for the process, because several clients of this library may share one of the SDK.
 */
let nextSharedId = 1_000_000_000
let tokens = 0

type Params = Readonly<Record<string, unknown>>

/** What an exchange is told about its connection. */
export interface ExchangeSettings {
  readonly server: string
  readonly mask: Mask
  readonly warn: Warn
  /** For whom messages are sent that belong to no request. */
  readonly context: PortContext | undefined
  /** False where others send through the same client: answers that are not known here are theirs. */
  readonly alone: boolean
  readonly transport: Pick<ContextualTransport, "send" | "abandon" | "limitsDepth" | "ignoresContext">
  readonly onLost: () => void
}

/** The open requests and the listeners of one connection. */
export class MessageExchange implements TapHooks, RequestEnder {
  private readonly open = new Map<number, OpenRequest>()
  private readonly byToken = new Map<string, OpenRequest>()
  /** Ids of requests that ended before their answer came, oldest first. */
  private readonly late = new Set<number>()
  /** Ids and methods of requests that the SDK sent. */
  private readonly foreign = new Map<unknown, string>()
  private readonly listeners = new Map<string, Set<(params: unknown) => void>>()
  /** What the server answered to the handshake, as sent. */
  greeting: Params | undefined
  private nextId = FIRST_ID
  private idle: (() => void) | undefined

  constructor(private readonly settings: ExchangeSettings) {}

  /** Sends a request; gives its result as sent, or rejects with a CallError. */
  request(method: string, tool: string | undefined, params: Params | undefined, options: PortRequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request = new OpenRequest(this.settings.alone ? this.nextId++ : nextSharedId++, method, tool, options, resolve, reject)
      this.open.set(request.id, request)
      options.onRequestId?.(request.id)
      this.send(request, this.withToken(params, request))
      request.watch(this)
    })
  }

  /** Ends a request before its answer came; the server and the transport are told. */
  end(request: OpenRequest, end: EndOfCall): void {
    if (!this.settle(request)) return
    const { id } = request
    this.late.add(id)
    if (this.late.size > LATE_KEPT) this.late.delete(first(this.late))
    const { transport } = this.settings
    transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }, this.optionsFor(request)).catch(nothing)
    transport.abandon?.(id)
    request.reject(endedError(this.placeOf(request), end))
  }

  /** Ends every open request for one reason; there is nobody left to tell. */
  endAll(end: EndOfCall): void {
    for (const request of this.open.values()) {
      this.settle(request)
      request.reject(endedError(this.placeOf(request), end))
    }
  }

  /** Runs the function once no request is open. */
  whenIdle(run: () => void): void {
    if (this.open.size === 0) run()
    else this.idle = run
  }

  /** Listens to notifications of a method; gives the function that ends it. */
  listen(method: string, listener: (params: unknown) => void): () => void {
    let listeners = this.listeners.get(method)
    if (listeners === undefined) this.listeners.set(method, (listeners = new Set()))
    listeners.add(listener)
    const home = listeners
    return () => home.delete(listener)
  }

  /** A message of the SDK or of its host, on its way out. */
  sending(message: JSONRPCMessage, options: TransportSendOptions | undefined): ContextualSendOptions | undefined {
    if ("method" in message && "id" in message) this.foreign.set(message.id, message.method)
    const { context } = this.settings
    return context === undefined ? options : { ...options, context }
  }

  /** A message that arrived; what it gives is the SDK's. */
  received(message: unknown): JSONRPCMessage | undefined {
    const accepted = filterMessage(message, this.report)
    if (accepted === undefined) return undefined
    if ("method" in accepted) return this.receivedCall(accepted)
    const id = Number(accepted.id)
    const request = this.open.get(id)
    if (request === undefined) return this.receivedUnknown(accepted)
    this.settle(request)
    if (!(this.settings.transport.limitsDepth ?? false) && isDeeperThan(accepted, MAX_DEPTH)) {
      request.reject(endedError(this.placeOf(request), malformed(`the answer is nested deeper than ${MAX_DEPTH}`)))
    } else if ("result" in accepted) request.resolve(accepted.result)
    else request.reject(answeredError(this.placeOf(request), accepted.error))
    return undefined
  }

  lost(): void {
    this.settings.onLost()
  }

  failed(error: unknown): void {
    this.settings.warn("connection", error instanceof Error ? error.message : String(error))
  }

  private readonly report = (text: string): void => this.settings.warn("message", text)

  private send(request: OpenRequest, params: Params | undefined): void {
    const { id, method } = request
    // The SDK's type wants a writable object; it is only written as JSON.
    const message = (params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params }) as JSONRPCRequest
    const unsent = (cause: unknown) => {
      if (!this.settle(request)) return
      const place = this.placeOf(request)
      const error = isJSON(message)
        ? toPortError(cause, place, "unknown")
        : requestError(place, "VALIDATION_ERROR", "the input cannot be written as JSON", { outcome: "not_started" }, cause)
      request.reject(error)
    }
    try {
      this.settings.transport.send(message, this.optionsFor(request)).then(undefined, unsent)
    } catch (cause) {
      // A transport of a host may throw where it should reject.
      unsent(cause)
    }
  }

  private withToken(params: Params | undefined, request: OpenRequest): Params | undefined {
    const { onProgress, idleTimeoutMs } = request.options
    if (onProgress === undefined && idleTimeoutMs === undefined) return params
    const token = `${TOKEN_PREFIX}${++tokens}`
    request.token = token
    this.byToken.set(token, request)
    const meta = params?.["_meta"]
    return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken: token } }
  }

  private optionsFor(request: OpenRequest): ContextualSendOptions | undefined {
    if (this.settings.transport.ignoresContext === true) return undefined
    const context = request.options.context ?? this.settings.context
    return context === undefined ? undefined : { context }
  }

  /** Takes a request out; true where it was still open. */
  private settle(request: OpenRequest): boolean {
    request.settle()
    if (request.token !== undefined) this.byToken.delete(request.token)
    const wasOpen = this.open.delete(request.id)
    if (this.idle !== undefined && this.open.size === 0) this.idle()
    return wasOpen
  }

  private placeOf({ method, tool }: OpenRequest): RequestPlace {
    return { server: this.settings.server, method, tool, mask: this.settings.mask }
  }

  private receivedCall(message: JSONRPCMessage & { method: string; params?: unknown }): JSONRPCMessage | undefined {
    if ("id" in message) return message
    const { method, params } = message
    if (method === "notifications/progress" && isObject(params)) {
      const token = params["progressToken"]
      if (typeof token === "string" && token.startsWith(TOKEN_PREFIX)) {
        this.byToken.get(token)?.progressed(params, this)
        return this.settings.alone ? undefined : message
      }
    }
    for (const listener of this.listeners.get(method) ?? []) listener(params)
    return message
  }

  private receivedUnknown(answer: JSONRPCMessage & { id?: unknown }): JSONRPCMessage | undefined {
    const { id } = answer
    // Nobody waits for a late answer, and nothing is wrong with it.
    if (this.late.delete(Number(id))) return undefined
    const key = this.foreign.has(id) ? id : Number(id)
    const method = this.foreign.get(key)
    this.foreign.delete(key)
    if (method === "initialize" && "result" in answer) {
      this.greeting = answer.result
      return { jsonrpc: "2.0", id: answer.id, result: greetingForSDK(answer.result) }
    }
    if (method !== undefined || !this.settings.alone) return answer
    this.settings.warn("message", `An answer to an unknown request (id ${String(id).slice(0, 100)}) was dropped`)
    return undefined
  }
}

/** The SDK refuses a whole server for one odd capability or a version that is null; it needs to know none of them. */
function greetingForSDK(greeting: Params): Record<string, unknown> {
  const { protocolVersion, serverInfo } = greeting
  if (typeof protocolVersion !== "string") return greeting
  const { name, version } = isObject(serverInfo) ? serverInfo : {}
  return { protocolVersion, capabilities: {}, serverInfo: { name: textOr(name, ""), version: textOr(version, "") } }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise
}

function first(ids: Set<number>): number {
  for (const id of ids) return id
  return NaN
}

/** Asked only when a message could not be sent: writing each one twice would be dear. */
function isJSON(message: JSONRPCRequest): boolean {
  try {
    JSON.stringify(message)
    return true
  } catch {
    return false
  }
}

function nothing(): void {
  // A cancellation that cannot be sent has nobody left to reach.
}
