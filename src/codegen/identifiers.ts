/**
 * Names of strangers as names of TypeScript.
 *
 * In: names of servers and tools. Out: identifiers, each one unlike all others, and the same ones whatever the order of listing.
 */
import { contentDigest } from "../schema.js"

/** `create-issue` and `create_issue` as `createIssue`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name)
  // A run of capitals at the start goes down as a whole: `URLFor` becomes `urlFor`.
  const lowered = pascal.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/, (start) => start.toLowerCase())
  return /^[0-9]/.test(lowered) ? `_${lowered}` : lowered
}

/** `create-issue` and `createIssue` as `CreateIssue`. Never empty. */
export function pascalCase(name: string): string {
  const words = name.match(/[A-Za-z0-9]+/g) ?? []
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
  return joined === "" ? `Unnamed${contentDigest(name).slice(0, 6)}` : joined
}

/**
 * A name for each of the given ones. Where several would get the same, the one that is spelled so already keeps it and the others get
 * a suffix made of their own spelling.
 */
export function uniqueNames(names: Iterable<string>, toName: (name: string) => string): Map<string, string> {
  const claims = new Map<string, string[]>()
  for (const name of [...new Set(names)].sort()) {
    const wished = toName(name)
    // Letter case alone does not tell two files apart on every system.
    const key = wished.toLowerCase()
    claims.set(key, [...(claims.get(key) ?? []), name])
  }
  const given = new Map<string, string>()
  for (const [, claimants] of claims) {
    const [only] = claimants
    const keeper = claimants.length === 1 && only !== undefined ? only : claimants.find((name) => name === toName(name))
    for (const name of claimants) {
      const wished = toName(name)
      given.set(name, name === keeper ? wished : `${wished}_${contentDigest(name).slice(0, 6)}`)
    }
  }
  return given
}
