/**
 * The members and items of a value, each with the node that speaks about it alone.
 *
 * In: a node of a TypeBox schema with its scope, and a value. Out: the parts, or undefined where the node says something of the
 * value that is no sum of what it says of the parts (unions, intersects, exact nodes, scalars, and any node over a value of
 * another shape). References are followed.
 */
import { Kind, type TArray, type TObject, type TRecord, type TSchema, type TTuple } from "@sinclair/typebox"
import { isContainer, type Members } from "./member.js"
import { enterScope, importTarget, resolveReference, type Scope } from "./scope.js"

/** Looks at one part: its key, its value, and the node for it (none where nothing is asked of it). False ends the look. */
type PartVisitor = (key: string | number, value: unknown, schema: TSchema | undefined) => boolean

/** A value taken apart: the node that did it, its scope, and a way to look at the parts; `every` is true where no look was ended. */
export interface Parts {
  readonly scope: Scope
  readonly node: TSchema
  readonly every: (visit: PartVisitor) => boolean
}

/** The parts of `value` under a node. */
export function partsOf(outer: Scope, schema: TSchema, value: unknown): Parts | undefined {
  let node: TSchema | undefined = schema
  let scope = enterScope(outer, schema)
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    if (node[Kind] === "Import") node = importTarget(node)
    else if (node[Kind] === "Ref" || node[Kind] === "This") node = resolveReference(scope, node)
    else break
    if (node === undefined) return undefined
    scope = enterScope(scope, node)
  }
  const every = isContainer(value) ? partsVisitor(node, value) : undefined
  return every && { scope, node, every }
}

/** References in a row after which nothing is followed. */
const MAX_HOPS = 32

function partsVisitor(node: TSchema, value: Members): Parts["every"] | undefined {
  // Each kind is known from its name.
  switch (node[Kind]) {
    case "Object":
      return Array.isArray(value) ? undefined : members(value, objectMember(node as TObject))
    case "Record":
      return Array.isArray(value) ? undefined : members(value, recordMember(node as TRecord))
    case "Array":
      return Array.isArray(value) ? items(value, () => (node as TArray).items) : undefined
    case "Tuple":
      // Of a tuple of another length TypeBox says nothing more than that.
      return Array.isArray(value) && value.length === (node as TTuple).maxItems ? items(value, (index) => (node as Partial<TTuple>).items?.[index]) : undefined
    default:
      return undefined
  }
}

function objectMember({ properties, additionalProperties }: TObject): (key: string) => TSchema | undefined {
  return (key) => (Object.hasOwn(properties, key) ? properties[key] : asSchema(additionalProperties))
}

function recordMember(node: TRecord): (key: string) => TSchema | undefined {
  const [pattern, member] = Object.entries(node.patternProperties)[0] ?? []
  const expression = new RegExp(pattern ?? "")
  return (key) => (expression.test(key) ? member : asSchema(node.additionalProperties))
}

function asSchema(additional: unknown): TSchema | undefined {
  // TypeBox allows a schema or a boolean here, and nothing else is an object.
  return typeof additional === "object" && additional !== null ? (additional as TSchema) : undefined
}

function members(value: Members, schemaOf: (key: string) => TSchema | undefined): Parts["every"] {
  return (visit) => Object.keys(value).every((key) => visit(key, value[key], schemaOf(key)))
}

function items(value: readonly unknown[], schemaOf: (index: number) => TSchema | undefined): Parts["every"] {
  return (visit) => value.every((item, index) => visit(index, item, schemaOf(index)))
}
