/**
 * Which worker holds which definition of an operation, which definition counts, and where a call of it goes.
 *
 * In: what each worker lists. Out: for each id the definition that has been seen longest, the workers that hold it, and those that hold
 * another one. Pure bookkeeping: knows no messages and no time.
 * A worker can add definitions and never displace one: what came first stays until the last worker that holds it has gone.
 */
import type { AnyOperation } from "../operation.js"
import type { CallDestination } from "./caller_end.js"

/** One definition of an operation: the id stands for many, the digest for one. */
export interface Definition {
  readonly id: string
  readonly digest: string
  readonly operation: AnyOperation
  /** Names of the workers that hold it. */
  readonly holders: string[]
  /** True once a worker has answered a call of it. */
  proven: boolean
  /** Where a call goes when every worker of the namespace holds it. */
  readonly anywhere: CallDestination
}

/** An operation that workers define differently. */
export interface RemoteConflict {
  readonly operationId: string
  /** The definition that counts: it has been seen longest. */
  readonly kept: { readonly digest: string; readonly workers: readonly string[] }
  /** The others, whose workers get no calls of it. */
  readonly refused: readonly { readonly digest: string; readonly workers: readonly string[] }[]
}

/** What changed: ids whose counting definition is another one now, and ids about which workers have begun to disagree. */
export interface DefinitionChange {
  readonly changed: ReadonlySet<string>
  readonly conflicting: readonly string[]
}

/** All definitions of all workers. */
export class MirroredDefinitions {
  /** Those of an id in the order in which they were seen. The first one counts. */
  readonly #byId = new Map<string, Definition[]>()
  readonly #byWorker = new Map<string, ReadonlyMap<string, Definition>>()
  readonly #namespaces = new Map<string, Set<string>>()
  readonly #conflicting = new Set<string>()
  readonly #avoided = new Set<string>()
  #turn = 0

  /** The definition of an id with a digest, where some worker holds it. */
  find(id: string, digest: string): Definition | undefined {
    return this.#byId.get(id)?.find((definition) => definition.digest === digest)
  }

  /** The definition that counts. */
  kept(id: string): Definition | undefined {
    return this.#byId.get(id)?.[0]
  }

  ids(): IterableIterator<string> {
    return this.#byId.keys()
  }

  /** What a worker holds. */
  heldBy(worker: string): ReadonlyMap<string, Definition> | undefined {
    return this.#byWorker.get(worker)
  }

  /** A worker holds these from now on, and nothing else. */
  set(worker: string, definitions: Iterable<Definition>): DefinitionChange {
    const before = this.#byWorker.get(worker)
    const changed = new Set<string>()
    const conflicting: string[] = []
    // Two catalogues that are read at the same time bring the same definition twice.
    const now = new Map(Array.from(definitions, (each) => [each.id, this.find(each.id, each.digest) ?? each]))
    for (const [id, definition] of before ?? []) if (now.get(id) !== definition) this.#release(worker, definition, changed)
    for (const [id, definition] of now) {
      if (before?.get(id) === definition) continue
      definition.holders.push(worker)
      const known = this.#byId.get(id)
      if (known === undefined) {
        this.#byId.set(id, [definition])
        changed.add(id)
      } else if (!known.includes(definition)) known.push(definition)
      if ((this.#byId.get(id)?.length ?? 0) > 1 && !this.#conflicting.has(id)) {
        this.#conflicting.add(id)
        conflicting.push(id)
      }
    }
    if (now.size === 0) this.#byWorker.delete(worker)
    else this.#byWorker.set(worker, now)
    this.#setNamespaces(worker, now)
    return { changed, conflicting }
  }

  /** A worker holds nothing any more. */
  drop(worker: string): DefinitionChange {
    return this.set(worker, [])
  }

  conflicts(): RemoteConflict[] {
    return Array.from(this.#conflicting, (operationId) => {
      const [kept, ...refused] = (this.#byId.get(operationId) ?? []).map(({ digest, holders }) => ({ digest, workers: [...holders] }))
      return { operationId, kept: kept ?? { digest: "", workers: [] }, refused }
    })
  }

  /**
   * Where a call goes: to whichever worker serves the namespace where all of those hold the definition that counts, else to one of its
   * holders in turn. The digest goes with the call, so that a worker which has changed meanwhile refuses it unstarted.
   * With `isAlive`, to a holder of which that is true and which has not refused before, where there is one.
   */
  route(id: string, isAlive?: (worker: string) => boolean): CallDestination | undefined {
    const kept = this.kept(id)
    if (kept === undefined) return undefined
    const { holders, digest } = kept
    const isAnywhere = holders.length === this.#namespaces.get(kept.operation.namespace)?.size
    if (isAnywhere && isAlive === undefined) return kept.anywhere
    for (let tries = 0; tries < holders.length; tries++) {
      const worker = holders[this.#turn++ % holders.length]
      if (worker !== undefined && !this.#avoided.has(`${worker} ${id}`) && isAlive?.(worker) !== false) return { worker, digest }
    }
    return isAnywhere ? kept.anywhere : { worker: holders[this.#turn % holders.length], digest }
  }

  /** A worker that said it holds an operation did not take a call of it, or lost one: others are asked first until `forgive`. */
  avoid(worker: string, id: string): void {
    if (this.#avoided.size < 10_000) this.#avoided.add(`${worker} ${id}`)
  }

  forgive(worker: string, id: string): void {
    this.#avoided.delete(`${worker} ${id}`)
  }

  /**
   * Nobody listens where a worker should take calls of an operation that it says it holds. True where its definition has given way: it was
   * the one that counts, no worker has ever answered a call of it, and there is another. Without that, whoever announces an id first
   * could keep everybody from it, though the server would never let it serve a call.
   */
  giveWay(worker: string, id: string): boolean {
    const definitions = this.#byId.get(id)
    const kept = definitions?.[0]
    if (definitions === undefined || kept === undefined || definitions.length < 2 || kept.proven || !kept.holders.includes(worker)) return false
    if (!kept.holders.every((holder) => this.#avoided.has(`${holder} ${id}`))) return false
    definitions.push(...definitions.splice(0, 1))
    return true
  }

  #release(worker: string, definition: Definition, changed: Set<string>): void {
    const { id, holders } = definition
    holders.splice(holders.indexOf(worker), 1)
    if (holders.length > 0) return
    const known = this.#byId.get(id) ?? []
    const at = known.indexOf(definition)
    known.splice(at, 1)
    if (at === 0) changed.add(id)
    if (known.length === 0) this.#byId.delete(id)
    if (known.length < 2) this.#conflicting.delete(id)
  }

  #setNamespaces(worker: string, definitions: ReadonlyMap<string, Definition>): void {
    const now = new Set<string>()
    for (const { operation } of definitions.values()) now.add(operation.namespace)
    for (const [namespace, workers] of this.#namespaces) {
      if (now.has(namespace) || !workers.delete(worker)) continue
      if (workers.size === 0) this.#namespaces.delete(namespace)
    }
    for (const namespace of now) {
      const workers = this.#namespaces.get(namespace)
      if (workers === undefined) this.#namespaces.set(namespace, new Set([worker]))
      else workers.add(worker)
    }
  }
}
