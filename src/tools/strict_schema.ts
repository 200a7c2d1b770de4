/**
 * Parameters in the strict mode of OpenAI: every object closed, every property required, the few keywords that the mode knows.
 *
 * In: a schema with a plain object as its root. Out: its strict form with the list of all changes, or why there is none. What is left
 * out only ever narrows what the server takes, and the operation checks it all the same. Follows the subset that OpenAI publishes for
 * structured outputs. A property that may be left out may be null instead; `withoutNulls` undoes that in a model's arguments.
 */
import { isObject, type JSONObject } from "../schema.js"
import { propertiesOf, requiredOf, resolvePointer, step } from "./json_schema.js"
import type { ProviderChange, Report } from "./provider.js"
import { mergedParts } from "./root_object.js"
import { limitFaults } from "./strict_limits.js"

const ANNOTATIONS = ["title", "description"]
/** By type, the keywords that strict mode knows. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "const", "pattern", "format"],
  number: ["enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  integer: ["enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  boolean: ["enum", "const"],
  null: ["enum", "const"],
  array: ["minItems", "maxItems"],
  object: [],
}
const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
/** Read elsewhere, or part of the frame of a document. */
const HANDLED = new Set(["type", "properties", "required", "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions", "$schema"])
const MOST_DEPTH = 64

/** The strict form, or the reasons why a schema has none. */
export type StrictForm = { readonly schema: JSONObject } | { readonly refused: readonly ProviderChange[] }

/** The strict form of a schema whose root is an object. */
export function strictSchema(root: JSONObject, report: Report): StrictForm {
  const writer = new StrictWriter(root, report)
  const schema = writer.write(root, "")
  const definitions = writer.definitions()
  const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions }
  const refused = writer.refused.length > 0 ? writer.refused : limitFaults(whole)
  return refused.length > 0 ? { refused } : { schema: whole }
}

class StrictWriter {
  readonly refused: ProviderChange[] = []
  readonly #document: JSONObject
  readonly #report: Report
  /** By reference: the name of the definition, and its strict form once it is written. */
  readonly #definitions = new Map<string, { readonly name: string; schema: JSONObject }>()
  #depth = 0

  constructor(document: JSONObject, report: Report) {
    this.#document = document
    this.#report = report
  }

