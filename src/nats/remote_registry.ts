/**
 * The operations of all workers, here: found by their announcements, called over NATS, and gone when their workers are.
 *
 * In: a connection and a registry to put them in. Out: operations that look and answer like local ones.
 * A worker decides who may run what and whether an input fits; here nothing is checked before a call is sent, so that nothing is
 * converted for it. What comes back is checked: a worker is not trusted to keep to its own schemas.
 */
import { PendingRequestMap } from "../call.js"
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import { markValidatesInput, type AnyOperation, type OperationContext, type OperationSpec } from "../operation.js"
import { OperationRegistry, nearestIds, type CallTarget } from "../registry.js"
import type { SchemaIssue } from "../schema.js"
import type { AnnouncedLoad } from "./announcer.js"
import { ArrivalCheck } from "./arrival_check.js"
import type { CallDestination } from "./caller_end.js"
import { CallAgain } from "./call_again.js"
import { flushed } from "./flushed.js"
import { Mirror } from "./mirror.js"
import type { RemoteConflict } from "./mirrored_definitions.js"
import type { RemoteRegistryOptions } from "./remote_options.js"
import { reportOnce, type RemoteReport } from "./remote_report.js"
import { RemoteSubscription } from "./remote_subscription.js"
import { Subjects, tokenOrThrow } from "./subjects.js"
import { createNATSTransport, type NATSTransport } from "./transport.js"

/** A worker that is there. */
export interface RemoteWorker {
  readonly name: string
  readonly catalogHash: string
  /** How many operations it serves, by its own word. */
  readonly count: number
  /** How many of them this caller sees. */
  readonly operations: number
  readonly load: AnnouncedLoad
  /** When it was heard last, in epoch milliseconds. */
  readonly heardAt: number
}

const CALL_MS = 60_000
const LISTENING_STEP_MS = 50
/** Catalogues that are not there by then come later. */
const FIRST_CATALOGUES_MS = 5_000

/**
 * Mirrors the operations of all workers. Resolves when the workers that answered within `discoverMs` have shown their catalogues; others
 * are taken in when they are heard. Close it when it is no longer used; the connection stays open.
 *
 * @throws CallError CONFIGURATION_ERROR for a name that is no token, without the client package, or where the server does not let the
 * caller hear announcements or its own answers.
 */
export async function createRemoteRegistry(options: RemoteRegistryOptions): Promise<RemoteRegistry> {
  const { connection, caller, discoverMs = 500 } = options
  tokenOrThrow(caller, "a caller")
  const transport = await createNATSTransport({
    ...options,
    // Asked when a call is opened, and by then there is one.
    route: (operationId) => remote.route(operationId),
    answered: (requestId, worker) => remote.answered(requestId, worker),
  })
  const remote = new RemoteRegistry(options, transport)
  try {
    await remote.begin(connection.isClosed() || transport.status === "down" ? undefined : () => flushed(connection), discoverMs)
  } catch (error) {
    await remote.close()
    throw error
  }
  return remote
}

/** The operations of all workers. Made by `createRemoteRegistry`. */
export class RemoteRegistry implements CallTarget {
  /** Where the operations are registered, beside the host's own, which win. */
  readonly registry: OperationRegistry
  readonly #caller: string
  readonly #mirror: Mirror
  readonly #transport: ArrivalCheck
  readonly #map: PendingRequestMap
  readonly #again: CallAgain
  readonly #report: (report: RemoteReport) => void
  readonly #timeoutMs: number
  readonly #misfits = new Map<string, number>()
  readonly #listeners = new Set<(ids: ReadonlySet<string>) => void>()
  readonly #unhear: () => void
  #routedTo: string | undefined
  /** Of the call that is being opened: when it was sent to a worker that was lost since. */
  #lostAt: number | undefined
  #closed = false

