/**
 * Which branch of a union Cast turns a value into.
 *
 * In: a union and a value that fits none of its branches. Out: the branch that the value is most like, by the points of
 * `Value.Cast`: a matching literal member 100, a fitting member 10, a present one 1; the first branch where nothing counts.
 * Nothing is changed here.
 */
import { Kind, type TObject, type TSchema, type TUnion } from "@sinclair/typebox"
import { isContainer, readMember } from "./member.js"
import { checkOf } from "./node_check.js"
import { resolveReference, type Scope } from "./scope.js"

/** The branch nearest to the value; undefined for a union without branches, or with a reference that leads nowhere. */
export function selectBranch(scope: Scope, union: TUnion, value: unknown): TSchema | undefined {
  // Unions in unions look at one value, and a hundred that each name the next one twice have 2^100 ways to the last.
  const known = new Map<TSchema, number>()
  let best = 0
  let selected: TSchema | undefined
  for (const [index, branch] of union.anyOf.entries()) {
    const target = resolveReference(scope, branch)
    if (target === undefined) return undefined
    const points = score(scope, target, value, known)
    if (index === 0 || points > best) {
      selected = target
      best = Math.max(best, points)
    }
  }
  return selected
}

function score(scope: Scope, schema: TSchema, value: unknown, known: Map<TSchema, number>): number {
  // The kind says what it is.
  if (schema[Kind] === "Object" && isContainer(value)) {
    let points = 0
    for (const [key, property] of Object.entries((schema as TObject).properties)) {
      const member = readMember(value, key)
      if (property[Kind] === "Literal" && property.const === member) points += 100
      if (checkOf(scope, property)(member)) points += 10
      if (Object.hasOwn(value, key)) points += 1
    }
    return points
  }
  if (schema[Kind] === "Union") {
    // As above.
    const points = (schema as TUnion).anyOf.map((branch) => {
      const target = resolveReference(scope, branch)
      if (target === undefined) return 0
      const own = known.get(target) ?? score(scope, target, value, known)
      known.set(target, own)
      return own
    })
    return Math.max(...points)
  }
  return checkOf(scope, schema)(value) ? 1 : 0
}
