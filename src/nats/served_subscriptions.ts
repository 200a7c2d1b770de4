/**
 * What a worker serves over NATS: its subscriptions, two for each namespace, which come and go with its namespaces.
 *
 * In: the namespaces, the connection, the end that takes what they bring. Out: calls at that end; drained, closed, counted.
 * One of the two subjects of a namespace is everybody's, in a queue group, the other is this worker's own.
 */
import type { CallRequestHandler, ServedCalls } from "../call.js"
import { CallError } from "../error.js"
import type { NATSConnection, NATSSubscription } from "./connection.js"
import { flushed } from "./flushed.js"
import type { Outlet } from "./outlet.js"
import { QUEUE, type Subjects } from "./subjects.js"
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

/** A worker's served calls, and what it counts. */
export interface NATSServedCalls extends ServedCalls {
  /** Resolves when the server has all subscriptions. @throws CallError CONFIGURATION_ERROR where it refuses one */
  ready(): Promise<void>
  readonly load: WorkerLoad
  readonly inFlight: number
  readonly queued: number
}

/** What the subscriptions of a worker use of their transport; the sizes and times as in its options. */
export interface ServedSubscriptionsHome {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly outlet: Outlet
  readonly maxOpenBytes: number | undefined
  readonly acceptMs: number | undefined
  readonly keepAliveMs: number | undefined
  /** Nothing is served any more. */
  readonly closed: () => void
}

/** Subscriptions of a worker, by namespace, and what they bring. */
export class ServedSubscriptions implements NATSServedCalls {
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

  constructor(worker: NATSWorkerEndOptions, home: ServedSubscriptionsHome, handler: CallRequestHandler) {
    const { concurrency = 256, maxQueued = 4_096 } = worker
    const { connection, subjects } = home
    this.#connection = connection
    this.#subjects = subjects
    this.#worker = worker
    this.#closed = home.closed
    this.end = new WorkerEnd(
      subjects,
      home.outlet,
      {
        name: worker.name,
        identify: worker.identify,
        admits: worker.admits ?? (() => true),
        concurrency,
        maxQueued,
        maxPerCaller: worker.maxPerCaller ?? Math.max(1, Math.floor((concurrency + maxQueued) / 2)),
        maxPartBytes: home.maxOpenBytes ?? 64 * 1024 * 1024,
        acceptMs: home.acceptMs ?? 50,
        keepAliveMs: home.keepAliveMs ?? 2_000,
        onDiscover: worker.onDiscover ?? (() => undefined),
      },
      this.load,
      handler,
    )
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
