/**
 * JSON values for a JSON Schema: nearly fitting ones, and the same with something changed.
 *
 * In: a random source and a schema of any dialect. Out: values. Nothing here decides whether a value fits: the generator reads
 * the schema as far as that is easy, so that most values reach deep into it before they fit or fail.
 */
const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"]
const TEXTS = ["", "a", "b", "foo", "bar", "A1", "x".repeat(9), "😀", "ä", "a\u0004b", "\u0001\u0001", "2020-01-31", "2020-01-31T10:00:00Z", "a@b.co", "https://example.com/x", "123e4567-e89b-12d3-a456-426614174000", "{}", "eyJhIjoxfQ==", "1.1.1.1", " ", "line\nbreak", "0"]
const NUMBERS = [0, 1, -1, 2, 3, 4, 5, 9, 10, 11, 100, 0.5, 1.5, 4.02, 0.07, -3.25, 1e21, 1e-7, 9007199254740993, 1e308]
const NAMES = ["a", "b", "foo", "bar", "baz", "x-1", "id", "kind", "toString", "constructor", "__proto__", "", "a/b", "t~l", "line\nbreak", "0"]
const MAX_DEPTH = 7

/** A value made along the schema. */
export function valueFor(random, schema, root = schema, depth = 0) {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return anyValue(random, depth)
  if (typeof schema.$ref === "string") return valueFor(random, resolved(root, schema.$ref), root, depth + 1)
  if ("const" in schema) return structuredClone(schema.const)
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return structuredClone(random.pick(schema.enum))
  for (const keyword of ["anyOf", "oneOf"]) {
    if (!Array.isArray(schema[keyword]) || schema[keyword].length === 0) continue
    const { [keyword]: branches, ...rest } = schema
    return merged(valueFor(random, random.pick(branches), root, depth + 1), () => valueFor(random, rest, root, depth + 1), rest)
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0) {
    const { allOf, ...rest } = schema
    return allOf.reduce((value, part) => merged(value, () => valueFor(random, part, root, depth + 1), part), valueFor(random, rest, root, depth + 1))
  }
  if (schema.if !== undefined && random.chance(0.5)) return merged(valueFor(random, schema.if, root, depth + 1), () => valueFor(random, { ...schema, ...(typeof schema.then === "object" ? schema.then : {}), if: undefined }, root, depth + 1), schema)
  return ofType(random, schema, root, depth, typeOf(random, schema))
}

function ofType(random, schema, root, depth, type) {
  switch (type) {
    case "string":
      return textFor(random, schema)
    case "number":
    case "integer":
      return numberFor(random, schema, type)
    case "boolean":
      return random.chance(0.5)
    case "null":
      return null
    case "array":
      return arrayFor(random, schema, root, depth)
    default:
      return objectFor(random, schema, root, depth)
  }
}

function typeOf(random, schema) {
  if (Array.isArray(schema.type)) return random.pick(schema.type)
  if (typeof schema.type === "string") return schema.type
  if (schema.properties ?? schema.required ?? schema.additionalProperties ?? schema.patternProperties ?? schema.propertyNames ?? schema.dependencies ?? schema.dependentRequired) return "object"
  if (schema.items ?? schema.prefixItems ?? schema.contains ?? schema.minItems ?? schema.maxItems ?? schema.uniqueItems) return "array"
  if (schema.minLength ?? schema.maxLength ?? schema.pattern ?? schema.format) return "string"
  if (schema.minimum ?? schema.maximum ?? schema.multipleOf) return "number"
  return random.pick(TYPES)
}

function textFor(random, { minLength = 0, maxLength = Infinity }) {
  let text = random.pick(TEXTS)
  while (text.length < minLength && text.length < 300) text += random.pick(["x", "0", "😀"])
  if (text.length > maxLength && random.chance(0.8)) text = text.slice(0, maxLength)
  return text
}

function numberFor(random, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }, type) {
  const near = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((bound) => typeof bound === "number")
  if (typeof multipleOf === "number" && random.chance(0.7)) return multipleOf * random.below(9)
  if (near.length > 0 && random.chance(0.8)) return random.pick(near) + random.pick(type === "integer" ? [0, 1, -1] : [0, 1, -1, 0.5])
  const number = random.pick(NUMBERS)
  return type === "integer" && random.chance(0.9) ? Math.trunc(number) : number
}

