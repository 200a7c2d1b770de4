/**
 * Of several alternatives that all failed, the issues of the one that was probably meant.
 *
 * In: the issues of each alternative. Out: those worth telling, none where no alternative is nearer than another: a list of
 * what every alternative would have wanted helps nobody.
 */
import type { IssueSink, Place } from "./issue_sink.js"

type Issue = IssueSink["issues"][number]

/** The issues of the closest alternative. */
export function closestIssues(alternatives: readonly IssueSink[], at: Place): readonly Issue[] {
  let best: { issues: readonly Issue[]; distance: number } | undefined
  for (const { issues } of alternatives) {
    const distance = distanceOf(issues, at)
    if (best === undefined || distance < best.distance) best = { issues, distance }
  }
  if (best === undefined || best.distance >= WRONG_VALUE) return []
  const tags = best.issues.filter((issue) => isTag(issue, at))
  // The tag rules the alternative out, so what else it misses says nothing.
  return tags.length > 0 ? tags : best.issues
}

/** More than any number of issues: the value itself, not something in it, is of the wrong kind. */
const WRONG_VALUE = 1_000_000
/** More than any number of issues: a member that tells alternatives apart has another value. */
const WRONG_TAG = 1_000

function distanceOf(issues: readonly Issue[], at: Place): number {
  let distance = Math.min(issues.length, WRONG_TAG - 1)
  for (const issue of issues) {
    if (issue.at === at && OF_THE_WHOLE.has(issue.keyword)) return WRONG_VALUE
    if (isTag(issue, at)) distance += WRONG_TAG
  }
  return distance
}

const OF_THE_WHOLE: ReadonlySet<string> = new Set(["type", "const", "enum", "false"])

function isTag(issue: Issue, at: Place): boolean {
  return issue.at !== undefined && issue.at.parent === at && issue.at !== at && (issue.keyword === "const" || issue.keyword === "enum")
}
