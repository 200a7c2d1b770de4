/**
 * Reads the whole catalogue of a worker: pages, one after the other, within limits.
 *
 * In: a way to ask for a page. Out: definitions with the digests that were worked out here, and what could not be read.
 * Nothing a worker says of its operations is taken on trust but their text; an operation that cannot be read costs itself, a worker that
 * passes a limit its whole catalogue.
 */
import { jsonDigest } from "../drift.js"
import { CallError, toCallError } from "../error.js"
import { OperationSpecJSON, operationId, specFromJSON, type OperationSpec } from "../operation.js"
import { isObject } from "../schema.js"
import { isCatalogueHash } from "./announcement.js"
import { fromWireCode } from "./codes.js"
import { Misread, readMessage } from "./frames.js"

/** How much of one worker is read at most. */
export interface CatalogueLimits {
  readonly maxPages: number
  readonly maxBytes: number
  readonly maxOperations: number
}

/** An operation of a catalogue. */
interface ListedOperation {
  readonly id: string
  readonly digest: string
  readonly spec: OperationSpec
}

/** What a worker lists. */
export interface Catalogue {
  readonly hash: string
  /** True where the hash is that of exactly these operations: the worker showed all that it serves. */
  readonly isWhole: boolean
  readonly operations: readonly ListedOperation[]
  /** The first hundred of those that could not be read. */
  readonly unread: readonly { readonly operationId: string | undefined; readonly error: CallError }[]
}

const MAX_RESTARTS = 5
const MAX_CURSOR = 4 * 1024
const MAX_UNREAD = 100
const MEMBERS = Object.keys(OperationSpecJSON.properties)

/** Reads the catalogue of a worker. @throws CallError RESOURCE_EXHAUSTED for a limit that is passed, PROTOCOL_ERROR for no page, or the worker's own */
export async function readCatalogue(
  worker: string,
  ask: (cursor: string | undefined) => Promise<Uint8Array>,
  limits: CatalogueLimits,
  isCallable: (id: string) => boolean,
): Promise<Catalogue> {
  let reading = new Reading(worker, isCallable)
  let bytes = 0
  let cursor: string | undefined
  for (let pages = 0, restarts = 0; pages < limits.maxPages; pages++) {
    const data = await ask(cursor)
    bytes += data.length
    if (bytes > limits.maxBytes) throw passed(worker, "bytes", limits.maxBytes)
    const page = readPage(worker, data)
    if (cursor !== undefined && page.hash !== reading.hash) {
      if (++restarts > MAX_RESTARTS) throw new CallError("RESOURCE_EXHAUSTED", `The catalogue of "${worker}" changes faster than it can be read`, { details: { worker, outcome: "unknown" } })
      reading = new Reading(worker, isCallable)
      cursor = undefined
      continue
    }
    reading.add(page)
    if (reading.size > limits.maxOperations) throw passed(worker, "operations", limits.maxOperations)
    if (page.next === undefined) return reading.end()
    cursor = page.next
  }
  throw passed(worker, "pages", limits.maxPages)
}

interface Page {
  readonly hash: string
  readonly operations: readonly unknown[]
  readonly skipped: readonly unknown[]
  readonly next: string | undefined
}

class Reading {
  hash = ""
  size = 0
  readonly #worker: string
  readonly #isCallable: (id: string) => boolean
  readonly #operations = new Map<string, ListedOperation>()
  readonly #unread: { operationId: string | undefined; error: CallError }[] = []

  constructor(worker: string, isCallable: (id: string) => boolean) {
    this.#worker = worker
    this.#isCallable = isCallable
  }

  add({ hash, operations, skipped }: Page): void {
    this.hash = hash
    this.size += operations.length + skipped.length
    for (const json of operations) this.#read(json)
    for (const each of skipped) this.#refuse(idIn(each, "operationId"), new CallError("RESOURCE_EXHAUSTED", `An operation of "${this.#worker}" is too large for a message of the NATS server`))
  }

  end(): Catalogue {
    const operations = [...this.#operations.values()]
    const pairs = operations.map(({ id, digest }) => [id, digest] as const).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    return { hash: this.hash, isWhole: jsonDigest(pairs) === this.hash, operations, unread: this.#unread }
  }

  #read(json: unknown): void {
    try {
      const wire = knownMembers(json)
      const spec = specFromJSON(wire)
      const id = operationId(spec)
      if (!this.#isCallable(id)) throw new CallError("CONFIGURATION_ERROR", `The id of an operation of "${this.#worker}" is too long for a subject`)
      if (this.#operations.has(id)) throw new CallError("CONFIGURATION_ERROR", `"${this.#worker}" lists "${id}" twice; the first one counts`)
      this.#operations.set(id, { id, digest: jsonDigest(wire), spec })
    } catch (thrown) {
      this.#refuse(idIn(json, "name"), toCallError(thrown))
    }
  }

  #refuse(operationId: string | undefined, error: CallError): void {
    if (this.#unread.length < MAX_UNREAD) this.#unread.push({ operationId, error })
  }
}

function readPage(worker: string, data: Uint8Array): Page {
  const none = (why: string) => new CallError("PROTOCOL_ERROR", `A page of the catalogue of "${worker}" cannot be read: ${why}`, { details: { worker, outcome: "unknown" } })
  const message = readMessage(data)
  if (message instanceof Misread) throw none(message.why)
  const { error, worker: from, hash, operations, skipped = [], next } = message
  if (error !== undefined) throw errorOf(worker, error)
  if (from !== worker) throw none("another worker speaks in it")
  if (!isCatalogueHash(hash)) throw none("its hash is none")
  if (!Array.isArray(operations) || !Array.isArray(skipped)) throw none("it has no list of operations")
  if (next !== undefined && (typeof next !== "string" || next.length > MAX_CURSOR)) throw none("its cursor is none")
  return { hash, operations, skipped, next }
}

function errorOf(worker: string, error: unknown): CallError {
  const code = isObject(error) && typeof error["code"] === "string" ? error["code"] : "UNKNOWN_ERROR"
  // A worker's own codes are none that a mirror could know.
  const known = fromWireCode({ code: code.slice(0, 64) })
  return new CallError(known, `"${worker}" does not show its catalogue: it answered ${known}`, { details: { worker, outcome: "failed" } })
}

/** What a wire form does not know has no part in the digest, as at the worker. */
function knownMembers(json: unknown): unknown {
  if (!isObject(json)) return json
  return Object.fromEntries(MEMBERS.filter((member) => Object.hasOwn(json, member)).map((member) => [member, json[member]]))
}

function idIn(value: unknown, member: string): string | undefined {
  const name = isObject(value) ? value[member] : undefined
  if (!isObject(value) || typeof name !== "string") return undefined
  const { namespace } = value
  return (typeof namespace === "string" ? `${namespace}.${name}` : name).slice(0, 200)
}

function passed(worker: string, what: string, limit: number): CallError {
  return new CallError("RESOURCE_EXHAUSTED", `The catalogue of "${worker}" has more than ${String(limit)} ${what}; none of its operations is mirrored`, { details: { worker, limit, outcome: "failed" } })
}
