/**
 * Where two schemas differ in what they accept, keyword by keyword.
 *
 * In: two JSON Schemas. Out: findings with pointers: here the second accepts less, or more. Says nothing where the two are built
 * of different keywords that could mean the same (`unclear`): trial values have the word there.
 */
import { isObject, type JSONObject } from "../schema.js"
import { canonicalJSON } from "./canonical_json.js"
import { compareBranches } from "./compare_branches.js"
import { compareKeywords } from "./compare_keywords.js"
import { membersOf, pointerTo, resolveLocal, withoutAnnotations } from "./plain_schema.js"

/** A place where the later schema accepts less (`narrowed`) or more (`widened`); `unclear` where that cannot be read off it. */
export interface Finding {
  /** JSON pointer into the schemas. */
  readonly pointer: string
  readonly direction: "narrowed" | "widened" | "unclear"
  readonly reason: string
  /** A declared property of an object came or went. */
  readonly property?: "added" | "removed" | undefined
}

/** Two schemas at one place, and how findings below it count. */
export interface Pair {
  readonly before: JSONObject
  readonly after: JSONObject
  readonly pointer: string
}

/** One comparison under way. */
export class Comparison {
  readonly findings: Finding[] = []
  readonly #entered = new Set<string>()
  #flipped = false

  constructor(
    readonly rootBefore: unknown,
    readonly rootAfter: unknown,
  ) {}

  /** Compares two subschemas; a missing one accepts everything. */
  compare(before: unknown, after: unknown, pointer: string): void {
    const [one, other] = [membersOf(before), membersOf(after)]
    const texts = [canonicalJSON(withoutAnnotations(one)), canonicalJSON(withoutAnnotations(other))]
    if (texts[0] === texts[1] && !texts[0]?.includes('"$ref"')) return
    const key = `${texts.join("\n")}\n${String(this.#flipped)}`
    if (this.#entered.has(key)) return
    this.#entered.add(key)
    this.#compareMembers({ before: this.#followed(one, this.rootBefore), after: this.#followed(other, this.rootAfter), pointer })
  }

  /** Notes what was found; below an odd number of `not`, less is more. */
  add(pointer: string, direction: Finding["direction"], reason: string, property?: Finding["property"]): void {
    const seen = !this.#flipped || direction === "unclear" ? direction : direction === "narrowed" ? "widened" : "narrowed"
    this.findings.push({ pointer, direction: seen, reason, ...(property === undefined ? {} : { property }) })
  }

  /** Compares what stands behind a `not`. */
  flipped(compare: () => void): void {
    this.#flipped = !this.#flipped
    compare()
    this.#flipped = !this.#flipped
  }

  /** A schema that is nothing but a reference, as its target. */
  #followed(schema: JSONObject, root: unknown): JSONObject {
    let at = schema
    for (let steps = 0; steps < 32 && at["$ref"] !== undefined; steps++) {
      const target = resolveLocal(root, at["$ref"])
      const { $ref: _reference, ...rest } = at
      const kept = withoutAnnotations(rest)
      if (target === undefined || (isObject(kept) && Object.keys(kept).length > 0)) return at
      at = membersOf(target)
    }
    return at
  }

  #compareMembers(pair: Pair): void {
    const { before, after, pointer } = pair
    if (differentlyBuilt(before, after)) return this.add(pointer, "unclear", "is said in other keywords")
    // A reference with keywords beside it.
    if (before["$ref"] !== undefined) this.compare(resolveLocal(this.rootBefore, before["$ref"]), resolveLocal(this.rootAfter, after["$ref"]), pointerTo(pointer, "$ref"))
    compareKeywords(this, pair)
    compareBranches(this, pair)
    for (const keyword of CHILDREN) this.#compareChild(pair, keyword)
    for (const keyword of MAPS) {
      const [one, other] = [membersOf(before[keyword]), membersOf(after[keyword])]
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) this.compare(ownOf(one, name), ownOf(other, name), pointerTo(pointer, keyword, name))
    }
    if (before["not"] !== undefined || after["not"] !== undefined) this.#compareNot(pair)
    for (const keyword of CONDITIONAL) {
      if (!same(before[keyword], after[keyword])) this.add(pointerTo(pointer, keyword), "unclear", "is a condition that changed")
    }
  }

  #compareChild({ before, after, pointer }: Pair, keyword: string): void {
    const [one, other] = [before[keyword], after[keyword]]
    if (one === undefined && other === undefined) return
    if (Array.isArray(one) || Array.isArray(other)) {
      const [first, second]: [readonly unknown[], readonly unknown[]] = [Array.isArray(one) ? one : [], Array.isArray(other) ? other : []]
      for (let index = 0; index < Math.max(first.length, second.length); index++) this.compare(first[index], second[index], pointerTo(pointer, keyword, index))
      return
    }
    if (keyword === "additionalProperties" && one !== false && other === false) this.add(pointerTo(pointer, keyword), "narrowed", "members that are not declared are refused now")
    else if (keyword === "additionalProperties" && one === false && other !== false) this.add(pointerTo(pointer, keyword), "widened", "members that are not declared are taken now")
    else this.compare(one, other, pointerTo(pointer, keyword))
  }

  #compareNot({ before, after, pointer }: Pair): void {
    const at = pointerTo(pointer, "not")
    if (before["not"] === undefined) this.add(at, "narrowed", "was added")
    else if (after["not"] === undefined) this.add(at, "widened", "was removed")
    else this.flipped(() => this.compare(before["not"], after["not"], at))
  }
}

const CHILDREN = ["items", "prefixItems", "additionalItems", "additionalProperties", "propertyNames", "contains", "unevaluatedItems", "unevaluatedProperties"]
const MAPS = ["patternProperties", "dependentSchemas"]
const CONDITIONAL = ["if", "then", "else", "dependencies", "$dynamicRef", "$recursiveRef"]
const COMBINING = ["$ref", "anyOf", "oneOf", "allOf"]

/** One says with alternatives or references what the other says without. */
function differentlyBuilt(before: JSONObject, after: JSONObject): boolean {
  return COMBINING.some((keyword) => (before[keyword] === undefined) !== (after[keyword] === undefined)) || before["$ref"] !== after["$ref"]
}

function ownOf(map: JSONObject, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function same(before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return before === after
  return canonicalJSON(withoutAnnotations(before)) === canonicalJSON(withoutAnnotations(after))
}
