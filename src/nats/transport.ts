/**
 * The call protocol over NATS: the transport contract, kept on one connection.
 *
 * In: a connection, the name of the caller, the rules of the worker. Out: calls opened and served. When the connection is lost, each open
 * call ends at once with its outcome unknown: the server keeps nothing, and what it had is gone.
 * The connection stays the host's: closing the transport does not close it.
 */
import type { CallAnswer, CallRequested, CallRequestHandler, CallTransport, OpenCall } from "../call.js"
import { CallError } from "../error.js"
import { CallerEnd, type CallDestination } from "./caller_end.js"
import type { NATSConnection } from "./connection.js"
import { ConnectionWatch } from "./connection_watch.js"
import { flushed } from "./flushed.js"
import { loadClient } from "./headers.js"
import { Outlet } from "./outlet.js"
import { ServedSubscriptions, type NATSServedCalls, type NATSWorkerEndOptions } from "./served_subscriptions.js"
import { Subjects, tokenOrThrow } from "./subjects.js"

/** What a transport over NATS is made with. */
export interface NATSTransportOptions {
  readonly connection: NATSConnection
  /** The name that calls are opened under, one token. Without it nothing can be opened. */
  readonly caller?: string | undefined
  /** What the worker's `identify` gets beside the name. */
  readonly token?: string | (() => string | undefined) | undefined
  /** The first token of all subjects. Default `"ops"`. */
  readonly prefix?: string | undefined
  /** Where a call goes. Default: to whichever worker serves its namespace. */
  readonly route?: ((operationId: string) => CallDestination | undefined) | undefined
  /** Told, before an answer other than progress goes to its sink, which worker says that it gave it. It must not throw. */
  readonly answered?: ((requestId: string, worker: string) => void) | undefined
  /** Without it nothing can be served. */
  readonly worker?: NATSWorkerEndOptions | undefined
  /** Longest request and answer, in bytes. Default 16 MiB; above what the server takes in one message they go in parts. */
  readonly maxMessageBytes?: number | undefined
  /** Bytes of the requests of all open calls, and of the long requests that a worker is getting. Default 64 MiB. */
  readonly maxOpenBytes?: number | undefined
  /** After so many milliseconds a worker says that it has a call. Default 50. */
  readonly acceptMs?: number | undefined
  /** How often a worker says that it still has a call, in milliseconds; three of them in silence, and it is taken for lost. Default 2,000. */
  readonly keepAliveMs?: number | undefined
  /** How often the connection is asked whether it still hears, in milliseconds. Default 5,000. */
  readonly watchdogMs?: number | undefined
}

/** A transport over NATS. */
export interface NATSTransport extends CallTransport {
  serve(handler: CallRequestHandler): NATSServedCalls
  /** Calls that are open at this end. */
  readonly openCount: number
  /** Messages that came for calls that are over, or were nobody's. */
  readonly ignoredCount: number
}

/**
 * A transport on a connection that is there. Close it to end what is open; the connection stays.
 *
 * @throws CallError CONFIGURATION_ERROR for a name that is no token, without the client package, or where the server refuses the inbox.
 */
export async function createNATSTransport(options: NATSTransportOptions): Promise<NATSTransport> {
  const { headers } = await loadClient()
  const transport = new Transport(options, headers)
  try {
    await transport.ready()
  } catch (error) {
    await transport.close()
    throw error
  }
  return transport
}

class Transport implements NATSTransport {
  readonly #options: NATSTransportOptions
  readonly #subjects: Subjects
  readonly #outlet: Outlet
  readonly #watch: ConnectionWatch
  readonly #caller: CallerEnd | undefined
  readonly #listeners = new Set<(status: "up" | "down") => void>()
  #served: ServedSubscriptions | undefined
  #closed = false

