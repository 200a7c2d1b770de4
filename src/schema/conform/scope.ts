/**
 * The references that hold at a node of a TypeBox schema.
 *
 * In: a root schema, then the nodes a walk enters. Out: a scope, which also keeps the checks that were made for its nodes.
 * Scopes are kept for each schema node, so the second wrong value costs no compilation.
 */
import { Kind, type TImport, type TSchema } from "@sinclair/typebox"
import type { SchemaCheck } from "../compile.js"
import { compilesRight } from "../compiles_right.js"
import type { Kernel } from "../kernel/kernel.js"
import { recordOf } from "../source_record.js"

/** What holds at a node: the schemas that its references may name, and how checks are made. */
export interface Scope {
  readonly references: readonly TSchema[]
  readonly byId: ReadonlyMap<string, TSchema>
  /** Schemas with an `$id` around the node; a node of kind This calls the check function of one of them. */
  readonly around: readonly TSchema[]
  readonly road: CheckRoad
  readonly checks: WeakMap<TSchema, SchemaCheck>
  readonly inner: WeakMap<TSchema, Scope>
}

/** How checks are made: compiled; by `Value.Check`, where the compiler is known to be wrong; or by the kernel. */
type CheckRoad = "compiled" | "interpreted" | Kernel

const roots = new WeakMap<TSchema, Scope>()

/** The scope at the root of a schema; the same one each time. */
export function rootScope(schema: TSchema): Scope {
  let scope = roots.get(schema)
  if (scope === undefined) roots.set(schema, (scope = newScope([], [], roadOf(schema))))
  return scope
}

function roadOf(schema: TSchema): CheckRoad {
  const record = recordOf(schema)
  if (record === undefined) return compilesRight(schema) ? "compiled" : "interpreted"
  return record.road === "interpreted" ? record.kernel() : "compiled"
}

/** The scope below a node: wider than `scope` where the node brings definitions or an `$id`. */
export function enterScope(scope: Scope, schema: TSchema): Scope {
  const isImport = schema[Kind] === "Import"
  if (!isImport && typeof schema.$id !== "string") return scope
  let inner = scope.inner.get(schema)
  if (inner === undefined) {
    // The kind says that it is an Import.
    const brought: TSchema[] = isImport ? Object.values((schema as TImport).$defs) : [schema]
    const fresh = brought.filter((one) => typeof one.$id === "string" && !scope.byId.has(one.$id))
    inner = fresh.length === 0 ? scope : newScope([...scope.references, ...fresh], isImport ? scope.around : [...scope.around, schema], scope.road)
    scope.inner.set(schema, inner)
  }
  return inner
}

/** The schema that a node of kind Ref or This names, or undefined where nothing of that name is in scope. */
export function resolveReference(scope: Scope, schema: TSchema): TSchema | undefined {
  let target: TSchema | undefined = schema
  for (let hops = 0; target !== undefined && (target[Kind] === "Ref" || target[Kind] === "This"); hops++) {
    const name: unknown = target.$ref
    if (hops > scope.references.length || typeof name !== "string") return undefined
    target = scope.byId.get(name)
  }
  return target
}

/** The schema that a node of kind Import stands for. */
export function importTarget(schema: TSchema): TSchema | undefined {
  // The kind says that it is an Import.
  const { $defs, $ref } = schema as TImport
  return Object.hasOwn($defs, $ref) ? $defs[$ref] : undefined
}

function newScope(references: readonly TSchema[], around: readonly TSchema[], road: CheckRoad): Scope {
  const byId = new Map<string, TSchema>()
  for (const one of references) if (typeof one.$id === "string" && !byId.has(one.$id)) byId.set(one.$id, one)
  return { references, byId, around, road, checks: new WeakMap(), inner: new WeakMap() }
}
