/**
 * The check of one node of a schema, where it stands.
 *
 * In: a scope and a node. Out: a check that never throws, kept in the scope. It is compiled when walks have asked often enough, or
 * about something large: most nodes of most schemas meet a wrong value once or never. Where the work of compiled checks could multiply, the kernel is asked
 * about the subschema that the node was made of.
 */
import { Kind, Type, type TSchema, type TUnion } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import type { SchemaCheck } from "../compile.js"
import { exactCheckOf } from "../exact_kind.js"
import { originOf } from "../native/origin.js"
import { isContainer } from "./member.js"
import { nodeAlone } from "./node_alone.js"
import { partsOf } from "./parts.js"
import { enterScope, importTarget, resolveReference, type Scope } from "./scope.js"

/** Kinds that have no parts: compiling them gains nothing. */
const LEAVES: ReadonlySet<string> = new Set([
  ...["Any", "BigInt", "Boolean", "Date", "Integer", "Literal", "Never", "Null", "Number", "String"],
  ...["Symbol", "Uint8Array", "Undefined", "Unknown", "Void"],
])

/** The check of one node in its scope. It never throws: what cannot be checked does not fit. */
export function checkOf(scope: Scope, schema: TSchema): SchemaCheck {
  let check = scope.checks.get(schema)
  if (check === undefined) scope.checks.set(schema, (check = makeCheck(scope, schema)))
  return check
}

function makeCheck(scope: Scope, schema: TSchema): SchemaCheck {
  const exact = exactCheckOf(schema)
  if (exact !== undefined) return exact
  if (LEAVES.has(schema[Kind])) return guarded(interpret(scope, schema))
  const { road } = scope
  if (road === "compiled") return guarded(compiledLater(scope, schema))
  if (road === "interpreted") return guarded(interpret(scope, schema))
  const origin = originOf(schema)
  return origin === undefined ? guarded((value) => fitsByParts(scope, schema, value)) : (value) => road.fits(origin, value)
}

function guarded(check: SchemaCheck): SchemaCheck {
  return (value) => {
    try {
      return check(value)
    } catch {
      // Nested too deep for the stack, or a kind that nobody registered.
      return false
    }
  }
}

/** Answers that are interpreted before compiling pays: it costs as much as checking a few hundred small values. */
const INTERPRETED_ANSWERS = 5

function compiledLater(scope: Scope, schema: TSchema): SchemaCheck {
  const interpreted = interpret(scope, schema)
  let left = INTERPRETED_ANSWERS
  let compiled: SchemaCheck | undefined
  return (value) => {
    if (compiled === undefined && left > 0 && isSmall(value)) {
      left--
      return interpreted(value)
    }
    compiled ??= compileIn(scope, schema) ?? interpreted
    return compiled(value)
  }
}

const SMALL = 200

/** True for a value of a few parts. */
function isSmall(value: unknown): boolean {
  const waiting = [value]
  for (let seen = 0; waiting.length > 0; seen++) {
    const at = waiting.pop()
    if (!isContainer(at)) continue
    const parts = Object.values(at)
    if (seen + waiting.length + parts.length > SMALL) return false
    waiting.push(...parts)
  }
  return true
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

/** For the nodes that were made of a part of a subschema only: what they say themselves, and the checks of their parts. */
function fitsByParts(scope: Scope, schema: TSchema, value: unknown): boolean {
  switch (schema[Kind]) {
    case "Import":
    case "Ref": {
      const inner = enterScope(scope, schema)
      const target = schema[Kind] === "Import" ? importTarget(schema) : resolveReference(inner, schema)
      return target !== undefined && checkOf(inner, target)(value)
    }
    case "Union":
      // The kind says that it is a union.
      return (schema as TUnion).anyOf.some((branch) => checkOf(scope, branch)(value))
    default: {
      const taken = partsOf(scope, schema, value)
      if (taken === undefined) return false
      const alone = nodeAlone(taken.node)
      if (alone !== undefined && !Value.Check(alone, [...taken.scope.references], value)) return false
      return taken.every((_, part, node) => node === undefined || checkOf(taken.scope, node)(part))
    }
  }
}
