/**
 * A JSON Schema as a TypeScript type.
 *
 * In: a schema of any dialect, and the name of its type. Out: the text of that type, and of every type that it names: what a
 * reference leads to gets a name, so that recursion is a name that stands in its own text. What types cannot say is left wide: `unknown`, never
 * something wrong.
 */
import { resolveLocal } from "../drift.js"
import { isObject } from "../schema.js"
import { docComment } from "./doc_comment.js"
import { pascalCase } from "./identifiers.js"
import { isShort, memberName, stringLiteral } from "./literal.js"
import { conjunction, isUnknown, itemText, UNKNOWN, union, type TypeText } from "./type_text.js"

/** A named type: its name, its text, and what the server said of it. */
export interface NamedType {
  readonly name: string
  readonly text: string
  readonly description: string | undefined
}

type Members = Readonly<Record<string, unknown>>

/** Deeper than this a type is `unknown`: nobody reads further. */
const DEEPEST = 60

/** Writes the types of one schema. */
export class TypeWriter {
  readonly #named = new Map<unknown, { name: string; type: NamedType | undefined }>()
  readonly #names: Set<string>
  /** Named types whose text has begun and is not inside an object or a list yet: naming one of them there would be a circle. */
  #surface = new Set<unknown>()
  #depth = 0

  /** `names` are taken already; the names of this schema are added. */
  constructor(
    private readonly root: unknown,
    private readonly rootName: string,
    names: Set<string>,
  ) {
    this.#names = names
    names.add(rootName)
  }

  /** The type of the schema first, then those that it names, in the order in which they are met. */
  write(): NamedType[] {
    this.#named.set(this.root, { name: this.rootName, type: undefined })
    const text = this.#body(this.root)
    const others = [...this.#named.values()].flatMap(({ type }) => (type === undefined ? [] : [type]))
    return [{ name: this.rootName, text, description: descriptionOf(this.root) }, ...others]
  }

  #body(schema: unknown): string {
    const before = this.#surface
    this.#surface = new Set([...before, schema])
    const { text } = this.#typeOf(schema, "")
    this.#surface = before
    return text
  }

