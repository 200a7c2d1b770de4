/**
 * The objects and lists on the ways to what does not fit.
 *
 * In: a schema, its scope, a value that does not fit. Out: what is wrong somewhere inside, for an evaluator that looks for reasons
 * and need not look elsewhere. The walk goes only where a compiled check says no, with a stack of its own.
 */
import type { TSchema } from "@sinclair/typebox"
import type { WrongParts } from "../kernel/evaluation.js"
import { isContainer } from "./member.js"
import { checkOf } from "./node_check.js"
import { partsOf } from "./parts.js"
import type { Scope } from "./scope.js"

/** The parts that do not fit, the value itself among them. */
export function wrongParts(scope: Scope, schema: TSchema, value: unknown): WrongParts {
  const wrong = new Set<unknown>([value])
  const sorted = new Set<unknown>()
  const waiting = [{ scope, schema, value }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const taken = partsOf(at.scope, at.schema, at.value)
    if (taken === undefined) continue
    sorted.add(at.value)
    taken.every((_, part, node) => {
      if (isContainer(part) && node !== undefined && !wrong.has(part) && !checkOf(taken.scope, node)(part)) {
        wrong.add(part)
        waiting.push({ scope: taken.scope, schema: node, value: part })
      }
      return true
    })
  }
  return { wrong, sorted }
}
