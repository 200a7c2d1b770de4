/**
 * Who waits for which message of one connection.
 *
 * In: the messages between transport and SDK, seen first. Out: requests that end exactly once, progress, notifications.
 * Progress is handed out here, in the order of the wire: the SDK would hand it out a turn late, when the answer that came in
 * the same read has already ended its request.
 */
import type { TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { ContextualSendOptions } from "./connection.js"
import { EndOfCall, endingAnswer, malformed } from "./end_of_call.js"
import { filterMessage } from "./message_filter.js"
import { isDeeperThan } from "./nesting.js"
import type { OpenRequest } from "./open_request.js"
import type { PortContext } from "./port.js"
import type { TapHooks } from "./tapped_transport.js"
import type { Warn } from "./warning_log.js"

const MAX_DEPTH = 512
const LATE_KEPT = 1_000

/** What an exchange is told about its connection. */
export interface ExchangeSettings {
  readonly warn: Warn
  /** For whom messages are sent that belong to no request. */
  readonly context: PortContext | undefined
  /** False where others send through the same client: ids that are not known here are theirs. */
  readonly alone: boolean
  /** Puts a message before the SDK as if it had arrived. */
  readonly deliver: (message: JSONRPCMessage) => void
  /** Tells the server and the transport that a request was given up. */
  readonly abandon: (id: RequestId, context: PortContext | undefined) => void
  /** True where the transport lets nothing through that is nested too deep. */
  readonly limitsDepth: boolean
  readonly onLost: () => void
}

/** The open requests and the listeners of one connection. */
export class MessageExchange implements TapHooks {
  private readonly open = new Map<number, OpenRequest>()
  private readonly byToken = new Map<string, OpenRequest>()
  /** Ids of requests that ended before their answer came, oldest first. */
  private readonly late = new Set<number>()
  /** Ids of requests that others sent: the SDK's handshake, a host that shares its client. */
  private readonly foreign = new Set<number>()
  private readonly listeners = new Map<string, Set<(params: unknown) => void>>()
  private handedOver: OpenRequest | undefined
  private tokens = 0

  constructor(private readonly settings: ExchangeSettings) {}

  /** Runs `send`, which hands a request to the transport before it returns, and knows it from then on by its id. */
  handOver<T>(request: OpenRequest, send: () => T): T {
    const outer = this.handedOver
    this.handedOver = request
    try {
      return send()
    } finally {
      this.handedOver = outer
      request.watch((end) => this.end(request, end))
    }
  }

  /** A progress token for a request, and its reports go to it from then on. */
  tokenFor(request: OpenRequest): string {
    const token = `operation-${++this.tokens}`
    request.token = token
    this.byToken.set(token, request)
    return token
  }

  /** Takes a request out; nothing ends it or reports to it any more. True where it was still waiting for its answer. */
  settle(request: OpenRequest): boolean {
    request.settle()
    if (request.token !== undefined) this.byToken.delete(request.token)
    return request.id !== undefined && this.open.delete(request.id)
  }

  /** Ends every open request for one reason. */
  endAll(end: EndOfCall): void {
    for (const [id, request] of this.open) {
      this.settle(request)
      this.settings.deliver(endingAnswer(id, end))
    }
  }

  /** Listens to notifications of a method; gives the function that ends it. */
  listen(method: string, listener: (params: unknown) => void): () => void {
    let listeners = this.listeners.get(method)
    if (listeners === undefined) this.listeners.set(method, (listeners = new Set()))
    listeners.add(listener)
    const home = listeners
    return () => home.delete(listener)
  }

  sending(message: JSONRPCMessage, options: TransportSendOptions | undefined): ContextualSendOptions | undefined {
    let { context } = this.settings
    if ("method" in message && "id" in message && typeof message.id === "number") {
      const request = this.handedOver
      if (request === undefined) this.foreign.add(message.id)
      else {
        this.handedOver = undefined
        request.id = message.id
        this.open.set(message.id, request)
        context = request.options.context ?? context
      }
    }
    return context === undefined ? options : { ...options, context }
  }

  received(message: unknown): JSONRPCMessage | undefined {
    const accepted = filterMessage(message, (text) => this.settings.warn("message", text))
    if (accepted === undefined) return undefined
    if ("method" in accepted) return this.receivedCall(accepted)
    const id = Number(accepted.id)
    const request = this.open.get(id)
    if (request === undefined) return this.receivedUnknown(id, accepted)
    this.settle(request)
    if (!this.settings.limitsDepth && isDeeperThan(accepted, MAX_DEPTH)) {
      return endingAnswer(id, malformed(`the answer is nested deeper than ${MAX_DEPTH}`))
    }
    return accepted
  }

  lost(): void {
    this.settings.onLost()
  }

  failed(error: unknown): void {
    this.settings.warn("connection", error instanceof Error ? error.message : String(error))
  }

  /** Ends a request before its answer came: the SDK forgets it, the server is told. */
  private end(request: OpenRequest, end: EndOfCall): void {
    this.settle(request)
    const { id } = request
    if (id === undefined) return
    this.late.add(id)
    if (this.late.size > LATE_KEPT) this.late.delete(first(this.late))
    this.settings.abandon(id, request.options.context)
    this.settings.deliver(endingAnswer(id, end))
  }

  private receivedCall(message: JSONRPCMessage & { method: string; params?: unknown }): JSONRPCMessage | undefined {
    if ("id" in message) return message
    const { method, params } = message
    if (method === "notifications/progress" && isMembers(params)) {
      const token = params["progressToken"]
      if (typeof token === "string" && token.startsWith("operation-")) {
        const request = this.byToken.get(token)
        request?.progressed(params, (end) => this.end(request, end))
        return undefined
      }
    }
    for (const listener of this.listeners.get(method) ?? []) listener(params)
    return message
  }

  private receivedUnknown(id: number, answer: JSONRPCMessage): JSONRPCMessage | undefined {
    // Nobody waits for a late answer, and nothing is wrong with it.
    if (this.late.delete(id)) return undefined
    if (this.foreign.delete(id) || !this.settings.alone) return answer
    this.settings.warn("message", `An answer to an unknown request (id ${String("id" in answer ? answer.id : undefined).slice(0, 100)}) was dropped`)
    return undefined
  }
}

function first(ids: Set<number>): number {
  for (const id of ids) return id
  return NaN
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
