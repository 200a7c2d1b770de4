/**
 * Whether TypeCompiler 0.34 makes a right check of a schema.
 *
 * In: a TypeBox schema. Out: false where the generated code is known to answer otherwise than `Value.Check`: an
 * `additionalProperties` schema inside another one reads `value[key][key]`, one beside a record's pattern reads the wrong
 * variable, and two schemas with one `$id` share one function. What FromSchema makes has none of these; hosts write them.
 */
import { Kind, type TSchema } from "@sinclair/typebox"

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
    if (WRONG_KINDS.has(node[Kind])) return false
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
