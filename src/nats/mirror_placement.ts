/**
 * Keeps the operations of workers in a registry that may hold local ones, too.
 *
 * In: ids whose counting definition has changed. Out: one change of the registry for all of them.
 * Local operations win: ours yield to whatever else is registered, and come back when that has gone. One that the host itself takes out
 * stays out until its definition changes.
 */
import { operationId, type AnyOperation, type OperationSpec } from "../operation.js"
import type { OperationRegistry, RegistryChange } from "../registry.js"

/** The place of a mirror's operations in a registry. */
export class MirrorPlacement {
  readonly #registry: OperationRegistry
  readonly #kept: (id: string) => AnyOperation | undefined
  readonly #placed = new Map<string, OperationSpec>()
  readonly #unhear: () => void
  readonly #back = new Set<string>()
  #working = false

  constructor(registry: OperationRegistry, kept: (id: string) => AnyOperation | undefined) {
    this.#registry = registry
    this.#kept = kept
    this.#unhear = registry.onChange((change) => this.#heard(change))
  }

  /** Brings the registry to what counts now for these ids. */
  update(ids: Iterable<string>): void {
    const before: string[] = []
    const operations: AnyOperation[] = []
    for (const id of ids) {
      const isOurs = this.#isOurs(id)
      const operation = this.#kept(id)
      if (isOurs) before.push(id)
      if (operation !== undefined && (isOurs || this.#registry.getSpec(id) === undefined)) {
        operations.push(operation)
        this.#placed.set(id, operation)
      } else this.#placed.delete(id)
    }
    if (before.length + operations.length === 0) return
    this.#working = true
    try {
      this.#registry.replaceAll(before, operations, { yields: true })
    } finally {
      this.#working = false
    }
  }

  /** Takes everything out that is ours. */
  close(): void {
    this.#unhear()
    const ours = [...this.#placed.keys()].filter((id) => this.#isOurs(id))
    this.#placed.clear()
    this.#registry.replaceAll(ours, [])
  }

  #isOurs(id: string): boolean {
    const placed = this.#placed.get(id)
    return placed !== undefined && this.#registry.getSpec(id) === placed
  }

  #heard({ removed, changed }: RegistryChange): void {
    if (this.#working) return
    for (const { before } of changed) this.#forget(before)
    for (const spec of removed) {
      if (this.#forget(spec)) continue
      const id = operationId(spec)
      if (this.#kept(id) === undefined) continue
      // Not within the change itself: other listeners would hear of its end before they hear of it.
      if (this.#back.size === 0) queueMicrotask(() => this.#comeBack())
      this.#back.add(id)
    }
  }

  #forget(spec: OperationSpec): boolean {
    const id = operationId(spec)
    return this.#placed.get(id) === spec && this.#placed.delete(id)
  }

  #comeBack(): void {
    const ids = [...this.#back]
    this.#back.clear()
    this.update(ids)
  }
}
