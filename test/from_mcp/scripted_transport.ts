/**
 * A transport with a made-up server behind it: what it answers to each message is given as a function.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { CallError } from "../../src/error.js"
import type { ContextualSendOptions, ContextualTransport } from "../../src/from_mcp/connection.js"

export interface WireMessage {
  jsonrpc?: string
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: unknown
}

export type Script = (message: WireMessage, transport: ScriptedTransport) => unknown

export const GREETING = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "scripted", version: "3.1.4" },
}

export class ScriptedTransport implements ContextualTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<ContextualTransport["onmessage"]>
  lossReason: CallError | undefined
  readonly sent: WireMessage[] = []
  readonly contexts: ContextualSendOptions["context"][] = []
  readonly abandoned: unknown[] = []
  isClosed = false

  /** `script` gives the message to answer with (or several, in one read), or undefined for silence. */
  constructor(private readonly script: Script = () => undefined) {}

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: ContextualSendOptions): Promise<void> {
    const sent = JSON.parse(JSON.stringify(message)) as WireMessage
    this.sent.push(sent)
    this.contexts.push(options?.context)
    const answer = this.script(sent, this) ?? (sent.method === "initialize" ? { jsonrpc: "2.0", id: sent.id, result: GREETING } : undefined)
    if (answer instanceof Error) throw answer
    await Promise.resolve()
    this.deliver(...(Array.isArray(answer) ? (answer as unknown[]) : answer === undefined ? [] : [answer]))
  }

  /** Hands messages to the client in one turn, as one read of a stream does. */
  deliver(...messages: unknown[]): void {
    for (const message of messages) this.onmessage?.(message as JSONRPCMessage)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.onclose?.()
  }

  abandon(id: unknown): void {
    this.abandoned.push(id)
  }

  /** The messages of a method that were sent. */
  of(method: string): WireMessage[] {
    return this.sent.filter((message) => message.method === method)
  }
}
