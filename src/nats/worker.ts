/**
 * A worker: the operations of a registry, served to callers of a NATS server.
 *
 * In: a registry, a connection, who callers are, and what they may see at all. Out: a worker that announces itself, shows its catalogue and
 * runs calls until it is drained or closed. Registry and connection stay the host's.
 */
import { buildCallHandler } from "../call.js"
import { CallError } from "../error.js"
import type { OperationRegistry } from "../registry.js"
import { announce } from "./announcer.js"
import { serveCatalogue } from "./catalogue_server.js"
import type { NATSConnection } from "./connection.js"
import { Exposed, type UnservedOperation } from "./exposed.js"
import { loadClient } from "./headers.js"
import { serveServices } from "./services.js"
import { Subjects } from "./subjects.js"
import type { NATSServedCalls, NATSWorkerEndOptions } from "./served_subscriptions.js"
import { createNATSTransport, type NATSTransportOptions } from "./transport.js"
import type { Identify } from "./worker_end.js"

/** What a worker is made with. */
export interface ServeOptions
  extends Pick<NATSWorkerEndOptions, "concurrency" | "maxQueued" | "maxPerCaller">,
    Pick<NATSTransportOptions, "prefix" | "maxMessageBytes" | "maxOpenBytes" | "acceptMs" | "keepAliveMs" | "watchdogMs"> {
  readonly registry: OperationRegistry
  readonly connection: NATSConnection
  /**
   * Who a caller is. The subject of its call gives the name and nothing else: scopes and resources come from here, whatever the request says.
   * Undefined, or a throw: ACCESS_DENIED.
   */
  readonly identify: Identify
  /** Patterns of the ids that are served and announced; nothing else is. */
  readonly expose: readonly string[]
  /** The worker's name, one token; no two workers share one. With permissions on the server, the name of its user. Default: a random one. */
  readonly name?: string | undefined
  /** How often the worker says that it is there, in milliseconds. Default 5,000. */
  readonly announceEveryMs?: number | undefined
  /** The user that may ask for health over `$SRV`. Default: whoever the server lets ask. */
  readonly monitor?: string | undefined
  /** What `$SRV.INFO` shows. Default `"0.0.0"`: the version of this service is the host's. */
  readonly version?: string | undefined
}

/** How a worker is, in counts since it began. */
export interface WorkerHealth {
  readonly name: string
  readonly status: "up" | "down" | "draining" | "closed"
  /** Operations that are served. */
  readonly operations: number
  readonly inFlight: number
  readonly queued: number
  /** Calls that a handler ended, and those of them that ended with an error. */
  readonly served: number
  readonly failed: number
  /** Calls that no handler was asked for: unknown, denied, late, too many. */
  readonly refused: number
  /** Messages that nobody could be answered for. */
  readonly misread: number
  /** Milliseconds from arrival to answer, on average. */
  readonly averageMs: number
  /** Epoch milliseconds. */
  readonly startedAt: number
}

