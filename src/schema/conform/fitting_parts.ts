/**
 * The largest objects and lists of a value that fit although the whole does not.
 *
 * In: a schema, its scope, a value that does not fit. Out: a set of them, for an evaluator that looks for reasons and need not
 * look there. The walk goes only where a compiled check says no, with a stack of its own.
 */
import type { TSchema } from "@sinclair/typebox"
import { isContainer } from "./member.js"
import { partsOf } from "./parts.js"
import { checkOf } from "./node_check.js"
import type { Scope } from "./scope.js"

/** The parts that fit, each without its own parts. */
export function fittingParts(scope: Scope, schema: TSchema, value: unknown): ReadonlySet<unknown> {
  const fitting = new Set<unknown>()
  const entered = new Set<unknown>()
  const waiting = [{ scope, schema, value }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const taken = entered.has(at.value) ? undefined : partsOf(at.scope, at.schema, at.value)
    entered.add(at.value)
    for (const part of taken?.parts ?? []) {
      if (!isContainer(part.value)) continue
      if (part.schema === undefined || checkOf(taken?.scope ?? at.scope, part.schema)(part.value)) fitting.add(part.value)
      else waiting.push({ scope: taken?.scope ?? at.scope, schema: part.schema, value: part.value })
    }
  }
  // A value that stands in two places may fit in one of them only.
  for (const one of entered) fitting.delete(one)
  return fitting
}
