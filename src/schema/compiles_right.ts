/**
 * Whether TypeCompiler 0.34 makes a right check of a schema.
 *
 * In: a TypeBox schema. Out: false where the generated code is known to answer otherwise than `Value.Check`: an
 * `additionalProperties` schema inside another one reads `value[key][key]`, one beside a record's pattern reads the wrong
 * variable, two schemas with one `$id` share one function, and a closed object counts its keys, one of which may be missing. What FromSchema makes has none of these; hosts write them.
 */
import { Kind, TypeRegistry, type TSchema } from "@sinclair/typebox"
import { isExactSchema } from "./exact_kind.js"

/** False for a schema that has to be checked by `Value.Check`. */
export function compilesRight(schema: TSchema): boolean {
  const named = new Map<string, TSchema>()
  const seen = new Set<TSchema>()
  const visit = (node: unknown, isRoot: boolean, inMember: boolean): boolean => {
    if (!isSchema(node)) return true
    // An `$id` is hoisted to a function with variables of its own.
    const isHoisted = typeof node.$id === "string"
    if (isHoisted && (named.get(node.$id ?? "") ?? node) !== node) return false
    if (isHoisted) named.set(node.$id ?? "", node)
    if (seen.has(node) && (isHoisted || !inMember)) return true
    seen.add(node)
    if (WRONG_KINDS.has(node[Kind]) || countsMissingKeys(node)) return false
    const inside = inMember && !isHoisted
    const brought = schemaIn(node.additionalProperties) ?? schemaIn(node.unevaluatedProperties)
    if (node[Kind] === "Record") {
      return (brought === undefined || (isRoot && !isHoisted)) && visitAll([...schemasIn(node.patternProperties), brought], false)
    }
    if (brought !== undefined && (inside || !visit(brought, false, true))) return false
    if (node[Kind] === "Array") return visitAll([node.items, node.contains], false)
    const parts = [...schemasIn(node.properties), ...listIn(node.items), ...listIn(node.anyOf), ...listIn(node.allOf), node.not]
    return visitAll(parts, inside) && visitAll(schemasIn(node.$defs), false)
  }
  const visitAll = (nodes: readonly unknown[], inMember: boolean): boolean => nodes.every((node) => visit(node, false, inMember))
  return visit(schema, true, false)
}

/** Kinds whose generated code reads another variable or compares a bigint with a number. */
const WRONG_KINDS: ReadonlySet<string> = new Set(["AsyncIterator", "BigInt", "Iterator"])

/** True for a closed object whose keys are all required, one of them of a schema that undefined fits without being asked for. */
function countsMissingKeys(node: TSchema): boolean {
  if (node[Kind] !== "Object" || node.additionalProperties !== false) return false
  return schemasIn(node.properties).some((property) => isSchema(property) && takesUndefined(property) && !asksForKey(property))
}

function takesUndefined(schema: TSchema): boolean {
  switch (schema[Kind]) {
    case "Union":
      return listIn(schema.anyOf).some((part) => isSchema(part) && takesUndefined(part))
    case "Intersect":
      return listIn(schema.allOf).every((part) => isSchema(part) && takesUndefined(part))
    default:
      return TAKING_UNDEFINED.has(schema[Kind]) || (TypeRegistry.Has(schema[Kind]) && !isExactSchema(schema))
  }
}

const TAKING_UNDEFINED: ReadonlySet<string> = new Set(["Any", "Not", "Undefined", "Unknown", "Void"])

/** As TypeBox decides whether it looks for the key itself. */
function asksForKey(schema: TSchema): boolean {
  switch (schema[Kind]) {
    case "Any":
    case "Unknown":
      return true
    default:
      return extendsUndefined(schema)
  }
}

function extendsUndefined(schema: TSchema): boolean {
  switch (schema[Kind]) {
    case "Union":
      return listIn(schema.anyOf).some((part) => isSchema(part) && extendsUndefined(part))
    case "Intersect":
      return listIn(schema.allOf).every((part) => isSchema(part) && extendsUndefined(part))
    case "Not":
      return isSchema(schema.not) && !extendsUndefined(schema.not)
    default:
      return schema[Kind] === "Undefined"
  }
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null && Kind in value
}

function schemaIn(value: unknown): TSchema | undefined {
  return isSchema(value) ? value : undefined
}

function schemasIn(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : []
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