  definitions(): Record<string, unknown> {
    return Object.fromEntries(Array.from(this.#definitions.values(), ({ name, schema }) => [name, schema]))
  }

  write(schema: unknown, pointer: string): JSONObject {
    if (!isObject(schema)) return this.#refuse(pointer, schema === false ? "no value is taken here" : "a value of any type")
    if (this.#depth >= MOST_DEPTH) return this.#refuse(pointer, "it is nested too deep")
    this.#depth++
    try {
      return "$ref" in schema ? this.#reference(schema, pointer) : this.#plain(schema, pointer)
    } finally {
      this.#depth--
    }
  }

  #reference(schema: JSONObject, pointer: string): JSONObject {
    const { $ref: reference } = schema
    const target = resolvePointer(this.#document, reference)
    if (typeof reference !== "string" || !isObject(target)) return this.#refuse(pointer, "a reference that leads nowhere")
    for (const keyword of Object.keys(schema)) if (keyword !== "$ref") this.#report(step(pointer, keyword), "left out: it stands beside a reference")
    if (target === this.#document) return { $ref: "#" }
    const known = this.#definitions.get(reference)
    if (known !== undefined) return { $ref: `#/$defs/${known.name}` }
    const definition = { name: this.#nameFor(reference), schema: {} }
    this.#definitions.set(reference, definition)
    definition.schema = this.write(target, reference.slice(1))
    return { $ref: `#/$defs/${definition.name}` }
  }

  #nameFor(reference: string): string {
    const last = (reference.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_]+/g, "_")
    const taken = new Set(Array.from(this.#definitions.values(), ({ name }) => name))
    for (let number = 1; ; number++) {
      const name = number === 1 ? last : `${last}_${String(number)}`
      if (name !== "" && !taken.has(name)) return name
    }
  }

  #plain(given: JSONObject, pointer: string): JSONObject {
    const schema = this.#withoutAllOf(given, pointer)
    const branches = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(branches) && branches.length > 0) return this.#choice(schema, branches, pointer)
    const { enum: values } = schema
    const types = typesOf(schema).filter((type) => !Array.isArray(values) || values.some((value) => isOfType(value, type)))
    if (types.length === 0) return this.#refuse(pointer, Array.isArray(values) ? "no value is taken here" : "a value of any type")
    this.#leaveOut(schema, [...ANNOTATIONS, ...types.flatMap((type) => KNOWN[type] ?? [])], pointer)
    const others = types.filter((type) => type !== "null")
    const isNullable = others.length < types.length
    const [only = "null"] = others
    if (others.length <= 1) {
      const written = this.#typed(schema, only, pointer)
      return isNullable && only !== "null" ? nullable(written) : written
    }
    if (others.some((type) => type === "object" || type === "array") || "enum" in schema) {
      this.#report(step(pointer, "type"), "a choice of one schema for each type")
    }
    const parts = types.map((type) => this.#typed(withoutAnnotations(schema), type, pointer))
    return { ...annotationsOf(schema), anyOf: parts }
  }

  #withoutAllOf(schema: JSONObject, pointer: string): JSONObject {
    const parts = schema["allOf"]
    if (!Array.isArray(parts)) return schema
    this.#report(step(pointer, "allOf"), "its parts became one")
    const { allOf: _parts, ...rest } = schema
    const only: unknown = parts[0]
    if (parts.length === 1 && isObject(only)) {
      const target = "$ref" in only ? resolvePointer(this.#document, only["$ref"]) : only
      if (isObject(target)) return { ...target, ...rest }
    }
    return mergedParts(rest, parts, true, this.#document)
  }

  #choice(schema: JSONObject, branches: readonly unknown[], pointer: string): JSONObject {
    const keyword = Array.isArray(schema["anyOf"]) ? "anyOf" : "oneOf"
    const place = step(pointer, keyword)
    const { [keyword]: _branches, ...rest } = schema
    if (branches.every(onlyDemands) && typesOf(rest).length > 0) {
      this.#report(place, "left out: it only says which properties go together")
      return this.#plain(rest, pointer)
    }
    if (Object.keys(propertiesOf(rest)).length > 0) {
      this.#report(place, "the properties of all its branches became properties of the object")
      return this.#plain(mergedParts(rest, branches, false, this.#document), pointer)
    }
    if (keyword === "oneOf") this.#report(place, "became anyOf")
    this.#leaveOut(rest, [...ANNOTATIONS, "type"], pointer)
    const written = branches.map((branch, index) => {
      const typed = isObject(branch) && "type" in rest && typesOf(branch).length === 0 && !("$ref" in branch) ? { ...branch, type: rest["type"] } : branch
      return this.write(typed, step(place, index))
    })
    return { ...annotationsOf(rest), anyOf: written }
  }

  #typed(schema: JSONObject, type: string, pointer: string): JSONObject {
    const known = KNOWN[type]
    if (known === undefined) return this.#refuse(pointer, `a type that is none: ${JSON.stringify(type)}`)
    if (type === "null") return { type, ...annotationsOf(schema) }
    const written: Record<string, unknown> = { type, ...annotationsOf(schema) }
    for (const keyword of known) if (keyword in schema && this.#isTaken(keyword, schema[keyword], pointer)) written[keyword] = schema[keyword]
    if (Array.isArray(written["enum"])) written["enum"] = written["enum"].filter((value) => isOfType(value, type))
    if (type === "object") return this.#object(schema, written, pointer)
    return type === "array" ? this.#array(schema, written, pointer) : written
  }

  #isTaken(keyword: string, value: unknown, pointer: string): boolean {
    const taken =
      keyword === "format"
        ? typeof value === "string" && FORMATS.has(value)
        : keyword === "pattern"
          ? typeof value === "string" && !/\(\?[=!<]/.test(value)
          : keyword === "enum" || keyword === "const" || typeof value === "number"
    if (!taken) this.#report(step(pointer, keyword), "left out: strict mode does not know this value of it")
    return taken
  }

  #array(schema: JSONObject, written: Record<string, unknown>, pointer: string): JSONObject {
    const tuple = Array.isArray(schema["prefixItems"]) ? "prefixItems" : Array.isArray(schema["items"]) ? "items" : undefined
    if (tuple === undefined) return { ...written, items: this.write(schema["items"] ?? true, step(pointer, "items")) }
    // Looked at above: it is a list.
    const members = schema[tuple] as unknown[]
    const places = members.map((member, index) => this.write(member, step(step(pointer, tuple), index)))
    const kinds = places.filter((place, index) => places.findIndex((other) => JSON.stringify(other) === JSON.stringify(place)) === index)
    const [only] = kinds
    this.#report(step(pointer, tuple), "a list of its members in any order")
    return { ...written, items: kinds.length === 1 && only !== undefined ? only : { anyOf: kinds } }
  }

  #object(schema: JSONObject, written: Record<string, unknown>, pointer: string): JSONObject {
    const properties = propertiesOf(schema)
    const names = Object.keys(properties)
    const { additionalProperties: more = pointer === "" ? undefined : true } = schema
    const required = new Set(requiredOf(schema))
    if (names.length === 0 && (more !== undefined || "patternProperties" in schema) && more !== false) return this.#refuse(pointer, "an object with names of its own choosing")
    if ([...required].some((name) => !Object.hasOwn(properties, name))) return this.#refuse(pointer, "a required property without a schema")
    if (schema["additionalProperties"] !== false) this.#report(step(pointer, "additionalProperties"), "false: no other properties can be given")
    const members = names.map((name): [string, JSONObject] => {
      const place = step(step(pointer, "properties"), name)
      const member = this.write(properties[name], place)
      if (required.has(name)) return [name, member]
      this.#report(place, "required, and null stands for left out")
      return [name, nullable(member)]
    })
    return { ...written, properties: Object.fromEntries(members), required: names, additionalProperties: false }
  }

  #leaveOut(schema: JSONObject, kept: readonly string[], pointer: string): void {
    for (const keyword of Object.keys(schema)) {
      if (!HANDLED.has(keyword) && !kept.includes(keyword)) this.#report(step(pointer, keyword), "left out: strict mode does not know it")
    }
  }

  #refuse(path: string, change: string): JSONObject {
    this.refused.push({ path, change })
    return { type: "null" }
  }
}