  /** Use `createRemoteRegistry`. @internal */
  constructor(options: RemoteRegistryOptions, transport: NATSTransport) {
    const { connection, caller, token, prefix, registry = new OperationRegistry(), trusted = false, announceEveryMs = 5_000, timeoutMs = CALL_MS } = options
    const { maxWorkers = 1_024, maxPages = 1_024, maxCatalogueBytes = 64 * 1024 * 1024, maxOperations = 100_000 } = options
    this.registry = registry
    this.#caller = caller
    this.#timeoutMs = timeoutMs
    this.#report = reportOnce(options.onReport)
    this.#mirror = new Mirror({
      connection,
      subjects: new Subjects(prefix),
      caller,
      token: typeof token === "function" ? token : () => token,
      registry,
      limits: { maxWorkers, maxPages, maxBytes: maxCatalogueBytes, maxOperations },
      announceEveryMs,
      toOperation: (id, spec) => this.#operationOf(id, spec),
      report: this.#report,
      onChange: (ids) => this.#changed(ids),
    })
    const { definitions } = this.#mirror
    this.#transport = new ArrivalCheck(transport, {
      definitionOf: (id) => definitions.kept(id),
      routedTo: () => this.#routedTo,
      onMisfit: (worker, id, issues) => this.#misfit(worker, id, issues),
    })
    this.#map = new PendingRequestMap({ transport: this.#transport, maxPending: options.maxPending, timeoutMs, window: options.window })
    this.#again = new CallAgain({
      isUp: () => transport.status === "up",
      isRepeatable: (id) => {
        const kept = definitions.kept(id)
        return kept !== undefined && isRepeatable(kept.operation) && kept.holders.some((worker) => trusts(trusted, worker))
      },
      onRefused: (worker, id, isAbsent) => this.#mirror.wasRefused(worker, id, isAbsent),
    })
    this.#unhear = transport.onStatus((status) => this.#mirror.listening(status === "up"))
  }

  /** Runs an operation of a worker, whatever is registered here under its id. @throws CallError always, never anything else */
  execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> {
    const refusal = this.#refusal(operationId)
    if (refusal !== undefined) return Promise.reject(refusal)
    return this.#again.run(operationId, context, this.#timeoutMs, (each, since) => {
      this.#lostAt = since
      return this.#map.execute(operationId, input, each)
    })
  }

  /** The envelopes of a worker's subscription; it is opened when the first one is asked for. @throws CallError from `next()` */
  subscribe(operationId: string, input?: unknown, context?: OperationContext): AsyncIterableIterator<ResponseEnvelope> {
    return new RemoteSubscription((attempt) => {
      const refusal = this.#refusal(operationId)
      if (refusal !== undefined) return Promise.reject(refusal)
      return this.#again.run(operationId, context, Infinity, (each, since) =>
        attempt(() => {
          this.#lostAt = since
          return this.#map.subscribe(operationId, input, each)
        }),
      )
    })
  }

  /** The ids of the operations of all workers. */
  list(): string[] {
    return [...this.#mirror.definitions.ids()]
  }

  /** The spec of a worker's operation; undefined where none has it. Its schemas are converted when they are read. */
  getSpec(operationId: string): OperationSpec | undefined {
    return this.#mirror.definitions.kept(operationId)?.operation
  }

  /** The workers that are there, in the order in which they were heard first. */
  workers(): RemoteWorker[] {
    return Array.from(this.#mirror.workers, ({ name, announcement: { hash, count, load }, heardAt }) => {
      return { name, catalogHash: hash, count, operations: this.#mirror.definitions.heldBy(name)?.size ?? 0, load, heardAt }
    })
  }

  /** The operations that workers define differently, and whose definition counts. */
  conflicts(): RemoteConflict[] {
    return this.#mirror.definitions.conflicts()
  }

  /** How many answers of each worker did not fit what they were said to fit. Workers without any are left out. */
  misfits(): ReadonlyMap<string, number> {
    return new Map(this.#misfits)
  }

  /** Calls the listener with the ids whose definition came, changed or went; gives the function that takes it away. */
  onChange(listener: (operationIds: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the operations out of the registry and ends what is open. The connection stays. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#unhear()
    this.#mirror.close()
    await this.#map.close()
    await this.#transport.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Where the transport sends a call. @internal */
  route(operationId: string): CallDestination | undefined {
    const destination = this.#mirror.route(operationId, this.#lostAt)
    this.#lostAt = undefined
    this.#routedTo = destination?.worker
    return destination
  }

  /** Who gave the answer that the transport hands on next. @internal */
  answered(requestId: string, worker: string): void {
    this.#transport.answered(requestId, worker)
  }

  /** Waits for the first workers. @internal */
  async begin(flush: (() => Promise<void>) | undefined, discoverMs: number): Promise<void> {
    if (flush === undefined) return
    await flush()
    const { refusal } = this.#mirror
    if (refusal !== undefined) {
      throw new CallError("CONFIGURATION_ERROR", `The NATS server does not let "${this.#caller}" hear the announcements of workers`, {
        details: { remedy: "give its user the permissions that `mcp-operations nats-config` prints" },
        cause: refusal,
      })
    }
    this.#mirror.discover()
    await listenFor(discoverMs)
    await Promise.race([this.#mirror.workers.quiet(), pause(FIRST_CATALOGUES_MS)])
  }

  #operationOf(id: string, spec: OperationSpec): AnyOperation {
    const handler =
      spec.type === "subscription"
        ? (input: unknown, context?: OperationContext) => this.subscribe(id, input, context)
        : (input: unknown, context?: OperationContext) => this.execute(id, input, context)
    // Not a spread: the spec computes its schemas when they are first read. The worker validates, always; a check here would be a second one.
    return Object.assign(spec, { handler: markValidatesInput(handler) })
  }

  #refusal(operationId: string): CallError | undefined {
    if (this.#closed) return new CallError("TRANSPORT_ERROR", `"${operationId}" was called on a closed remote registry`, { details: { operationId, outcome: "not_started" } })
    if (this.#mirror.definitions.kept(operationId) !== undefined) return undefined
    const nearest = nearestIds(operationId, this.list())
    const hint = nearest.length === 0 ? "" : `; did you mean ${nearest.map((each) => `"${each}"`).join(" or ")}?`
    return new CallError("OPERATION_NOT_FOUND", `No worker shows "${this.#caller}" an operation "${operationId}"${hint}`, { details: { operationId, nearest, outcome: "not_started" } })
  }

  #misfit(worker: string, operationId: string, issues: readonly SchemaIssue[]): void {
    this.#misfits.set(worker, (this.#misfits.get(worker) ?? 0) + 1)
    const first = issues[0]
    const where = first === undefined ? "" : ` at ${first.path === "" ? "the whole" : first.path}: ${first.message}`
    this.#report({ kind: "misfit", worker, operationId, message: `An answer of "${worker}" to "${operationId}" does not fit what it is said to fit${where}` })
  }

  #changed(ids: ReadonlySet<string>): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(ids)
      } catch {
        // A listener's fault is its own.
      }
    }
  }
}

/** Hints of an MCP server count here only because the host trusts the worker that passes them on. */
function isRepeatable({ type, annotations }: OperationSpec): boolean {
  return type === "query" || annotations?.["readOnlyHint"] === true || annotations?.["idempotentHint"] === true
}

function trusts(trusted: NonNullable<RemoteRegistryOptions["trusted"]>, worker: string): boolean {
  if (typeof trusted === "boolean") return trusted
  try {
    return trusted(worker)
  } catch {
    return false
  }
}

/** Waits in steps: a process that stands still hears nobody meanwhile, and that counts as one of them. */
async function listenFor(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= LISTENING_STEP_MS) await pause(Math.min(left, LISTENING_STEP_MS))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
