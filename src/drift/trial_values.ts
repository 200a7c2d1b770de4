/**
 * Values that tell two schemas apart: for each part of a schema those at its edges, and one step beyond.
 *
 * In: a JSON Schema. Out: a bounded list of JSON values, always the same for the same schema. Whether a value fits is not decided
 * here; most do, or miss by one thing. In an object one member varies at a time.
 */
import { isObject, type JSONObject } from "../schema.js"
import { canonicalJSON } from "./canonical_json.js"
import { membersOf, resolveLocal } from "./plain_schema.js"

/** Most values of one schema, and of one part below the root. */
const MOST = 400
const MOST_OF_A_PART = 60
const DEEPEST = 6
/** Alternatives in alternatives are more than anyone could try. */
const MOST_VISITS = 1_000

const TEXTS = ["", "a", "A1", "x y", "ä", "😀", "2020-01-31", "2020-01-31T10:00:00Z", "a@b.co", "https://example.com/x", "123e4567-e89b-12d3-a456-426614174000", "abc", "abc-1", "0"]
const ANYTHING: readonly unknown[] = [null, true, 0, 1.5, "a", [], {}]

/** The trial values of a schema. */
export function trialValues(schema: unknown): unknown[] {
  return unique(new Trial(schema).valuesOf(schema, 0), MOST)
}

class Trial {
  #visits = 0

  constructor(private readonly root: unknown) {}