/** The same schema, null taken too. */
function nullable(schema: JSONObject): JSONObject {
  const nothing = { type: "null" }
  if (Array.isArray(schema["anyOf"])) {
    const branches: unknown[] = schema["anyOf"]
    return branches.some((branch) => JSON.stringify(branch) === JSON.stringify(nothing)) ? schema : { ...schema, anyOf: [...branches, nothing] }
  }
  if ("$ref" in schema || "const" in schema) {
    return { ...annotationsOf(schema), anyOf: [withoutAnnotations(schema), nothing] }
  }
  const { type, enum: values } = schema
  const types: unknown[] = Array.isArray(type) ? type : [type]
  if (types.includes("null")) return schema
  return { ...schema, type: [...types, "null"], ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}) }
}

/** The types that a schema names, or those that its other keywords speak of. */
function typesOf(schema: JSONObject): string[] {
  const { type, enum: values } = schema
  if (typeof type === "string") return [type]
  if (Array.isArray(type)) return type.filter((each) => typeof each === "string")
  const given: unknown[] = Array.isArray(values) ? values : "const" in schema ? [schema["const"]] : []
  if (given.length > 0) return [...new Set(given.map(typeOfValue))]
  if ("properties" in schema || "additionalProperties" in schema || "patternProperties" in schema) return ["object"]
  if ("items" in schema || "prefixItems" in schema) return ["array"]
  if ("pattern" in schema || "minLength" in schema || "maxLength" in schema || "format" in schema) return ["string"]
  return "minimum" in schema || "maximum" in schema || "multipleOf" in schema ? ["number"] : []
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function isOfType(value: unknown, type: string): boolean {
  return typeOfValue(value) === type || (type === "integer" && Number.isInteger(value))
}

/** A branch that names no type and no property, but says which must be there. */
function onlyDemands(branch: unknown): boolean {
  return isObject(branch) && Object.keys(branch).every((keyword) => keyword === "required" || keyword === "not" || ANNOTATIONS.includes(keyword))
}

function annotationsOf(schema: JSONObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.includes(keyword)))
}

function withoutAnnotations(schema: JSONObject): JSONObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)))
}
