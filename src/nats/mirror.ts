/**
 * Follows what workers say of themselves and keeps their operations in a registry.
 *
 * In: announcements and catalogues. Out: definitions, the operations that stand for them, and reports of what is not as it should be.
 * Makes no calls: what an operation does when it is called, its maker decides. Whatever a worker writes costs that worker alone: its
 * message, its operation or its whole catalogue.
 */
import { CallError } from "../error.js"
import type { AnyOperation, OperationSpec } from "../operation.js"
import type { OperationRegistry } from "../registry.js"
import { readAnnouncement } from "./announcement.js"
import type { CallDestination } from "./caller_end.js"
import { CatalogueClient } from "./catalogue_client.js"
import { readCatalogue, type CatalogueLimits } from "./catalogue_reader.js"
import type { NATSConnection, NATSMessage, NATSSubscription } from "./connection.js"
import { Misread, writeControl } from "./frames.js"
import { MirrorPlacement } from "./mirror_placement.js"
import { MirroredDefinitions, type Definition, type DefinitionChange } from "./mirrored_definitions.js"
import { MirroredWorkers, type MirroredCatalogue, type MirroredWorker, type MirroredWorkersHome } from "./mirrored_workers.js"
import type { RemoteReport } from "./remote_report.js"
import type { Subjects } from "./subjects.js"

/** What a mirror is made with. */
export interface MirrorOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly caller: string
  readonly token: () => string | undefined
  readonly registry: OperationRegistry
  readonly limits: CatalogueLimits & { readonly maxWorkers: number }
  readonly announceEveryMs: number
  /** The operation that stands for a spec. */
  readonly toOperation: (id: string, spec: OperationSpec) => AnyOperation
  readonly report: (report: RemoteReport) => void
  readonly onChange: (ids: ReadonlySet<string>) => void
}

const PAGE_MS = 5_000
/** After so long a worker that did not take a call is asked again as before. */
const FORGIVE_MS = 5_000
const CATALOGUE_MS = 30_000

/** The mirror of all workers of a system. */
export class Mirror implements MirroredWorkersHome {
  readonly definitions = new MirroredDefinitions()
  readonly workers: MirroredWorkers
  readonly #options: MirrorOptions
  readonly #client: CatalogueClient
  readonly #placement: MirrorPlacement
  readonly #subscription: NATSSubscription
  #refused: Error | undefined

