/**
 * The call protocol over NATS: the transport contract, kept on one connection.
 *
 * In: a connection, the name of the caller, the rules of the worker. Out: calls opened and served. When the connection is lost, each open
 * call ends at once with its outcome unknown: the server keeps nothing, and what it had is gone.
 * The connection stays the host's: closing the transport does not close it.
 */
import type { CallAnswer, CallRequested, CallRequestHandler, CallTransport, OpenCall, ServedCalls } from "../call.js"
import { CallError } from "../error.js"
import { CallerEnd, type CallDestination } from "./caller_end.js"
import type { NATSConnection, NATSSubscription } from "./connection.js"
import { ConnectionWatch } from "./connection_watch.js"
import { flushed } from "./flushed.js"
import { loadClient } from "./headers.js"
import { Outlet } from "./outlet.js"
import { QUEUE, Subjects, tokenOrThrow } from "./subjects.js"
import { WorkerEnd, type Identify } from "./worker_end.js"
import { WorkerLoad } from "./worker_load.js"

/** The worker's end of a transport. */
export interface NATSWorkerEndOptions {
  /** The worker's name, one token; no two workers share one. */
  readonly name: string
  readonly identify: Identify
  /** The namespaces that calls are taken for. */
  readonly namespaces: () => Iterable<string>
  /** Calls the listener when the namespaces change; gives the function that takes it away. */
  readonly onNamespaces?: ((listener: () => void) => () => void) | undefined
  /** True where the operation is served, with the definition of that digest where there is one. Default: every one. */
  readonly admits?: ((operationId: string, digest: string | undefined) => boolean) | undefined
  /** Calls that run at once. Default 256. */
  readonly concurrency?: number | undefined
  /** Calls that wait for a place. Default 4,096; one more is RESOURCE_EXHAUSTED, not started. */
  readonly maxQueued?: number | undefined
  /** Calls of one caller that run or wait. Default: half of `concurrency` and `maxQueued` together, so that one caller cannot take all places. */
  readonly maxPerCaller?: number | undefined
  /** A mirror asks who is there. */
  readonly onDiscover?: (() => void) | undefined
}

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
  readonly ignoredCount: number}

/** A worker's served calls, and what it counts. */
export interface NATSServedCalls extends ServedCalls {
  /** Resolves when the server has all subscriptions. @throws CallError CONFIGURATION_ERROR where it refuses one */
  ready(): Promise<void>
  readonly load: WorkerLoad
  readonly inFlight: number
  readonly queued: number
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
  #served: Served | undefined
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
    const served = new Served(this.#options, worker, this.#subjects, this.#outlet, handler, () => {
      if (this.#served === served) this.#served = undefined
    })
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

/** Subscriptions of a worker, by namespace, and what they bring. */
class Served implements NATSServedCalls {
  readonly end: WorkerEnd
  readonly load = new WorkerLoad()
  readonly #connection: NATSConnection
  readonly #subjects: Subjects
  readonly #worker: NATSWorkerEndOptions
  readonly #namespaces = new Map<string, readonly NATSSubscription[]>()
  readonly #controls: readonly NATSSubscription[]
  readonly #unhear: (() => void) | undefined
  readonly #closed: () => void
  #draining = false
  #over = false

  constructor(options: NATSTransportOptions, worker: NATSWorkerEndOptions, subjects: Subjects, outlet: Outlet, handler: CallRequestHandler, closed: () => void) {
    const { concurrency = 256, maxQueued = 4_096 } = worker
    this.#connection = options.connection
    this.#subjects = subjects
    this.#worker = worker
    this.#closed = closed
    this.end = new WorkerEnd(
      subjects,
      outlet,
      {
        name: worker.name,
        identify: worker.identify,
        admits: worker.admits ?? (() => true),
        concurrency,
        maxQueued,
        maxPerCaller: worker.maxPerCaller ?? Math.max(1, Math.floor((concurrency + maxQueued) / 2)),
        maxPartBytes: options.maxOpenBytes ?? 64 * 1024 * 1024,
        acceptMs: options.acceptMs ?? 50,
        keepAliveMs: options.keepAliveMs ?? 2_000,
        onDiscover: worker.onDiscover ?? (() => undefined),
      },
      this.load,
      handler,
    )
    const { connection } = options
    this.#controls = [
      ...subjects.controls(worker.name).map((subject) => connection.subscribe(subject, { callback: this.end.takeControl })),
      connection.subscribe(this.end.lostSubject, { callback: this.end.takeLost }),
    ]
    this.#follow()
    this.#unhear = worker.onNamespaces?.(() => this.#follow())
  }

  get inFlight(): number {
    return this.end.inFlight
  }

  get queued(): number {
    return this.end.queued
  }

  async ready(): Promise<void> {
    await flushed(this.#connection)
    const [refusal] = this.load.takeRefusals()
    if (refusal === undefined) return
    throw new CallError("CONFIGURATION_ERROR", `The NATS server does not let the worker "${this.#worker.name}" subscribe: ${refusal.message}`, {
      details: { worker: this.#worker.name, remedy: "give its user the permissions that `mcp-operations nats-config` prints" },
      cause: refusal,
    })
  }

  async drain(timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs
    this.#stopTaking()
    // What the server sent before it heard of the end is still served.
    await within(Promise.all([...this.#namespaces.values()].flat().map((each) => each.drain().catch(() => undefined))), timeoutMs)
    await this.end.empty(Math.max(0, until - Date.now()))
    await this.close()
  }

  async close(): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#stopTaking()
    for (const each of [...this.#namespaces.values()].flat()) each.unsubscribe()
    this.end.stop()
    this.end.loseAll(`The worker "${this.#worker.name}" was closed`)
    for (const each of this.#controls) each.unsubscribe()
    this.#closed()
    // The last answers are written before the host may close the connection.
    await within(
      this.#connection.flush().catch(() => undefined),
      1_000,
    )
  }

  #stopTaking(): void {
    this.#draining = true
    this.#unhear?.()
  }

  #follow(): void {
    if (this.#draining) return
    const wanted = new Set(this.#worker.namespaces())
    for (const [namespace, subscriptions] of this.#namespaces) {
      if (wanted.has(namespace)) continue
      this.#namespaces.delete(namespace)
      // Calls that are under way to it are answered.
      for (const each of subscriptions) each.drain().catch(() => undefined)
    }
    for (const namespace of wanted) {
      if (this.#namespaces.has(namespace)) continue
      const both = [this.#subjects.calls(namespace), this.#subjects.callsTo(this.#worker.name, namespace)]
      this.#namespaces.set(
        namespace,
        both.map((subject) => this.#connection.subscribe(subject, { queue: QUEUE, callback: this.end.takeCall })),
      )
    }
  }
}

const NOTHING_OPEN: OpenCall = { abort: () => undefined, grant: () => undefined }

function workerName(name: string): string {
  if (name === "all") throw new CallError("CONFIGURATION_ERROR", 'A worker cannot be named "all": control messages to all of them go there')
  return tokenOrThrow(name, "a worker")
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    }),
  ])
  clearTimeout(timer)
}
