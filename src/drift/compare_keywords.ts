/**
 * The keywords of one node that hold no subschemas, and its declared properties.
 *
 * In: a pair of nodes. Out: findings. A keyword counts only where its node accepts the type that heeds it.
 */
import { isObject, type JSONObject } from "../schema.js"
import { canonicalJSON } from "./canonical_json.js"
import { membersOf, pointerTo } from "./plain_schema.js"
import type { Comparison, Pair } from "./schema_difference.js"

const ALL_TYPES = ["array", "boolean", "null", "number", "object", "string"]

/** Compares enumerations, types, bounds, patterns and properties. */
export function compareKeywords(comparison: Comparison, pair: Pair): void {
  const [before, after] = [listedValues(pair.before), listedValues(pair.after)]
  if (before !== undefined || after !== undefined) compareValues(comparison, pair.pointer, before, after)
  if (before !== undefined && after !== undefined) return
  compareTypes(comparison, pair)
  for (const [keyword, type, isLeast] of BOUNDS) compareBound(comparison, pair, keyword, type, isLeast)
  for (const bound of ["minimum", "maximum"] as const) compareLimit(comparison, pair, bound)
  for (const keyword of ["pattern", "multipleOf", "format"]) compareText(comparison, pair, keyword)
  const unique = (schema: JSONObject) => (schema["uniqueItems"] === true ? 1 : 0)
  compareNumbers(comparison, pointerTo(pair.pointer, "uniqueItems"), unique(pair.before), unique(pair.after), true)
  compareRequired(comparison, pair.pointer, "required", namesIn(pair.before["required"]), namesIn(pair.after["required"]))
  compareDependentRequired(comparison, pair)
  compareProperties(comparison, pair)
}

const BOUNDS: readonly (readonly [keyword: string, type: string, isLeast: boolean])[] = [
  ["minLength", "string", true],
  ["maxLength", "string", false],
  ["minItems", "array", true],
  ["maxItems", "array", false],
  ["minContains", "array", true],
  ["maxContains", "array", false],
  ["minProperties", "object", true],
  ["maxProperties", "object", false],
]

/** The values that `enum` or `const` lists, as canonical texts. */
function listedValues({ enum: list, ...rest }: JSONObject): ReadonlySet<string> | undefined {
  if ("const" in rest) return new Set([canonicalJSON(rest["const"])])
  return Array.isArray(list) ? new Set(list.map((value) => canonicalJSON(value))) : undefined
}

function compareValues(comparison: Comparison, pointer: string, before: ReadonlySet<string> | undefined, after: ReadonlySet<string> | undefined): void {
  const at = pointerTo(pointer, "enum")
  if (before === undefined) return comparison.add(at, "narrowed", "only listed values are taken now")
  if (after === undefined) return comparison.add(at, "widened", "more than the listed values is taken now")
  const [gone, added] = [missingFrom(before, after), missingFrom(after, before)]
  if (gone.length > 0) comparison.add(at, "narrowed", `lost ${shown(gone)}`)
  if (added.length > 0) comparison.add(at, "widened", `got ${shown(added)}`)
}

function compareTypes(comparison: Comparison, { before, after, pointer }: Pair): void {
  const [one, other] = [typesOf(before), typesOf(after)]
  const at = pointerTo(pointer, "type")
  const accepts = (types: ReadonlySet<string>, type: string) => types.has(type) || (type === "integer" && types.has("number"))
  const gone = [...one].filter((type) => !accepts(other, type))
  const added = [...other].filter((type) => !accepts(one, type))
  if (gone.length > 0) comparison.add(at, "narrowed", `no longer takes ${gone.join(", ")}`)
  if (added.length > 0) comparison.add(at, "widened", `takes ${added.join(", ")} too`)
}

function typesOf({ type }: JSONObject): ReadonlySet<string> {
  if (typeof type === "string") return new Set([type])
  return new Set(Array.isArray(type) ? type.filter((name): name is string => typeof name === "string") : ALL_TYPES)
}

function heeds({ before, after }: Pair, type: string): boolean {
  return [before, after].every((schema) => [...typesOf(schema)].some((name) => name === type || (type === "number" && name === "integer")))
}

function compareBound(comparison: Comparison, pair: Pair, keyword: string, type: string, isLeast: boolean): void {
  if (!heeds(pair, type)) return
  const missing = isLeast ? 0 : Infinity
  compareNumbers(comparison, pointerTo(pair.pointer, keyword), numberOr(pair.before[keyword], missing), numberOr(pair.after[keyword], missing), isLeast)
}