  constructor(options: MirrorOptions) {
    this.#options = options
    const { connection, subjects, caller, token } = options
    this.workers = new MirroredWorkers(this, options.announceEveryMs, options.limits.maxWorkers)
    this.#placement = new MirrorPlacement(options.registry, (id) => this.definitions.kept(id)?.operation)
    this.#client = new CatalogueClient({ connection, subjects, caller, token })
    this.#subscription = connection.subscribe(subjects.announcements(), {
      callback: (error, message) => {
        // A throw in a callback makes the whole connection deaf for good.
        try {
          if (error === null) this.#heard(message)
          else this.#refused = error
        } catch {
          // The host's own function threw; the next announcement is heard.
        }
      },
    })
  }

  /** What the server said to the subscription, where it refused it. */
  get refusal(): Error | undefined {
    return this.#refused
  }

  /** Asks all workers to announce themselves now. */
  discover(): void {
    const { connection, subjects, caller } = this.#options
    try {
      connection.publish(subjects.controlAll(caller), writeControl({ t: "discover" }))
    } catch {
      // A closed connection: announcements do not come either, and calls say why.
    }
  }

  /** Announcements can be heard again, or not. */
  listening(isListening: boolean): void {
    this.workers.listening(isListening)
    if (isListening) this.discover()
  }

  async read({ name, announcement }: MirroredWorker): Promise<MirroredCatalogue> {
    const { subjects, caller, limits } = this.#options
    const twin = this.#twinOf(name, announcement.hash)
    if (twin !== undefined) return twin
    const until = Date.now() + CATALOGUE_MS
    const ask = (cursor: string | undefined) => {
      const left = until - Date.now()
      if (left > 0) return this.#client.ask(name, cursor, Math.min(PAGE_MS, left))
      throw new CallError("TIMEOUT", `The catalogue of "${name}" took longer than ${String(CATALOGUE_MS)} ms`, { details: { worker: name, outcome: "unknown" } })
    }
    const { operations, ...rest } = await readCatalogue(name, ask, limits, (id) => subjects.callTo(name, caller, id) !== undefined)
    return { ...rest, definitions: operations.map(({ id, digest, spec }) => this.definitions.find(id, digest) ?? this.#define(id, digest, spec)) }
  }

  took({ name }: MirroredWorker, { definitions, unread }: MirroredCatalogue): void {
    this.#apply(name, this.definitions.set(name, definitions))
    const { report } = this.#options
    for (const { operationId, error } of unread) {
      report({ kind: "operation", worker: name, operationId, message: `An operation of "${name}" is left out: ${error.message}` })
    }
  }

  failed({ name }: MirroredWorker, error: CallError): void {
    const passedALimit = error.code === "RESOURCE_EXHAUSTED" && error.details["limit"] !== undefined
    if (passedALimit) this.#apply(name, this.definitions.drop(name))
    this.#options.report({ kind: "catalogue", worker: name, message: error.message })
  }

  left({ name }: MirroredWorker): void {
    this.#apply(name, this.definitions.drop(name))
  }

  refused(name: string): void {
    const { maxWorkers } = this.#options.limits
    this.#options.report({ kind: "limit", worker: name, message: `"${name}" is not mirrored: ${String(maxWorkers)} workers are known already` })
  }

  /** Where a call goes; `since`: a worker was lost that had it then, and one that has been heard after it is better. */
  route(id: string, since: number | undefined): CallDestination | undefined {
    return this.definitions.route(id, since === undefined ? undefined : (worker) => this.workers.wasHeardAfter(worker, since))
  }

  /** A worker did not take a call, or lost it. */
  wasRefused(worker: string, id: string, isAbsent: boolean): void {
    this.definitions.avoid(worker, id)
    setTimeout(() => this.definitions.forgive(worker, id), FORGIVE_MS).unref()
    if (!isAbsent || !this.definitions.giveWay(worker, id)) return
    this.#apply(worker, { changed: new Set([id]), conflicting: [] })
    this.#options.report({ kind: "conflict", worker, operationId: id, message: `"${worker}" says that it serves "${id}", and no call reaches it there: the definition of others counts now` })
  }

  close(): void {
    this.#subscription.unsubscribe()
    this.workers.close()
    this.#client.close()
    this.#placement.close()
  }

  #heard(message: NATSMessage): void {
    const { subjects, report } = this.#options
    const announcement = readAnnouncement(message, subjects)
    if (!(announcement instanceof Misread)) return this.workers.heard(announcement)
    const worker = subjects.lastToken(message.subject).slice(0, 100)
    report({ kind: "announcement", worker, message: `An announcement of "${worker}" was ignored: ${announcement.why}` })
  }

  /** A hash that is proven to be that of a list stands for this list, whoever announces it: a thousand equal workers are read once. */
  #twinOf(name: string, hash: string): MirroredCatalogue | undefined {
    for (const other of this.workers) {
      const held = other.name !== name && other.isWhole && other.hash === hash ? this.definitions.heldBy(other.name) : undefined
      if (held !== undefined) return { hash, isWhole: true, definitions: [...held.values()], unread: [] }
    }
    return undefined
  }

  #define(id: string, digest: string, spec: OperationSpec): Definition {
    return { id, digest, operation: this.#options.toOperation(id, spec), holders: [], proven: false, anywhere: { digest } }
  }

  #apply(worker: string, { changed, conflicting }: DefinitionChange): void {
    if (changed.size > 0) {
      this.#placement.update(changed)
      this.#options.onChange(changed)
    }
    for (const operationId of conflicting) {
      const message = `"${worker}" defines "${operationId}" in another way than the workers that were there before: it gets no calls of it`
      this.#options.report({ kind: "conflict", worker, operationId, message })
    }
  }
}