function arrayFor(random, schema, root, depth) {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(schema.items) ? schema.items : []
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  const least = typeof schema.minItems === "number" && schema.minItems < 20 ? schema.minItems : 0
  const length = Math.max(least, prefix.length > 0 && random.chance(0.7) ? prefix.length : random.below(3))
  return Array.from({ length }, (_, index) =>
    valueFor(random, prefix[index] ?? (random.chance(0.2) && schema.contains !== undefined ? schema.contains : rest), root, depth + 1),
  )
}

function objectFor(random, schema, root, depth) {
  const made = {}
  const properties = typeof schema.properties === "object" && schema.properties !== null ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  for (const name of Object.keys(properties)) {
    if (random.chance(required.has(name) ? 0.95 : depth > 3 ? 0.2 : 0.6)) put(made, name, valueFor(random, properties[name], root, depth + 1))
  }
  for (const name of required) if (typeof name === "string" && !Object.hasOwn(made, name) && random.chance(0.8)) put(made, name, anyValue(random, depth + 1))
  if (schema.additionalProperties !== false && random.chance(0.3)) put(made, random.pick(NAMES), valueFor(random, schema.additionalProperties, root, depth + 1))
  const patterns = typeof schema.patternProperties === "object" && schema.patternProperties !== null ? Object.keys(schema.patternProperties) : []
  if (patterns.length > 0) put(made, random.pick([...NAMES, ...patterns.map((pattern) => pattern.replace(/[\^$]/g, ""))]), valueFor(random, schema.patternProperties[random.pick(patterns)], root, depth + 1))
  return made
}

/** Two values for one place: objects together, otherwise the first. */
function merged(value, make, schema) {
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(schema).length === 0) return value
  const other = make()
  return typeof other === "object" && other !== null && !Array.isArray(other) ? { ...other, ...value } : value
}

function resolved(root, reference) {
  if (!reference.startsWith("#/")) return reference === "#" ? root : undefined
  let at = root
  for (const token of reference.slice(2).split("/")) {
    const name = decodeURIComponent(token).replace(/~1/g, "/").replace(/~0/g, "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** Any JSON value. */
export function anyValue(random, depth = 0) {
  const type = random.pick(depth > 3 ? TYPES.slice(0, 5) : TYPES)
  if (type === "array") return Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1))
  if (type !== "object") return type === "string" ? random.pick(TEXTS) : type === "null" ? null : type === "boolean" ? random.chance(0.5) : random.pick(NUMBERS)
  const made = {}
  for (let count = random.below(4); count > 0; count--) put(made, random.pick(NAMES), anyValue(random, depth + 1))
  return made
}

/** The value with one place changed: replaced, removed, added to, or doubled. */
export function mutated(random, value) {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return slightlyOther(random, value)
  if (Array.isArray(value)) {
    const copy = [...value]
    const at = random.below(copy.length + 1)
    if (at === copy.length || random.chance(0.2)) copy.splice(at, 0, copy.length > 0 && random.chance(0.5) ? structuredClone(random.pick(copy)) : anyValue(random, 2))
    else if (random.chance(0.3)) copy.splice(at, 1)
    else copy[at] = mutated(random, copy[at])
    return copy
  }
  const names = Object.keys(value)
  const copy = {}
  const chosen = random.below(names.length + 1)
  const removes = random.chance(0.3)
  names.forEach((name, index) => {
    if (index !== chosen) put(copy, name, value[name])
    else if (!removes) put(copy, name, mutated(random, value[name]))
  })
  if (chosen === names.length) put(copy, random.pick(NAMES), anyValue(random, 2))
  return copy
}

function slightlyOther(random, value) {
  if (typeof value === "number" && random.chance(0.6)) return value + random.pick([1, -1, 0.5, 0.01])
  if (typeof value === "string" && random.chance(0.6)) return random.pick([value + value, value.slice(1), `${value}😀`, value.toUpperCase(), `${value}\n`])
  return anyValue(random, 1)
}

function put(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}
