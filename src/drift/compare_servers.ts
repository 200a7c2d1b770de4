/**
 * What changed between a reviewed server and the same one now.
 *
 * In: two locks of one server. Out: changes by tool, each with what it means for callers in the words of semantic versioning. A change
 * that cannot be judged counts as breaking: nobody has shown that it is not.
 */
import { canonicalJSON } from "./canonical_json.js"
import { compareSchemas, type SchemaComparison } from "./compare_schemas.js"
import { LOCKED_PARTS, type LockedServer, type LockedTool } from "./lock.js"

/** What a change asks of those who use the tool: `major` may break them, `minor` offers more, `patch` changes words. */
export type ChangeLevel = "major" | "minor" | "patch"

/** One change of a server. */
export interface ServerChange {
  /** Undefined where the server itself changed: its name or its instructions. */
  readonly tool?: string | undefined
  readonly kind: "server" | "added" | "removed" | "digest" | (typeof LOCKED_PARTS)[number] | "input" | "output"
  readonly level: ChangeLevel
  /** One line for people. */
  readonly summary: string
  /** For `input` and `output`: how the schemas compare. */
  readonly comparison?: SchemaComparison | undefined
}

/** Every change from one state of a server to another; none where they are equal. In the order of the tools' names. */
export function compareServers(before: LockedServer, after: LockedServer): ServerChange[] {
  const changes: ServerChange[] = []
  if (before.digest !== after.digest) changes.push({ kind: "server", level: "patch", summary: "the server's name or its instructions changed" })
  const names = [...new Set([...Object.keys(before.tools), ...Object.keys(after.tools)])].sort()
  for (const name of names) changes.push(...compareTools(name, ownOf(before, name), ownOf(after, name)))
  return changes
}

/** The changes of one tool; undefined stands for a tool that is not there. */
function compareTools(tool: string, before: LockedTool | undefined, after: LockedTool | undefined): ServerChange[] {
  if (before === undefined) return after === undefined ? [] : [{ tool, kind: "added", level: "minor", summary: "is new" }]
  if (after === undefined) return [{ tool, kind: "removed", level: "major", summary: "is gone" }]
  if (before.digest === after.digest) return []
  const changes: ServerChange[] = []
  for (const kind of LOCKED_PARTS) {
    if (before.parts[kind] !== after.parts[kind]) changes.push({ tool, kind, level: kind === "execution" ? "major" : kind === "annotations" ? "minor" : "patch", summary: `its ${kind} changed` })
  }
  if (canonicalJSON(before.inputSchema) !== canonicalJSON(after.inputSchema)) changes.push(inputChange(tool, compareSchemas(before.inputSchema, after.inputSchema)))
  const [was, is] = [before.outputSchema, after.outputSchema]
  if (canonicalJSON(was ?? null) !== canonicalJSON(is ?? null)) changes.push(outputChange(tool, was, is))
  // Nothing that is known of it differs, and yet it is not what the digest stands for: somebody has edited the lock.
  return changes.length > 0 ? changes : [{ tool, kind: "digest", level: "major", summary: "its digest in the lock is not that of the parts beside it" }]
}

function inputChange(tool: string, comparison: SchemaComparison): ServerChange {
  const { relation } = comparison
  const level = relation === "equal" ? "patch" : relation === "widened" ? "minor" : "major"
  return { tool, kind: "input", level, summary: `its input ${told(relation, "takes")}${placesOf(comparison)}`, comparison }
}

function outputChange(tool: string, before: unknown, after: unknown): ServerChange {
  if (before === undefined) return { tool, kind: "output", level: "minor", summary: "it declares an output schema now" }
  if (after === undefined) return { tool, kind: "output", level: "major", summary: "it declares an output schema no more" }
  const comparison = compareSchemas(before, after)
  const { relation, findings, newToReaders } = comparison
  const breaks = relation === "unclear" || newToReaders !== undefined || findings.some(({ direction, property }) => direction === "unclear" || (direction === "widened" && property === undefined))
  const level = relation === "equal" ? "patch" : breaks ? "major" : "minor"
  return { tool, kind: "output", level, summary: `its output ${told(relation, "holds")}${placesOf(comparison)}`, comparison }
}

function told(relation: SchemaComparison["relation"], verb: string): string {
  if (relation === "equal") return "is the same in other words"
  const how = { narrowed: "less than", widened: "more than", changed: "other values than", unclear: "perhaps other values than" }[relation]
  return `${verb} ${how} before`
}

const SHOWN = 3

function placesOf({ findings }: SchemaComparison): string {
  if (findings.length === 0) return ""
  const shown = findings.slice(0, SHOWN).map(({ pointer, reason }) => `${pointer === "" ? "/" : pointer} ${reason}`)
  return `: ${shown.join("; ")}${findings.length > SHOWN ? `; and ${String(findings.length - SHOWN)} more` : ""}`
}

function ownOf({ tools }: LockedServer, name: string): LockedTool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}