  valuesOf(schema: unknown, depth: number): unknown[] {
    if (!isObject(schema) || depth > DEEPEST || this.#visits++ > MOST_VISITS) return [...ANYTHING]
    const stated = [schema["default"], ...listOf(schema["examples"]), schema["const"], ...listOf(schema["enum"])].filter((value) => value !== undefined)
    if (schema["const"] !== undefined || Array.isArray(schema["enum"])) return unique([...stated, ...ANYTHING], MOST_OF_A_PART)
    const values: unknown[] = [...stated]
    if (schema["$ref"] !== undefined) values.push(...this.valuesOf(resolveLocal(this.root, schema["$ref"]), depth + 1))
    for (const keyword of ["anyOf", "oneOf"]) for (const branch of listOf(schema[keyword])) values.push(...this.#combined(schema, branch, depth))
    const parts = listOf(schema["allOf"]).map((part) => this.#resolved(part))
    if (parts.length > 0) values.push(...this.#ofTypes(parts.reduce(merged, schema), depth))
    else if (schema["anyOf"] === undefined && schema["oneOf"] === undefined && schema["$ref"] === undefined) values.push(...this.#ofTypes(schema, depth))
    for (const keyword of ["if", "then", "else", "not"]) if (schema[keyword] !== undefined) values.push(...this.#combined(schema, schema[keyword], depth))
    return unique([...values, ...ANYTHING], depth === 0 ? MOST : MOST_OF_A_PART)
  }

  /** Values of an alternative, with what stands beside the alternatives. */
  #combined({ anyOf: _any, oneOf: _one, if: _if, then: _then, else: _else, not: _not, ...beside }: JSONObject, branch: unknown, depth: number): unknown[] {
    const resolved = this.#resolved(branch)
    return this.valuesOf(Object.keys(beside).some((keyword) => keyword === "properties" || keyword === "type") ? merged(beside, resolved) : resolved, depth + 1)
  }

  #resolved(schema: unknown): JSONObject {
    const members = membersOf(schema)
    const target = members["$ref"] === undefined ? undefined : resolveLocal(this.root, members["$ref"])
    return isObject(target) ? target : members
  }

  #ofTypes(schema: JSONObject, depth: number): unknown[] {
    const values: unknown[] = []
    for (const type of typesOf(schema)) {
      if (type === "string") values.push(...textsOf(schema))
      else if (type === "number" || type === "integer") values.push(...numbersOf(schema))
      else if (type === "array") values.push(...this.#arraysOf(schema, depth))
      else if (type === "object") values.push(...this.#objectsOf(schema, depth))
    }
    return values
  }

  #arraysOf(schema: JSONObject, depth: number): unknown[] {
    const isTuple = Array.isArray(schema["items"])
    const prefix = isTuple ? listOf(schema["items"]) : listOf(schema["prefixItems"])
    const rest = isTuple ? schema["additionalItems"] : schema["items"]
    const places = prefix.map((item) => this.valuesOf(item, depth + 1))
    const others = rest === false ? [] : this.valuesOf(rest, depth + 1)
    const of = (length: number) => Array.from({ length }, (_, index) => (places[index] ?? others)[index % Math.max(1, (places[index] ?? others).length)] ?? null)
    const { minItems, maxItems } = schema
    const lengths = new Set([0, 1, 2, prefix.length, prefix.length + 1, ...near(minItems), ...near(maxItems)].filter((length) => length >= 0 && length <= 50))
    const values: unknown[] = [...lengths].map(of)
    // One item, the first or behind the tuple, takes each of its values.
    for (const [index, list] of [...places, others].entries()) for (const value of list.slice(0, 20)) values.push([...of(index), value])
    if (others[0] !== undefined) values.push([others[0], others[0]])
    return values
  }

  #objectsOf(schema: JSONObject, depth: number): unknown[] {
    const properties = membersOf(schema["properties"])
    const required = listOf(schema["required"]).filter((name): name is string => typeof name === "string")
    const values = new Map([...new Set([...Object.keys(properties), ...required])].map((name) => [name, this.valuesOf(Object.hasOwn(properties, name) ? properties[name] : {}, depth + 1)]))
    const firsts = [...values].map(([name, list]): [string, unknown] => [name, list[0]])
    const least = firsts.filter(([name]) => required.includes(name))
    const objects: unknown[] = [make(least), make(firsts)]
    for (const name of values.keys()) objects.push(make([...least, ...firsts.filter(([other]) => other === name)]), make(firsts.filter(([other]) => other !== name)))
    for (const [name, list] of values) for (const value of list.slice(0, 30)) objects.push(make([...least.filter(([other]) => other !== name), [name, value]]))
    const others = isObject(schema["additionalProperties"]) ? this.valuesOf(schema["additionalProperties"], depth + 1) : ["a"]
    for (const value of others.slice(0, 20)) objects.push(make([...least, ["another", value]]))
    for (const [pattern, member] of Object.entries(membersOf(schema["patternProperties"]))) {
      for (const value of this.valuesOf(member, depth + 1).slice(0, 10)) objects.push(make([...least, [pattern.replaceAll(/[\^$]/g, ""), value]]))
    }
    const most = Math.min(50, ...near(schema["maxProperties"]), ...near(schema["minProperties"]))
    for (let count = 1; count <= most && near(schema["minProperties"]).length + near(schema["maxProperties"]).length > 0; count++) {
      objects.push(make([...least, ...Array.from({ length: count }, (_, index): [string, unknown] => [`another${String(index)}`, "a"])]))
    }
    return objects
  }
}

function typesOf({ type, ...schema }: JSONObject): readonly unknown[] {
  if (typeof type === "string") return [type]
  if (Array.isArray(type)) return type
  const has = (...keywords: string[]) => keywords.some((keyword) => schema[keyword] !== undefined)
  return [
    ...(has("properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties") ? ["object"] : []),
    ...(has("items", "prefixItems", "minItems", "maxItems", "contains") ? ["array"] : []),
    ...(has("minLength", "maxLength", "pattern", "format") ? ["string"] : []),
    ...(has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") ? ["number"] : []),
  ]
}

function textsOf({ minLength, maxLength }: JSONObject): string[] {
  const lengths = [...near(minLength), ...near(maxLength)].filter((length) => length >= 0 && length <= 2_000)
  return [...TEXTS, ...lengths.map((length) => "x".repeat(length))]
}

function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JSONObject): number[] {
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].flatMap((bound) => [...near(bound), ...(typeof bound === "number" ? [bound + 0.5] : [])])
  const multiples = typeof multipleOf === "number" ? [multipleOf, 2 * multipleOf, multipleOf / 2] : []
  return [...bounds, ...multiples, 0, 1, -1, 0.5, 10, 1_000]
}

/** The number, and one step on both sides. */
function near(bound: unknown): number[] {
  return typeof bound === "number" ? [bound, bound - 1, bound + 1] : []
}

/** Two schemas of one object as one, as far as trial values need it. */
function merged(one: JSONObject, other: JSONObject): JSONObject {
  return {
    ...one,
    ...other,
    properties: { ...membersOf(one["properties"]), ...membersOf(other["properties"]) },
    required: [...listOf(one["required"]), ...listOf(other["required"])],
  }
}

function make(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  // Entries, not assignments: a name may be `__proto__`.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function unique(values: readonly unknown[], most: number): unknown[] {
  const seen = new Map<string, unknown>()
  for (const value of values) {
    if (seen.size >= most) break
    const text = canonicalJSON(value)
    if (!seen.has(text)) seen.set(text, value)
  }
  return [...seen.values()]
}
