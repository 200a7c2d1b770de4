/**
 * Collects issues up to a limit, and turns places into JSON pointers.
 *
 * A place is a chain of keys, so that evaluating a large value that fits builds no text.
 */
import { pointerToken } from "../document/uri.js"
import type { SchemaIssue } from "../issue.js"

/** A place in a value; undefined is its root. */
export type Place = { readonly parent: Place; readonly key: string | number } | undefined

/** RFC 6901 pointer of a place, behind a prefix. */
function pointerOfPlace(place: Place, prefix = ""): string {
  let pointer = ""
  for (let at = place; at !== undefined; at = at.parent) pointer = `/${pointerToken(at.key)}${pointer}`
  return prefix + pointer
}

/** Where issues go. */
export class IssueSink {
  readonly issues: { readonly at: Place; readonly keyword: string; readonly message: string }[] = []

  constructor(readonly limit: number) {}

  get isFull(): boolean {
    return this.issues.length >= this.limit
  }

  add(at: Place, keyword: string, message: string): void {
    if (!this.isFull) this.issues.push({ at, keyword, message })
  }

  /** Takes over what another sink has collected. */
  take(other: IssueSink): void {
    for (const issue of other.issues) this.add(issue.at, issue.keyword, issue.message)
  }

  /** The issues with their pointers; the same one is told once. */
  toIssues(prefix: string): SchemaIssue[] {
    const told = new Map<string, SchemaIssue>()
    for (const { at, keyword, message } of this.issues) {
      const path = pointerOfPlace(at, prefix)
      const key = `${keyword} ${message} ${path}`
      if (!told.has(key)) told.set(key, { path, keyword, message })
    }
    return [...told.values()]
  }
}
