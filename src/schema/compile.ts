/**
 * One check function for a schema, made once.
 *
 * In: a schema of `FromSchema` or any TypeBox schema. Out: a function that never throws and never overflows. Compiled where code may
 * be generated, interpreted under a content security policy. Keeps nothing alive: the cache goes with the schema.
 */
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { compilesRight } from "./compiles_right.js"
import { recordOf, type SourceRecord } from "./source_record.js"

/** True when the value fits. */
export type SchemaCheck = (value: unknown) => boolean

const checks = new WeakMap<object, SchemaCheck>()

/**
 * The check of a schema: true when a value fits it.
 *
 * It never throws: a value that is nested too deep or in a circle does not fit, and neither does anything fit a schema that is none.
 * Compiled on first use where code may be generated. The same schema gives the same function.
 */
export function compile(schema: TSchema): SchemaCheck {
  const record = recordOf(schema)
  const key = record ?? schema
  const known = checks.get(key)
  if (known !== undefined) return known
  const check = record === undefined ? guarded(fastest(schema, compilesRight(schema))) : checkOf(schema, record)
  checks.set(key, check)
  return check
}

function checkOf(schema: TSchema, { root, kernel, document, road }: SourceRecord): SchemaCheck {
  const interpreted: SchemaCheck = (value) => kernel().fits(root, value)
  if (road === "interpreted" || !mayGenerateCode()) return interpreted
  const compiled = guarded(fastest(schema, true))
  if (road === "compiled") return compiled
  const { valueDepth } = document.limits
  return (value) => (isModest(value, valueDepth) ? compiled(value) : interpreted(value))
}

/** Objects and arrays in a value that are counted before it goes to the evaluator that remembers. */
const MAX_COUNTED = 100_000

/** True when a value is neither deep, nor in a circle, nor so large that parts of it might be shared without end. */
function isModest(value: unknown, depth: number): boolean {
  let left = MAX_COUNTED
  const visit = (part: unknown, levels: number): boolean => {
    if (typeof part !== "object" || part === null) return true
    if (levels < 0 || --left < 0) return false
    if (Array.isArray(part)) {
      for (const item of part) if (!visit(item, levels - 1)) return false
      return true
    }
    for (const member of Object.values(part)) if (!visit(member, levels - 1)) return false
    return true
  }
  return visit(value, depth)
}

function fastest(schema: TSchema, isRight: boolean): SchemaCheck {
  if (isRight && mayGenerateCode()) {
    try {
      const compiled = TypeCompiler.Compile(schema)
      return (value) => compiled.Check(value)
    } catch {
      // A schema that TypeBox cannot compile may still be one that it can check.
    }
  }
  return (value) => Value.Check(schema, value)
}

/** A value's depth is known only when the stack ends; a schema of an unknown kind only when it is asked. */
function guarded(check: SchemaCheck): SchemaCheck {
  return (value) => {
    try {
      return check(value)
    } catch {
      return false
    }
  }
}

let generates: boolean | undefined

function mayGenerateCode(): boolean {
  if (generates === undefined) {
    try {
      // Asks the runtime; nothing of a schema is in it.
      // eslint-disable-next-line @typescript-eslint/no-implied-eval
      new Function("")
      generates = true
    } catch {
      generates = false
    }
  }
  return generates
}