  #typeOf(schema: unknown, indent: string): TypeText {
    if (schema === false) return { text: "never", joins: "one" }
    if (!isObject(schema) || this.#depth > DEEPEST) return UNKNOWN
    this.#depth++
    const parts: TypeText[] = []
    if (typeof schema["$ref"] === "string") parts.push(this.#reference(schema["$ref"]))
    const own = this.#ownType(schema, indent)
    if (own !== undefined) parts.push(own)
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = schema[keyword]
      if (Array.isArray(branches) && branches.length > 0) parts.push(union(branches.map((branch) => this.#typeOf(branch, indent))))
    }
    if (Array.isArray(schema["allOf"])) parts.push(...schema["allOf"].map((part) => this.#typeOf(part, indent)))
    this.#depth--
    return conjunction(parts)
  }

  #reference(reference: string): TypeText {
    const target = resolveLocal(this.root, reference)
    if (target === true || target === undefined) return UNKNOWN
    if (target === false) return { text: "never", joins: "one" }
    const known = this.#named.get(target)
    if (known !== undefined) return this.#surface.has(target) ? UNKNOWN : { text: known.name, joins: "one" }
    const entry: { name: string; type: NamedType | undefined } = { name: this.#newName(reference), type: undefined }
    this.#named.set(target, entry)
    const depth = this.#depth
    this.#depth = 0
    entry.type = { name: entry.name, text: this.#body(target), description: descriptionOf(target) }
    this.#depth = depth
    return { text: entry.name, joins: "one" }
  }

  #newName(reference: string): string {
    const last = reference.split("/").at(-1) ?? ""
    const wished = `${this.rootName}${last === "#" || last === "" ? "Part" : pascalCase(last.replaceAll("~1", "/").replaceAll("~0", "~"))}`
    let name = wished
    for (let count = 2; this.#names.has(name); count++) name = `${wished}${String(count)}`
    this.#names.add(name)
    return name
  }

  /** What the keywords of the node itself say; undefined where they say nothing. */
  #ownType(schema: Members, indent: string): TypeText | undefined {
    const types = typesOf(schema)
    const values = "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? (schema["enum"] as readonly unknown[]) : undefined
    if (values !== undefined) {
      const allowed = values.filter((value) => schema["type"] === undefined || types.some((type) => isOfType(value, type)))
      return union(allowed.map((value) => literalType(value, indent)))
    }
    if (types.length === 0) return undefined
    return union(types.map((type) => this.#typeOfKind(type, schema, indent)))
  }

  #typeOfKind(type: unknown, schema: Members, indent: string): TypeText {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return { text: type, joins: "one" }
      case "number":
      case "integer":
        return { text: "number", joins: "one" }
      case "array":
        return this.#inside(() => this.#arrayType(schema, indent))
      case "object":
        return this.#inside(() => this.#objectType(schema, indent))
      default:
        return UNKNOWN
    }
  }

  /** In an object or a list a type may name itself. */
  #inside(write: () => TypeText): TypeText {
    const before = this.#surface
    this.#surface = new Set()
    const text = write()
    this.#surface = before
    return text
  }

  #arrayType(schema: Members, indent: string): TypeText {
    const isDraft7 = Array.isArray(schema["items"])
    const prefix = isDraft7 ? schema["items"] : schema["prefixItems"]
    const rest = isDraft7 ? schema["additionalItems"] : schema["items"]
    if (!Array.isArray(prefix) || prefix.length === 0) {
      if (rest === false) return { text: "[]", joins: "one" }
      return { text: `${itemText(rest === undefined ? UNKNOWN : this.#typeOf(rest, indent))}[]`, joins: "one" }
    }
    const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0
    const places = prefix.map((item, index) => {
      const type = this.#typeOf(item, indent)
      return index < least ? type.text : `${type.joins === "one" ? type.text : `(${type.text})`}?`
    })
    // A place that must be there cannot stand behind the rest, nor a rest behind one that may be missing and typed: then it is wide.
    if (rest !== false) places.push(`...${itemText(rest === undefined ? UNKNOWN : this.#typeOf(rest, indent))}[]`)
    return { text: `[${places.join(", ")}]`, joins: "one" }
  }

  #objectType(schema: Members, indent: string): TypeText {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"].filter((name): name is string => typeof name === "string") : [])
    const names = [...Object.keys(properties), ...[...required].filter((name) => !Object.hasOwn(properties, name))]
    const inner = `${indent}  `
    const members = names.map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : true
      return { name, isRequired: required.has(name), type: this.#typeOf(property, inner), description: descriptionOf(property) }
    })
    const index = this.#indexType(schema, members, inner)
    if (members.length === 0) return { text: index === undefined ? "{ [key: string]: unknown }" : `{ [key: string]: ${index} }`, joins: "one" }
    const lines = members.map(({ name, isRequired, type, description }) => `${docComment([description], inner)}${inner}${memberName(name)}${isRequired ? "" : "?"}: ${type.text}\n`)
    if (index !== undefined) lines.push(`${inner}[key: string]: ${index}\n`)
    const line = `{ ${lines.map((text) => text.trim()).join("; ")} }`
    return { text: isShort(line) && !line.includes("/**") ? line : `{\n${lines.join("")}${indent}}`, joins: "one" }
  }

  /** The type of undeclared members, wide enough for the declared ones; undefined where the type says nothing of them. */
  #indexType(schema: Members, members: readonly { isRequired: boolean; type: TypeText }[], indent: string): string | undefined {
    const { additionalProperties, patternProperties } = schema
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
    if (patterns.length === 0 && additionalProperties === false) return members.length === 0 ? "never" : undefined
    if (patterns.length === 0 && additionalProperties === undefined) return members.length === 0 ? "unknown" : undefined
    const others = [...patterns, ...(additionalProperties === false ? [] : [additionalProperties ?? true])].map((other) => this.#typeOf(other, indent))
    if (others.some(isUnknown) || members.some(({ type }) => isUnknown(type))) return "unknown"
    const absent: TypeText[] = members.every(({ isRequired }) => isRequired) ? [] : [{ text: "undefined", joins: "one" }]
    return union([...others, ...members.map(({ type }) => type), ...absent]).text
  }
}

function typesOf(schema: Members): readonly unknown[] {
  const { type } = schema
  if (typeof type === "string") return [type]
  if (Array.isArray(type)) return type
  if ("const" in schema || Array.isArray(schema["enum"])) return []
  if (["properties", "required", "additionalProperties", "patternProperties"].some((keyword) => schema[keyword] !== undefined)) return ["object"]
  if (["items", "prefixItems", "additionalItems"].some((keyword) => schema[keyword] !== undefined)) return ["array"]
  return []
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}

function literalType(value: unknown, indent: string): TypeText {
  if (typeof value === "string") return { text: stringLiteral(value), joins: "one" }
  if (Array.isArray(value)) return { text: `[${value.map((item) => literalType(item, indent).text).join(", ")}]`, joins: "one" }
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${memberName(name)}: ${literalType(member, indent).text}`)
    return { text: members.length === 0 ? "{ [key: string]: never }" : `{ ${members.join("; ")} }`, joins: "one" }
  }
  // A number that has no literal of its own, such as 1e999 after parsing, stays a number.
  if (typeof value === "number" && !Number.isFinite(value)) return { text: "number", joins: "one" }
  return { text: JSON.stringify(value), joins: "one" }
}

function descriptionOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : undefined
}
