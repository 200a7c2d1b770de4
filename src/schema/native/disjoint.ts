/**
 * Whether no value can match two branches of a `oneOf`.
 *
 * In: a node with `oneOf`. Out: true only where it is certain: the branches differ in type, in their literal values, or in the
 * literal values of a property that all of them require.
 */
import { hasKeyword, ignoresRefSiblings } from "../document/keywords.js"
import type { SchemaDocument } from "../document/schema_document.js"
import type { SchemaNode, Subschema } from "../document/schema_node.js"
import { isArray, isObject } from "../json_object.js"
import { typesOf } from "../json_type.js"

/** True when the branches exclude each other. */
export function areDisjoint(document: SchemaDocument, node: SchemaNode): boolean {
  const list = node.schema.oneOf
  if (!isArray(list) || list.length > 60) return false
  const branches = list.map((_, index) => facts(document, document.subschema(node, "oneOf", index), 0))
  return branches.every((left, index) => branches.slice(index + 1).every((right) => exclude(left, right)))
}

/** What is certain of every value that matches a branch. */
interface Facts {
  /** It has one of these types; undefined: any. */
  readonly types: ReadonlySet<string> | undefined
  /** It is one of these; undefined: anything. */
  readonly values: ReadonlySet<unknown> | undefined
  /** It has these members, each with one of these values. */
  readonly tags: ReadonlyMap<string, ReadonlySet<unknown>>
}

const NOTHING_CERTAIN: Facts = { types: undefined, values: undefined, tags: new Map() }

function facts(document: SchemaDocument, subschema: Subschema | undefined, hops: number): Facts {
  if (subschema === undefined || hops > 16) return NOTHING_CERTAIN
  if (subschema === false) return { types: new Set(), values: undefined, tags: new Map() }
  if (subschema === true || document.cuts.has(subschema) || !subschema.resource.validates) return NOTHING_CERTAIN
  const { schema, resource } = subschema
  if (typeof schema.$ref === "string") {
    const target = document.loops.has(subschema) ? undefined : facts(document, document.target(subschema), hops + 1)
    if (target !== undefined && (target.types !== undefined || ignoresRefSiblings(resource.dialect))) return target
    if (ignoresRefSiblings(resource.dialect)) return NOTHING_CERTAIN
  }
  const values = literals(subschema)
  const named = typesOf(schema.type)
  const types = values === undefined ? (named === undefined ? undefined : new Set(named.flatMap(withSubtypes))) : new Set([...values].flatMap(typesOfValue))
  return { types, values, tags: types?.size === 1 && types.has("object") ? tagsOf(document, subschema) : new Map() }
}

function literals({ schema, resource }: SchemaNode): ReadonlySet<unknown> | undefined {
  const values = Object.hasOwn(schema, "const") && hasKeyword(resource.dialect, "const") ? [schema.const] : schema.enum
  if (!isArray(values) || values.some((value) => typeof value === "object" && value !== null)) return undefined
  return new Set(values)
}

function tagsOf(document: SchemaDocument, node: SchemaNode): ReadonlyMap<string, ReadonlySet<unknown>> {
  const tags = new Map<string, ReadonlySet<unknown>>()
  const { properties, required } = node.schema
  if (!isObject(properties) || !isArray(required)) return tags
  for (const name of required) {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) continue
    const values = facts(document, document.subschema(node, "properties", name), 12).values
    if (values !== undefined) tags.set(name, values)
  }
  return tags
}

function withSubtypes(type: string): string[] {
  return type === "number" ? ["number", "integer"] : [type]
}

function typesOfValue(value: unknown): string[] {
  if (value === null) return ["null"]
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value]
}

function exclude(left: Facts, right: Facts): boolean {
  if (left.types !== undefined && right.types !== undefined && !overlap(left.types, right.types)) return true
  if (left.values !== undefined && right.values !== undefined && !overlap(left.values, right.values)) return true
  for (const [name, values] of left.tags) {
    const others = right.tags.get(name)
    if (others !== undefined && !overlap(values, others)) return true
  }
  return false
}

function overlap(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): boolean {
  for (const entry of left) if (right.has(entry)) return true
  return false
}
