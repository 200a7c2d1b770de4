/**
 * Makes the value that `Value.Create` makes, within a budget.
 *
 * In: a schema node and its scope. Out: the value, or STUCK where Create would throw or where it would not end: a schema of
 * a hundred definitions that name the next one twice asks for 2^100 objects, and `minItems` may ask for any number.
 * Structure is walked here; leaves are made by `Value.Create` itself.
 */
import { Kind, type TArray, type TIntersect, type TObject, type TSchema, type TTuple, type TUnion } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { setMember, type Members } from "./member.js"
import { checkOf } from "./node_check.js"
import { enterScope, importTarget, resolveReference, type Scope } from "./scope.js"

/** What a walk answers where Cast cannot help. */
export const STUCK = Symbol("stuck")

/** How many values may still be made: for one call of `createValue`, and for the walk it belongs to. */
export interface Budget {
  total: number
}

/** The budget of one walk. Ten members for each of half a million broken rows fit in; a bomb does not. */
export function newBudget(): Budget {
  return { total: 5_000_000 }
}

const MAX_NODES = 10_000
const MAX_DEPTH = 256
/** The longest text that is padded; more than one that was meant. */
const MAX_PADDING = 100_000

/** The value `Value.Create` gives for the node, or STUCK. */
export function createValue(scope: Scope, schema: TSchema, budget: Budget): unknown {
  const making: Making = { budget, left: Math.min(MAX_NODES, budget.total), depth: 0 }
  return create(making, scope, schema)
}

interface Making {
  readonly budget: Budget
  left: number
  depth: number
}

function create(making: Making, outer: Scope, schema: TSchema): unknown {
  if (making.left <= 0 || making.depth >= MAX_DEPTH) return STUCK
  making.left--
  making.budget.total--
  making.depth++
  try {
    return createByKind(making, enterScope(outer, schema), schema)
  } finally {
    making.depth--
  }
}

function createByKind(making: Making, scope: Scope, schema: TSchema): unknown {
  if (schema[Kind] === "Import") return createTarget(making, scope, importTarget(schema))
  if ("default" in schema) return copyOf(schema.default)
  // Each kind is known from its name.
  switch (schema[Kind]) {
    case "Array":
      return createArray(making, scope, schema as TArray)
    case "Intersect":
      return createIntersect(making, scope, schema as TIntersect)
    case "Object":
      return createObject(making, scope, schema as TObject)
    case "Record":
      return {}
    case "Ref":
    case "This":
      return createTarget(making, scope, resolveReference(scope, schema))
    case "Tuple":
      return createEach(making, scope, (schema as Partial<TTuple>).items ?? [])
    case "Union":
      return createTarget(making, scope, (schema as TUnion).anyOf[0])
    default:
      return createLeaf(scope, schema)
  }
}

function createTarget(making: Making, scope: Scope, target: TSchema | undefined): unknown {
  return target === undefined ? STUCK : create(making, scope, target)
}

function createArray(making: Making, scope: Scope, schema: TArray): unknown {
  if (schema.uniqueItems === true || "contains" in schema) return STUCK
  const length = schema.minItems ?? 0
  if (length > making.left) return STUCK
  return createEach(making, scope, Array.from({ length }, () => schema.items))
}

function createEach(making: Making, scope: Scope, schemas: readonly TSchema[]): unknown {
  const made: unknown[] = []
  for (const schema of schemas) {
    const element = create(making, scope, schema)
    if (element === STUCK) return STUCK
    made.push(element)
  }
  return made
}

function createObject(making: Making, scope: Scope, schema: TObject): unknown {
  const required = new Set<string>(schema.required ?? [])
  const made: Members = {}
  for (const [key, property] of Object.entries(schema.properties)) {
    if (!required.has(key)) continue
    const member = create(making, scope, property)
    if (member === STUCK) return STUCK
    setMember(made, key, member)
  }
  return made
}

function createIntersect(making: Making, scope: Scope, schema: TIntersect): unknown {
  let made: unknown = {}
  for (const part of schema.allOf) {
    const next = create(making, scope, part)
    if (next === STUCK) return STUCK
    // Spreading what is no object gives an empty one, as Create does.
    made = typeof next === "object" ? { ...(made as object), ...next } : next
  }
  return checkOf(scope, schema)(made) ? made : STUCK
}

function createLeaf(scope: Scope, schema: TSchema): unknown {
  if (Number(schema.minLength) > MAX_PADDING || Number(schema.minByteLength) > MAX_PADDING) return STUCK
  // Create would read the clock, and a date nobody sent would look like one that was.
  if (schema[Kind] === "Date" && schema.minimumTimestamp === undefined) return STUCK
  try {
    return Value.Create(schema, [...scope.references])
  } catch {
    return STUCK
  }
}

/** A default of its own for each place it goes to: the schema's stays whole whatever the receiver does with it. */
export function copyOf(value: unknown): unknown {
  try {
    // A host's own TypeBox schema may give a function, which Create calls.
    return typeof value === "function" ? (value as () => unknown)() : structuredClone(value)
  } catch {
    return STUCK
  }
}
