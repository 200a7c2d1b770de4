/**
 * The references that hold at a node of a TypeBox schema, and the checks of the nodes below them.
 *
 * In: a root schema, then the nodes a walk enters. Out: a scope, whose `fits` answers on the compiled road where there is one.
 * Scopes and checks are kept for each schema node, so the second wrong value costs no compilation. Nodes are compiled when a
 * walk first asks about them: most nodes of most schemas never meet a wrong value.
 */
import { Kind, Type, type TImport, type TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { compile, type SchemaCheck } from "../compile.js"
import { compilesRight } from "../compiles_right.js"
import { exactCheckOf } from "../exact_kind.js"
import { recordOf } from "../source_record.js"

/** What holds at a node: the schemas that its references may name. */
export interface Scope {
  readonly references: readonly TSchema[]
  /** Schemas with an `$id` around the node; a node of kind This calls the check function of one of them. */
  readonly around: readonly TSchema[]
  /** False where TypeCompiler is known to make wrong checks of the root: then nothing below it is compiled either. */
  readonly compiles: boolean
  readonly checks: WeakMap<TSchema, SchemaCheck>
  readonly inner: WeakMap<TSchema, Scope>
}

const roots = new WeakMap<TSchema, Scope>()

/** Kinds that have no parts: compiling them gains nothing. */
const LEAVES: ReadonlySet<string> = new Set([
  "Any", "BigInt", "Boolean", "Date", "Integer", "Literal", "Never", "Null", "Number", "String", "Symbol", "Uint8Array", "Undefined", "Unknown", "Void",
])

/** The scope at the root of a schema; the same one each time. */
export function rootScope(schema: TSchema): Scope {
  let scope = roots.get(schema)
  if (scope === undefined) roots.set(schema, (scope = newScope([], [], recordOf(schema) !== undefined || compilesRight(schema))))
  return scope
}

/** The scope below a node: wider than `scope` where the node brings definitions or an `$id`. */
export function enterScope(scope: Scope, schema: TSchema): Scope {
  const brought = schema[Kind] === "Import" ? definitionsOf(schema) : typeof schema.$id === "string" ? [schema] : []
  const fresh = brought.filter((one) => !scope.references.some((known) => known.$id === one.$id))
  if (fresh.length === 0) return scope
  let inner = scope.inner.get(schema)
  if (inner === undefined) {
    inner = newScope([...scope.references, ...fresh], schema[Kind] === "Import" ? scope.around : [...scope.around, schema], scope.compiles)
    scope.inner.set(schema, inner)
  }
  return inner
}

/** The schema that a node of kind Ref or This names, or undefined where nothing of that name is in scope. */
export function resolveReference(scope: Scope, schema: TSchema): TSchema | undefined {
  let target: TSchema | undefined = schema
  for (let hops = 0; target !== undefined && (target[Kind] === "Ref" || target[Kind] === "This"); hops++) {
    const name: unknown = target.$ref
    if (hops > scope.references.length) return undefined
    target = scope.references.find((one) => one.$id === name)
  }
  return target
}

/** The schema that a node of kind Import stands for. */
export function importTarget(schema: TSchema): TSchema | undefined {
  // The kind says that it is an Import.
  const { $defs, $ref } = schema as TImport
  return Object.hasOwn($defs, $ref) ? $defs[$ref] : undefined
}

/** The check of one node in its scope. It never throws: what cannot be checked does not fit. */
export function checkOf(scope: Scope, schema: TSchema): SchemaCheck {
  let check = scope.checks.get(schema)
  if (check === undefined) scope.checks.set(schema, (check = makeCheck(scope, schema)))
  return check
}

function newScope(references: readonly TSchema[], around: readonly TSchema[], compiles: boolean): Scope {
  return { references, around, compiles, checks: new WeakMap(), inner: new WeakMap() }
}

function definitionsOf(schema: TSchema): TSchema[] {
  // The kind says that it is an Import.
  return Object.values((schema as TImport).$defs)
}

function makeCheck(scope: Scope, schema: TSchema): SchemaCheck {
  const exact = exactCheckOf(schema)
  if (exact !== undefined) return exact
  const isLeaf = LEAVES.has(schema[Kind])
  if (!isLeaf && scope.references.length === 0) return compile(schema)
  const check = (isLeaf || !scope.compiles ? undefined : compileIn(scope, schema)) ?? interpret(scope, schema)
  return (value) => {
    try {
      return check(value)
    } catch {
      // Nested too deep for the stack, or a kind that nobody registered.
      return false
    }
  }
}

function interpret(scope: Scope, schema: TSchema): SchemaCheck {
  // Value.Check writes to the references it is given.
  return (value) => Value.Check(schema, [...scope.references], value)
}

/**
 * A node of kind This compiles to a call of the function made for the schema around it. A part compiled alone would call a
 * function that is not there, so the schemas around are compiled along, in a branch that is never taken.
 */
function compileIn(scope: Scope, schema: TSchema): SchemaCheck | undefined {
  try {
    const whole = scope.around.length === 0 ? schema : Type.Union([schema, Type.Intersect([Type.Never(), ...scope.around])])
    const compiled = TypeCompiler.Compile(whole, [...scope.references])
    return (value) => compiled.Check(value)
  } catch {
    // No code may be generated here, or the compiler does not take this schema: then the slower check answers.
    return undefined
  }
}
