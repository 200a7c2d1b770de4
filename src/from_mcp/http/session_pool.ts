/**
 * The MCP sessions of one server over HTTP: one for everybody, or one for each key of `sessionFor`.
 *
 * In: for whom a call is made. Out: the port it goes through. Keyed sessions are opened when first asked for; calls that ask at
 * the same time share the opening; how long each of them waits is its own affair.
 * A session that could not be opened, was lost or has expired is forgotten: the next call opens another.
 */
import type { CallError } from "../../error.js"
import type { OperationContext } from "../../operation.js"
import type { Connection, ReplaceablePort } from "../connection.js"
import type { MainPort } from "../main_port.js"
import type { MCPPort, PortContext } from "../port.js"

/** How a pool finds and opens sessions. */
export interface SessionPoolSettings {
  /** The session that lists the tools, and its key. */
  readonly main: MainPort
  readonly mainKey: string
  readonly keyFor: (context: PortContext) => Promise<string>
  /** Rejects where the host gives no headers for this context. */
  readonly check: (context: PortContext) => Promise<unknown>
  readonly open: (opener: Omit<PortContext, "purpose">, signal: AbortSignal) => Promise<ReplaceablePort>
}

/** Holds the sessions of one server whose config has `sessionFor`. */
export class SessionPool implements Connection {
  readonly #sessions = new Map<string, Promise<ReplaceablePort>>()
  /** Every session that is open, those that were forgotten and still wait for answers among them. */
  readonly #ports = new Map<MCPPort, { readonly port: ReplaceablePort; readonly forget: () => void }>()

  constructor(private readonly settings: SessionPoolSettings) {}

  get main(): MainPort {
    return this.settings.main
  }

  async portFor(context: OperationContext | undefined, operationId: string): Promise<MCPPort> {
    const { main, mainKey, keyFor, check } = this.settings
    const opener = { identity: context?.identity, metadata: context?.metadata }
    const call: PortContext = { ...opener, purpose: "call", operationId }
    const key = await keyFor(call)
    if (key === mainKey || main.closed.aborted) return main.ready()
    const open = this.#sessions.get(key)
    if (open !== undefined) return open
    // A caller that the host refuses must not have had a session opened.
    await check(call)
    return this.#sessions.get(key) ?? this.#open(key, opener)
  }

  giveUp(port: MCPPort, reason: CallError): "now" | "later" | "never" {
    const keyed = this.#ports.get(port)
    if (keyed === undefined) return this.main.giveUp(port, reason) ? "now" : "never"
    // A server that was not reached may know the session still.
    if (reason.details["kind"] === "connection") return "later"
    keyed.forget()
    keyed.port.retire()
    return "now"
  }

  async close(): Promise<void> {
    const opening = [...this.#sessions.values()]
    this.#sessions.clear()
    // Closing the main port aborts what is being opened.
    await Promise.all([this.main.close(), ...[...this.#ports.keys()].map((port) => port.close()), ...opening.map((session) => session.then((port) => port.close()).catch(() => undefined))])
  }

  #open(key: string, opener: Omit<PortContext, "purpose">): Promise<MCPPort> {
    const session = this.settings.open(opener, this.main.closed)
    const forget = () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key)
    }
    this.#sessions.set(key, session)
    session.then((port) => {
      this.#ports.set(port, { port, forget })
      port.onClose(() => {
        this.#ports.delete(port)
        forget()
      })
    }, forget)
    return session
  }
}
