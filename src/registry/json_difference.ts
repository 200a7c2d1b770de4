/**
 * Finds what JSON would change in a value.
 *
 * In: any value. Out: the pointer of the first thing that would not come back from JSON as it is, and why; undefined for plain
 * JSON. A result that changes on its way to another process is noticed where it is made, not where it is read.
 */

/** What JSON would change: where (RFC 6901 pointer) and a few words on why. */
export interface JSONDifference {
  readonly pointer: string
  readonly reason: string
}

const LONGEST_DEPTH = 512

/** The first thing in a value that JSON cannot carry; undefined where the value comes back as it is. */
export function jsonDifference(value: unknown): JSONDifference | undefined {
  return inspect(value, undefined, 0)
}

interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

function inspect(value: unknown, place: Place | undefined, depth: number): JSONDifference | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      if (!Number.isFinite(value)) return at(place, `${String(value)} is no JSON number`)
      return Object.is(value, -0) ? at(place, "-0 becomes 0") : undefined
    case "object":
      if (value === null) return undefined
      if (depth >= LONGEST_DEPTH) return at(place, `it is nested deeper than ${String(LONGEST_DEPTH)} levels, or in itself`)
      return Array.isArray(value) ? inspectArray(value, place, depth) : inspectObject(value, place, depth)
    default:
      return at(place, `JSON has no ${typeof value}`)
  }
}

function inspectArray(list: readonly unknown[], place: Place | undefined, depth: number): JSONDifference | undefined {
  for (let index = 0; index < list.length; index++) {
    const child = list[index]
    if (typeof child === "string") continue
    const found = inspect(child, { parent: place, key: index }, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function inspectObject(value: object, place: Place | undefined, depth: number): JSONDifference | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return at(place, `an instance of ${nameOf(value)} does not come back as one`)
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === "string") continue
    const found = inspect(child, { parent: place, key }, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function nameOf(value: object): string {
  const { constructor } = value
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "a class"
}

function at(place: Place | undefined, reason: string): JSONDifference {
  let pointer = ""
  for (let here = place; here !== undefined; here = here.parent) {
    pointer = `/${String(here.key).replaceAll("~", "~0").replaceAll("/", "~1")}${pointer}`
  }
  return { pointer, reason }
}
