/**
 * The MCP sessions of one server over HTTP: one for everybody, or one for each key of `sessionFor`.
 *
 * In: for whom a call is made. Out: the port it goes through. Keyed sessions are opened when first asked for; calls that ask at
 * the same time share the opening; how long each of them waits is its own affair.
 * A session that could not be opened, or was lost, is forgotten: the next call opens another.
 */
import type { OperationContext } from "../../operation.js"
import type { Connection } from "../connection.js"
import type { MCPPort, PortContext } from "../port.js"

/** How a pool finds and opens sessions. */
export interface SessionPoolSettings {
  /** The session that listed the tools, and its key. */
  readonly first: { readonly key: string; readonly port: MCPPort }
  readonly keyFor: (context: PortContext) => Promise<string>
  /** Rejects where the host gives no headers for this context. */
  readonly check: (context: PortContext) => Promise<unknown>
  readonly open: (opener: Omit<PortContext, "purpose">, signal: AbortSignal) => Promise<MCPPort>
}

/** Holds the sessions of one server whose config has `sessionFor`. */
export class SessionPool implements Connection {
  readonly #sessions = new Map<string, Promise<MCPPort>>()
  readonly #closed = new AbortController()

  constructor(private readonly settings: SessionPoolSettings) {}

  get port(): MCPPort {
    return this.settings.first.port
  }

  async portFor(context: OperationContext | undefined, operationId: string): Promise<MCPPort> {
    const { first, keyFor, check } = this.settings
    const opener = { identity: context?.identity, metadata: context?.metadata }
    const call: PortContext = { ...opener, purpose: "call", operationId }
    const key = await keyFor(call)
    if (key === first.key || this.#closed.signal.aborted) return first.port
    const open = this.#sessions.get(key)
    if (open !== undefined) return open
    // A caller that the host refuses must not have had a session opened.
    await check(call)
    return this.#sessions.get(key) ?? this.#open(key, opener)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.all([this.port.close(), ...sessions.map((session) => session.then((port) => port.close()).catch(() => undefined))])
  }

  #open(key: string, opener: Omit<PortContext, "purpose">): Promise<MCPPort> {
    const session = this.settings.open(opener, this.#closed.signal)
    const forget = () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key)
    }
    session.then((port) => port.onClose(forget), forget)
    this.#sessions.set(key, session)
    return session
  }
}
