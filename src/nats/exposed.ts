/**
 * The part of a registry that a worker serves: what fits its patterns and can be said in JSON.
 *
 * In: a registry and id patterns. Out: which operations are served, their digests, one hash over all of them, and word of changes.
 * Nothing is converted: wire forms of MCP operations are kept with them. A digest is worked out once a spec, whoever asks, and a
 * change of the registry costs what changed; many changes of one turn are told as one.
 */
import { jsonDigest, operationDigest } from "../drift.js"
import { CallError, toCallError } from "../error.js"
import { matchesOperationId, operationId, parseOperationId, type Identity, type OperationSpec } from "../operation.js"
import type { OperationRegistry, RegistryChange } from "../registry.js"
import { decodeToken, encodeToken } from "./subjects.js"

/** An operation that fits the patterns and cannot be served, and why. */
export interface UnservedOperation {
  readonly operationId: string
  readonly error: CallError
}

/** Room for the prefix, the worker and the caller is left within the longest subject. */
const MAX_ID_TOKENS = 384

// By spec and not by id: a changed operation is another spec.
const judged = new WeakMap<OperationSpec, { readonly digest: string } | { readonly error: CallError }>()

/** The operations that a worker serves. Close it when the worker ends. */
export class Exposed {
  readonly #registry: OperationRegistry
  readonly #patterns: readonly string[]
  readonly #specs = new Map<string, OperationSpec>()
  readonly #listeners = new Set<() => void>()
  readonly #unhear: () => void
  #summary: Summary | undefined
  #told: string
  #telling: ReturnType<typeof setTimeout> | undefined

  /** @throws CallError CONFIGURATION_ERROR where no pattern is given: nothing is served by default */
  constructor(registry: OperationRegistry, patterns: readonly string[]) {
    if (patterns.length === 0) {
      throw new CallError("CONFIGURATION_ERROR", "Nothing is exposed: name the operations to serve", {
        details: { remedy: `give patterns of ids, such as "fs.*" or "fs.read_file"` },
      })
    }
    this.#registry = registry
    this.#patterns = patterns
    for (const spec of registry.getAllSpecs()) this.#add(spec)
    this.#unhear = registry.onChange((change) => this.#changed(change))
    this.#told = this.hash
  }

  /** One SHA-256 over the sorted ids and digests of all that is served: it changes with any of them. */
  get hash(): string {
    return this.#all().hash
  }

  /** How many operations are served. */
  get count(): number {
    return this.#all().count
  }

  /** What fits the patterns and is not served. */
  get unserved(): readonly UnservedOperation[] {
    return this.#all().unserved
  }

  /** The namespaces in which something is served. */
  namespaces(): ReadonlySet<string> {
    return this.#all().namespaces
  }

  /** True for an operation that is served. */
  has(operationId: string): boolean {
    return this.digestOf(operationId) !== undefined
  }

  /** The digest of an operation that is served; undefined for any other. */
  digestOf(operationId: string): string | undefined {
    const spec = this.#specs.get(operationId)
    if (spec === undefined) return undefined
    const found = judge(operationId, spec)
    return "digest" in found ? found.digest : undefined
  }

  /** The specs that are served and that the identity may run. */
  async visibleTo(identity: Identity | undefined): Promise<OperationSpec[]> {
    const visible = await this.#registry.visibleTo(identity)
    return visible.filter((spec) => this.has(operationId(spec)))
  }

  /** Calls the listener when `hash` has changed; gives the function that takes it away. What a listener throws is ignored. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Hears no more of its registry. */
  close(): void {
    this.#unhear()
    this.#listeners.clear()
    clearTimeout(this.#telling)
  }

  #add(spec: OperationSpec): void {
    const id = operationId(spec)
    if (this.#patterns.some((pattern) => matchesOperationId(pattern, id))) this.#specs.set(id, spec)
  }

  #changed({ added, removed, changed }: RegistryChange): void {
    for (const spec of removed) this.#specs.delete(operationId(spec))
    for (const spec of added) this.#add(spec)
    for (const { after } of changed) this.#add(after)
    this.#summary = undefined
    this.#telling ??= setTimeout(() => this.#tell(), 0)
  }

  #tell(): void {
    this.#telling = undefined
    if (this.hash === this.#told) return
    this.#told = this.hash
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch {
        // A listener's fault is its own: what is served has changed all the same.
      }
    }
  }

  #all(): Summary {
    return (this.#summary ??= summaryOf(this.#specs))
  }
}

interface Summary {
  readonly hash: string
  readonly count: number
  readonly namespaces: ReadonlySet<string>
  readonly unserved: readonly UnservedOperation[]
}

function summaryOf(specs: ReadonlyMap<string, OperationSpec>): Summary {
  const digests: [string, string][] = []
  const namespaces = new Set<string>()
  const unserved: UnservedOperation[] = []
  for (const [id, spec] of specs) {
    const found = judge(id, spec)
    if ("digest" in found) {
      digests.push([id, found.digest])
      namespaces.add(spec.namespace)
    } else unserved.push({ operationId: id, error: found.error })
  }
  digests.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return { hash: jsonDigest(digests), count: digests.length, namespaces, unserved }
}

function judge(id: string, spec: OperationSpec): { readonly digest: string } | { readonly error: CallError } {
  const known = judged.get(spec)
  if (known !== undefined) return known
  const found = digestOf(id, spec)
  judged.set(spec, found)
  return found
}

function digestOf(id: string, spec: OperationSpec): { readonly digest: string } | { readonly error: CallError } {
  const { namespace, name } = parseOperationId(id) ?? { namespace: "", name: id }
  const token = encodeToken(name)
  const length = namespace.length + token.length
  if (length > MAX_ID_TOKENS) {
    return { error: localOnly(id, `its id takes ${String(length)} bytes of a subject, and ${String(MAX_ID_TOKENS)} are possible`, "give it a shorter name") }
  }
  // Half a surrogate pair has no UTF-8 form: it would arrive as another name.
  if (decodeToken(token) !== name) return { error: localOnly(id, "its name cannot be said in UTF-8", "give it another name") }
  try {
    return { digest: operationDigest(spec) }
  } catch (thrown) {
    return { error: toCallError(thrown) }
  }
}

function localOnly(id: string, why: string, remedy: string): CallError {
  const shown = id.length > 80 ? `${id.slice(0, 80)}…` : id
  return new CallError("CONFIGURATION_ERROR", `"${shown}" is local only: ${why}`, { details: { operationId: id, remedy } })
}
