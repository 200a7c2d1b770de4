/**
 * The place between a transport and the SDK where messages are seen first.
 *
 * In: a transport and hooks. Out: a transport for the SDK, or the same hooks laid over one that is already in use.
 * Decides nothing: the hooks do.
 */
import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, MessageExtraInfo } from "@modelcontextprotocol/sdk/types.js"
import type { ContextualSendOptions, ContextualTransport } from "./connection.js"

/** What happens to messages on their way. */
export interface TapHooks {
  /** An incoming message, as the transport parsed it; what it gives goes on to the SDK, undefined goes nowhere. */
  received(message: unknown): JSONRPCMessage | undefined
  /** An outgoing message, before it is sent; gives the options it is sent with. */
  sending(message: JSONRPCMessage, options: TransportSendOptions | undefined): ContextualSendOptions | undefined
  /** The transport is gone; called before the SDK hears of it. */
  lost(): void
  /** Something that the transport reports and survives. */
  failed(error: unknown): void
}

type OnMessage = NonNullable<Transport["onmessage"]>

/** A transport for the SDK that shows each message to the hooks. `deliver` puts a message of ours before the SDK. */
export class TappedTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: OnMessage
  /** What the handshake settled on; undefined before. */
  protocolVersion: string | undefined

  constructor(
    private readonly inner: ContextualTransport,
    private readonly hooks: TapHooks,
  ) {}

  start(): Promise<void> {
    this.inner.onmessage = (message, extra) => {
      const accepted = this.hooks.received(message)
      if (accepted !== undefined) this.onmessage?.(accepted, extra)
    }
    this.inner.onerror = (error) => this.hooks.failed(error)
    this.inner.onclose = () => {
      this.hooks.lost()
      this.onclose?.()
    }
    return this.inner.start()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.inner.send(message, this.hooks.sending(message, options))
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
    this.inner.setProtocolVersion?.(version)
  }
}

/** Lays the hooks over a transport that an SDK client already uses; gives the function that takes them away. */
export function tapInPlace(transport: Transport, hooks: TapHooks): () => void {
  const { onmessage, onclose, onerror } = transport
  const ownSend = Object.getOwnPropertyDescriptor(transport, "send")
  const send = transport.send.bind(transport)
  transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    const accepted = hooks.received(message)
    if (accepted !== undefined) onmessage?.(accepted, extra)
  }
  transport.onclose = () => {
    hooks.lost()
    onclose?.()
  }
  transport.onerror = (error) => {
    hooks.failed(error)
    onerror?.(error)
  }
  transport.send = (message, options) => send(message, hooks.sending(message, options))
  return () => {
    // Left undefined where the SDK never set one: assigning undefined is what the transport started with.
    Object.assign(transport, { onmessage, onclose, onerror })
    if (ownSend === undefined) Reflect.deleteProperty(transport, "send")
    else Object.defineProperty(transport, "send", ownSend)
  }
}
