/**
 * What a command line has to know of a JSON Schema: the properties of an object, and which JSON types and values a place takes.
 *
 * In: the input schema as the server sent it. Out: answers to single questions; unknown parts count as "anything goes".
 * Judges no value: that is done by the operation itself. Answers are kept by node, and a node that is asked about while it is
 * being answered (recursion through `$ref`) takes anything, so strangers' schemas cost time in proportion to their size.
 */

/** A type of JSON Schema. */
export type JSONType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object"

/** The types that a place takes; `"any"` where the schema does not say. */
export type JSONTypes = ReadonlySet<JSONType> | "any"

/** One value of a closed choice. */
export interface Choice {
  readonly value: unknown
  readonly description?: string | undefined
}

/** A property of the input object. `schema` is what the schema says of it. */
export interface InputProperty {
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
}

type Node = Record<string, unknown>

const ALL_TYPES: readonly JSONType[] = ["null", "boolean", "integer", "number", "string", "array", "object"]

/** Answers questions about one input schema and the places below it. */
export class SchemaView {
  readonly #root: unknown
  readonly #types = new Map<Node, JSONTypes>()
  readonly #choices = new Map<Node, readonly Choice[] | undefined>()

  constructor(root: unknown) {
    this.#root = root
  }

  /** The types that a place takes. */
  types(schema: unknown): JSONTypes {
    if (schema === false) return new Set()
    if (!isNode(schema)) return "any"
    const known = this.#types.get(schema)
    if (known !== undefined) return known
    this.#types.set(schema, "any")
    const types = this.#computeTypes(schema)
    this.#types.set(schema, types)
    return types
  }

  /** The values of a closed choice; undefined where the place is open. */
  choices(schema: unknown): readonly Choice[] | undefined {
    if (!isNode(schema)) return undefined
    if (this.#choices.has(schema)) return this.#choices.get(schema)
    this.#choices.set(schema, undefined)
    const choices = this.#computeChoices(schema)
    this.#choices.set(schema, choices)
    return choices
  }

  /** The schema of the entry of an array. */
  item(schema: unknown, index: number): unknown {
    for (const node of this.#layers(schema)) {
      const tuple = [node["prefixItems"], node["items"]].find(Array.isArray)
      if (tuple !== undefined) return tuple[index] ?? node["additionalItems"] ?? (tuple === node["items"] ? true : (node["items"] ?? true))
      if (node["items"] !== undefined) return node["items"]
    }
    return true
  }

  /** The first text of that keyword on a place, its `$ref` target and its `allOf` parts. */
  text(schema: unknown, keyword: "description" | "title"): string | undefined {
    return this.#layers(schema)
      .map((node) => node[keyword])
      .find((text) => typeof text === "string")
  }

  /** The stated default of a place. */
  default(schema: unknown): { readonly value: unknown } | undefined {
    const node = this.#layers(schema).find((layer) => Object.hasOwn(layer, "default"))
    return node === undefined ? undefined : { value: node["default"] }
  }

  /** What a `$ref` inside the document points to; undefined for one that leads elsewhere. */
  resolve(ref: unknown): unknown {
    if (ref === "#") return this.#root
    if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined
    let target: unknown = this.#root
    for (const part of ref.slice(2).split("/")) {
      const key = decodeText(part).replaceAll("~1", "/").replaceAll("~0", "~")
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined
      target = Reflect.get(target, key)
    }
    return target
  }

  /** A place, its unions of one branch, its `$ref` target and its `allOf` parts: all that holds of it without condition. */
  #layers(schema: unknown): Node[] {
    const layers = new Set<Node>()
    const visit = (part: unknown): void => {
      if (!isNode(part) || layers.has(part)) return
      layers.add(part)
      if (part["$ref"] !== undefined) visit(this.resolve(part["$ref"]))
      for (const inner of parts(part["allOf"])) visit(inner)
      for (const union of ["anyOf", "oneOf"]) {
        // A union with null says of the rest what its other branch says.
        const branches = parts(part[union]).filter((branch) => !isNode(branch) || branch["type"] !== "null")
        if (branches.length === 1) visit(branches[0])
      }
    }
    visit(schema)
    return [...layers]
  }

  #computeTypes(node: Node): JSONTypes {
    let types: JSONTypes = "any"
    const stated = [node["type"]].flat().filter(isJSONType)
    if (stated.length > 0) types = new Set(stated)
    if (Object.hasOwn(node, "const")) types = meet(types, new Set([typeOf(node["const"])]))
    if (Array.isArray(node["enum"]) && node["enum"].length > 0) types = meet(types, new Set(node["enum"].map(typeOf)))
    if (node["$ref"] !== undefined) types = meet(types, this.types(this.resolve(node["$ref"])))
    for (const part of parts(node["allOf"])) types = meet(types, this.types(part))
    for (const union of ["anyOf", "oneOf"]) {
      const branches = parts(node[union])
      if (branches.length > 0) types = meet(types, join(branches.map((branch) => this.types(branch))))
    }
    if (node["nullable"] === true && types !== "any") types = new Set([...types, "null"])
    return types
  }

  #computeChoices(node: Node): readonly Choice[] | undefined {
    if (Object.hasOwn(node, "const")) return [{ value: node["const"], description: plainText(node["description"]) ?? plainText(node["title"]) }]
    if (Array.isArray(node["enum"])) return node["enum"].map((value: unknown) => ({ value }))
    if (node["type"] === "null") return [{ value: null }]
    const certain = [this.resolve(node["$ref"]), ...parts(node["allOf"])]
    for (const part of certain) {
      const choices = this.choices(part)
      if (choices !== undefined) return choices
    }
    for (const union of ["anyOf", "oneOf"]) {
      const branches = parts(node[union]).map((branch) => this.choices(branch))
      const all = branches.filter((choices) => choices !== undefined)
      // A union of null alone beside an open branch is no choice: every branch has to be closed.
      if (all.length > 0 && all.length === branches.length) return all.flat()
    }
    return undefined
  }
}

/** True for an object that is no array: what a schema with keywords is. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The entries of a keyword that holds a list of schemas; none where it holds something else. */
export function parts(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : []
}

/** The type of a JSON value, integers told from other numbers. */
export function typeOf(value: unknown): JSONType {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  switch (typeof value) {
    case "boolean":
    case "string":
      return typeof value === "boolean" ? "boolean" : "string"
    case "number":
      return Number.isInteger(value) ? "integer" : "number"
    default:
      return "object"
  }
}

function isJSONType(text: unknown): text is JSONType {
  return ALL_TYPES.some((type) => type === text)
}

function meet(left: JSONTypes, right: JSONTypes): JSONTypes {
  if (left === "any") return right
  if (right === "any") return left
  const both = new Set<JSONType>()
  for (const type of left) {
    if (right.has(type) || (type === "integer" && right.has("number"))) both.add(type)
    else if (type === "number" && right.has("integer")) both.add("integer")
  }
  return both
}

function join(all: readonly JSONTypes[]): JSONTypes {
  const joined = new Set<JSONType>()
  for (const types of all) {
    if (types === "any") return "any"
    for (const type of types) joined.add(type)
  }
  return joined
}

function plainText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