/** A worker that serves. Drain it, or close it. */
export interface NATSWorker {
  readonly name: string
  /** What fits the patterns and cannot be served, and why. */
  readonly unserved: readonly UnservedOperation[]
  health(): WorkerHealth
  /** Takes no new calls, waits for those in flight at most so many milliseconds (default 30,000), and closes. */
  drain(timeoutMs?: number): Promise<void>
  /** Ends at once: calls in flight end with their outcome unknown. The connection stays open. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves operations of a registry on a NATS server; resolves when calls can come.
 *
 * @throws CallError CONFIGURATION_ERROR where `identify` or `expose` is missing, a name is no token, or the server refuses a subscription.
 */
export async function serve(options: ServeOptions): Promise<NATSWorker> {
  const { registry, connection, identify, expose, name = randomName(), announceEveryMs = 5_000, monitor, version = "0.0.0", ...rest } = options
  // Callers without types: without an answer to this nobody can be let in.
  if (typeof identify !== "function") {
    throw new CallError("CONFIGURATION_ERROR", "A worker must be told who its callers are", { details: { remedy: "give identify: (caller, token) => identity or undefined" } })
  }
  const { headers } = await loadClient()
  const exposed = new Exposed(registry, expose)
  const subjects = new Subjects(options.prefix)
  let tell = (): void => undefined
  let served: NATSServedCalls | undefined
  const { concurrency, maxQueued, maxPerCaller, ...wire } = rest
  const transport = await createNATSTransport({
    ...wire,
    connection,
    worker: {
      name,
      identify,
      namespaces: () => exposed.namespaces(),
      onNamespaces: (listener) => exposed.onChange(listener),
      admits: (operationId, digest) => {
        const own = exposed.digestOf(operationId)
        return own !== undefined && (digest === undefined || digest === own)
      },
      onDiscover: () => tell(),
      concurrency,
      maxQueued,
      maxPerCaller,
    },
  })
  const stops: (() => unknown)[] = [() => exposed.close(), () => transport.close()]
  try {
    // The registry's own serve: what it gives here is this transport's.
    served = buildCallHandler({ registry, transport }) as NATSServedCalls
    const calls = served
    const catalogue = serveCatalogue({ connection, subjects, name, exposed, identify })
    stops.unshift(() => catalogue.stop())
    const services = serveServices({
      connection,
      subjects,
      name,
      monitor,
      version,
      headers,
      metadata: () => ({ proto: "1", worker: name, catalogHash: exposed.hash, count: String(exposed.count) }),
      stats: () => ({ requests: calls.load.served, errors: calls.load.failed, lastError: calls.load.lastError, processingMs: calls.load.busyMs }),
    })
    stops.unshift(() => services.stop())
    await calls.ready()
    const announcer = announce({
      connection,
      subjects,
      name,
      exposed,
      load: () => ({ inFlight: calls.inFlight, queued: calls.queued, concurrency: concurrency ?? 256 }),
      everyMs: announceEveryMs,
    })
    tell = () => announcer.now()
    stops.unshift(() => announcer.stop())
    return new Worker(name, exposed, calls, () => transport.status, stops)
  } catch (error) {
    for (const stop of stops) await stop()
    throw error
  }
}

class Worker implements NATSWorker {
  readonly name: string
  readonly #exposed: Exposed
  readonly #calls: NATSServedCalls
  readonly #status: () => "up" | "down"
  readonly #stops: readonly (() => unknown)[]
  #phase: "serving" | "draining" | "closed" = "serving"

  constructor(name: string, exposed: Exposed, calls: NATSServedCalls, status: () => "up" | "down", stops: readonly (() => unknown)[]) {
    this.name = name
    this.#exposed = exposed
    this.#calls = calls
    this.#status = status
    this.#stops = stops
  }

  get unserved(): readonly UnservedOperation[] {
    return this.#exposed.unserved
  }

  health(): WorkerHealth {
    const { load, inFlight, queued } = this.#calls
    return {
      name: this.name,
      status: this.#phase === "serving" ? this.#status() : this.#phase,
      operations: this.#exposed.count,
      inFlight,
      queued,
      served: load.served,
      failed: load.failed,
      refused: load.refused,
      misread: load.misread,
      averageMs: load.served === 0 ? 0 : load.busyMs / load.served,
      startedAt: load.startedAt.getTime(),
    }
  }

  async drain(timeoutMs = 30_000): Promise<void> {
    if (this.#phase !== "serving") return
    this.#phase = "draining"
    const [announcer, ...rest] = this.#stops
    // First of all mirrors hear of it: they send nothing here any more.
    announcer?.()
    await this.#calls.drain(timeoutMs)
    for (const stop of rest) await stop()
    this.#phase = "closed"
  }

  async close(): Promise<void> {
    if (this.#phase === "closed") return
    this.#phase = "closed"
    for (const stop of this.#stops) await stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function randomName(): string {
  return `w${Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