  constructor(options: NATSTransportOptions, headers: ConstructorParameters<typeof Outlet>[1]) {
    const { connection, caller, token, prefix, route, maxMessageBytes = 16 * 1024 * 1024, maxOpenBytes = 64 * 1024 * 1024, keepAliveMs = 2_000, watchdogMs = 5_000 } = options
    this.#options = options
    this.#subjects = new Subjects(prefix)
    if (caller !== undefined) tokenOrThrow(caller, "a caller")
    if (options.worker !== undefined) workerName(options.worker.name)
    this.#outlet = new Outlet(connection, headers, maxMessageBytes)
    this.#watch = new ConnectionWatch(connection, watchdogMs, {
      up: () => this.#up(),
      down: () => this.#down(),
      refused: (subject) => this.#caller?.refusedSubject(subject),
    })
    if (caller === undefined) return
    this.#caller = new CallerEnd({
      connection,
      subjects: this.#subjects,
      outlet: this.#outlet,
      caller,
      token: typeof token === "function" ? token : () => token,
      answered: options.answered,
      route: route ?? (() => undefined),
      maxOpenBytes,
      keepAliveMs,
      isUp: () => this.status === "up",
    })
  }

  get status(): "up" | "down" {
    return this.#watch.isUp && !this.#closed ? "up" : "down"
  }

  get openCount(): number {
    return this.#caller?.openCount ?? 0
  }

  get ignoredCount(): number {
    return this.#caller?.ignoredCount ?? 0
  }

  /** Resolves when the server has the inbox. */
  async ready(): Promise<void> {
    if (this.#caller === undefined || this.status === "down") return
    await flushed(this.#options.connection)
    const { refusal } = this.#caller
    if (refusal === undefined) return
    throw new CallError("CONFIGURATION_ERROR", `The NATS server does not let "${this.#caller.caller}" hear its own answers`, {
      details: { remedy: `let its user subscribe to "_INBOX.${this.#caller.caller}.>"` },
      cause: refusal,
    })
  }

  onStatus(listener: (status: "up" | "down") => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  open(request: CallRequested, sink: (event: CallAnswer) => void): OpenCall {
    if (this.#caller !== undefined && !this.#closed) return this.#caller.open(request, sink)
    const [code, message] = this.#closed
      ? ["TRANSPORT_ERROR", "The transport is closed"]
      : ["CONFIGURATION_ERROR", "This transport serves only: it was made without the name of a caller"]
    sink({ type: "call.error", requestId: request.requestId, code, message, details: { operationId: request.operationId, outcome: "not_started" } })
    return NOTHING_OPEN
  }

  serve(handler: CallRequestHandler): NATSServedCalls {
    const { worker } = this.#options
    if (worker === undefined) throw new CallError("CONFIGURATION_ERROR", "This transport calls only: it was made without `worker`")
    if (this.#served !== undefined) throw new CallError("CONFIGURATION_ERROR", "This transport is served already")
    if (this.#closed) throw new CallError("TRANSPORT_ERROR", "The transport is closed", { details: { outcome: "not_started" } })
    const { connection, maxOpenBytes, acceptMs, keepAliveMs } = this.#options
    const closed = () => {
      if (this.#served === served) this.#served = undefined
    }
    const served = new ServedSubscriptions(worker, { connection, subjects: this.#subjects, outlet: this.#outlet, maxOpenBytes, acceptMs, keepAliveMs, closed }, handler)
    this.#served = served
    return served
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#caller?.failAll("TRANSPORT_ERROR", "The transport was closed", "unknown", { kind: "closed" })
    const wasUp = this.#watch.isUp
    this.#closed = true
    await this.#served?.close()
    this.#caller?.close()
    this.#watch.stop()
    this.#outlet.reset()
    if (wasUp) this.#tell("down")
  }

  #up(): void {
    this.#outlet.reset()
    this.#caller?.connected()
    this.#tell("up")
  }

  #down(): void {
    this.#outlet.reset()
    this.#caller?.disconnected()
    this.#served?.end.disconnected()
    this.#tell("down")
  }

  #tell(status: "up" | "down"): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(status)
      } catch {
        // A listener's fault is its own.
      }
    }
  }
}

const NOTHING_OPEN: OpenCall = { abort: () => undefined, grant: () => undefined }

function workerName(name: string): string {
  if (name === "all") throw new CallError("CONFIGURATION_ERROR", 'A worker cannot be named "all": control messages to all of them go there')
  return tokenOrThrow(name, "a worker")
}