function compareLimit(comparison: Comparison, pair: Pair, bound: "minimum" | "maximum"): void {
  if (!heeds(pair, "number")) return
  const [before, after] = [limitOf(pair.before, bound), limitOf(pair.after, bound)]
  const at = pointerTo(pair.pointer, bound)
  if (before.value !== after.value) compareNumbers(comparison, at, before.value, after.value, bound === "minimum")
  else if (before.isOpen !== after.isOpen) comparison.add(at, after.isOpen ? "narrowed" : "widened", after.isOpen ? "the bound itself is refused now" : "the bound itself is taken now")
}

/** The bound of a node and whether it is excluded; draft-04 says the latter with a boolean. */
function limitOf(schema: JSONObject, bound: "minimum" | "maximum"): { value: number; isOpen: boolean } {
  const isLeast = bound === "minimum"
  const missing = isLeast ? -Infinity : Infinity
  const closed = numberOr(schema[bound], missing)
  const exclusive = schema[isLeast ? "exclusiveMinimum" : "exclusiveMaximum"]
  if (typeof exclusive !== "number") return { value: closed, isOpen: exclusive === true }
  const isTighter = isLeast ? exclusive >= closed : exclusive <= closed
  return isTighter ? { value: exclusive, isOpen: true } : { value: closed, isOpen: false }
}

function compareNumbers(comparison: Comparison, pointer: string, before: number, after: number, isLeast: boolean): void {
  if (before === after) return
  const narrower = isLeast ? after > before : after < before
  comparison.add(pointer, narrower ? "narrowed" : "widened", `was ${told(before)}, is ${told(after)}`)
}

function compareText(comparison: Comparison, { before, after, pointer }: Pair, keyword: string): void {
  const [one, other] = [before[keyword], after[keyword]]
  if (one === other) return
  const at = pointerTo(pointer, keyword)
  if (one === undefined) comparison.add(at, "narrowed", "was added")
  else if (other === undefined) comparison.add(at, "widened", "was removed")
  else if (keyword === "multipleOf" && typeof one === "number" && typeof other === "number" && isMultiple(other, one)) comparison.add(at, "narrowed", `was ${told(one)}, is ${told(other)}`)
  else if (keyword === "multipleOf" && typeof one === "number" && typeof other === "number" && isMultiple(one, other)) comparison.add(at, "widened", `was ${told(one)}, is ${told(other)}`)
  else comparison.add(at, "unclear", "changed")
}

function isMultiple(value: number, of: number): boolean {
  return Number.isInteger(value / of)
}

function compareRequired(comparison: Comparison, pointer: string, keyword: string, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
  for (const name of missingFrom(after, before)) comparison.add(pointerTo(pointer, keyword), "narrowed", `"${name}" is required now`)
  for (const name of missingFrom(before, after)) comparison.add(pointerTo(pointer, keyword), "widened", `"${name}" is required no more`)
}

function compareDependentRequired(comparison: Comparison, { before, after, pointer }: Pair): void {
  const [one, other] = [membersOf(before["dependentRequired"]), membersOf(after["dependentRequired"])]
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compareRequired(comparison, pointerTo(pointer, "dependentRequired"), name, namesIn(one[name]), namesIn(other[name]))
  }
}

/** Properties are read as people write them: one that is declared no more is gone, even where undeclared members are taken. */
function compareProperties(comparison: Comparison, { before, after, pointer }: Pair): void {
  const [one, other] = [membersOf(before["properties"]), membersOf(after["properties"])]
  for (const name of Object.keys(one)) {
    const at = pointerTo(pointer, "properties", name)
    if (Object.hasOwn(other, name)) comparison.compare(one[name], other[name], at)
    else if (isObject(after["additionalProperties"])) comparison.compare(one[name], after["additionalProperties"], at)
    else comparison.add(at, "narrowed", "is declared no more", "removed")
  }
  for (const name of Object.keys(other)) {
    if (Object.hasOwn(one, name)) continue
    const at = pointerTo(pointer, "properties", name)
    if (isObject(before["additionalProperties"])) comparison.compare(before["additionalProperties"], other[name], at)
    else comparison.add(at, "widened", "is new", "added")
  }
}

function namesIn(list: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : [])
}

function missingFrom(one: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...one].filter((value) => !other.has(value))
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise
}

function told(number: number): string {
  return Number.isFinite(number) ? String(number) : "without bound"
}

function shown(values: readonly string[]): string {
  const few = values.slice(0, 5).map((value) => (value.length > 40 ? `${value.slice(0, 40)}…` : value))
  return `${few.join(", ")}${values.length > few.length ? ` and ${String(values.length - few.length)} more` : ""}`
}
