/**
 * Points out integers that a double cannot hold exactly.
 *
 * In: a value that JSON.parse made. Out: one issue for each integer beyond 2^53 - 1. Parsing has rounded it already, so the
 * exact digits stand in the text alone; the caller asks only where it saw a run of 16 digits there.
 * Walks with a stack of its own: values of strangers are as deep as they like.
 */
import { isContainer } from "./conform/member.js"
import { placeOf, pointerOf, ROOT, type Place } from "./conform/place.js"
import type { SchemaIssue } from "./issue.js"

/** The keyword of these issues. No schema has it: it is JavaScript that cannot hold the number. */
const KEYWORD = "safeInteger"

/**
 * One issue (`keyword: "safeInteger"`) for each integer in `value` that is larger than 2^53 - 1 either way: its last digits
 * may not be those that were sent. Issues stand in the order of the value.
 */
export function unsafeIntegers(value: unknown): SchemaIssue[] {
  const issues: SchemaIssue[] = []
  const seen = new Set<object>()
  const waiting: { place: Place; value: unknown }[] = [{ place: ROOT, value }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at.value === "number" && Number.isInteger(at.value) && !Number.isSafeInteger(at.value)) {
      issues.push({
        path: pointerOf(at.place, "sent"),
        keyword: KEYWORD,
        message: "is an integer beyond 2^53: its last digits may differ from those that were sent",
      })
    }
    if (!isContainer(at.value) || seen.has(at.value)) continue
    seen.add(at.value)
    const { place } = at
    const members = Array.isArray(at.value) ? [...at.value.entries()] : Object.entries(at.value)
    for (const [key, member] of members.reverse()) {
      // Texts and small numbers are most of a value; they are not worth a place on the stack.
      if (isContainer(member) || typeof member === "number") waiting.push({ place: placeOf(place, key), value: member })
    }
  }
  return issues
}
