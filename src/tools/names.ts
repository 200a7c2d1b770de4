/**
 * Names of tools as model providers take them: at most 64 letters, digits, `_` and `-`.
 *
 * In: operation ids. Out: one name for each, the same whatever is listed beside it and in which order, and the way back.
 * `server__tool` wherever that says the id without doubt, that is where it splits at its first `__` into the very parts. Every other id
 * gets a readable head and a digest of itself; a head holds no `__`, so that the two kinds never meet.
 */
import { parseOperationId } from "../operation.js"
import { contentDigest } from "../schema.js"

/** How tools are named: `"qualified"` with their server, `"short"` without it wherever the bare name is taken by nobody else. */
export type ToolNaming = "qualified" | "short"

const MARK = "__"
const LONGEST = 64
const FITS = /^[A-Za-z0-9_-]{1,64}$/
/** Digits of the digest: more are taken where two names would meet. */
const DIGEST_LENGTHS = [8, 16, 32] as const

/**
 * The tool name of an operation, by its id alone: `server__tool`, or a readable head with a digest where that would be too long,
 * hold other characters, or could be read as another id.
 */
export function toolName(id: string): string {
  return qualifiedName(id, DIGEST_LENGTHS[0])
}

/** The names of all operations of a set, unique in it: a map from name to operation id, in the order of the ids. */
export function toolNames(ids: Iterable<string>, naming: ToolNaming = "qualified"): ReadonlyMap<string, string> {
  const all = [...new Set(ids)]
  const qualified = uniqueNames(all)
  if (naming === "qualified") return inverted(qualified)
  const taken = new Set(qualified.values())
  const bearers = new Map<string, number>()
  for (const id of all) bearers.set(bareName(id), (bearers.get(bareName(id)) ?? 0) + 1)
  const short = all.map((id): [string, string] => {
    const bare = bareName(id)
    return [id, FITS.test(bare) && bearers.get(bare) === 1 && !taken.has(bare) ? bare : (qualified.get(id) ?? toolName(id))]
  })
  return inverted(short)
}

/** Where digests meet, all ids that meet take longer ones: which of them comes first must not matter. */
function uniqueNames(ids: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  let open = ids
  for (const length of DIGEST_LENGTHS) {
    const bearers = new Map<string, string[]>()
    for (const id of open) {
      const name = qualifiedName(id, length)
      bearers.set(name, [...(bearers.get(name) ?? []), id])
    }
    open = []
    for (const [name, same] of bearers) {
      const [only] = same
      if (same.length === 1 && only !== undefined) names.set(only, name)
      else open = [...open, ...same]
    }
  }
  // In the order of the ids. What still meets has one digest of 128 bits, that is one id.
  return new Map(ids.map((id) => [id, names.get(id) ?? qualifiedName(id, 32)]))
}

function qualifiedName(id: string, digits: number): string {
  const { namespace, name } = parseOperationId(id) ?? { namespace: "", name: id }
  const plain = `${namespace}${MARK}${name}`
  if (FITS.test(plain) && plain.indexOf(MARK) === namespace.length && namespace !== "") return plain
  const digest = contentDigest(id).slice(0, digits)
  const head = `${namespace}_${name}`
    .replace(/[^A-Za-z0-9-]+/g, "_")
    .slice(0, LONGEST - digits - 1)
    .replace(/^_+|_+$/g, "")
  return `${head === "" ? "tool" : head}_${digest}`
}

function bareName(id: string): string {
  return parseOperationId(id)?.name ?? id
}

function inverted(names: Iterable<readonly [string, string]>): Map<string, string> {
  return new Map(Array.from(names, ([id, name]) => [name, id]))
}
