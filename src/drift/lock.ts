/**
 * What was reviewed: the tools of servers as they were at one time.
 *
 * In: what servers say of themselves and of their tools. Out: digests of each part, and the schemas, as plain JSON that can be kept in a
 * file and compared later. Reads and writes text; knows nothing of files.
 */
import { Type, type Static } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { collectErrors } from "../schema.js"
import { canonicalJSON } from "./canonical_json.js"
import { jsonDigest } from "./digest.js"

/** What a server says of one tool: the members of `tools/list` that matter to a review. */
export interface ToolFacts {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
  readonly icons?: readonly unknown[] | undefined
  readonly execution?: unknown
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

const Digest = Type.String({ pattern: "^[0-9a-f]{64}$" })

/** The parts of a tool whose digests are kept one by one, so that a change can be named. */
export const LOCKED_PARTS = ["title", "description", "annotations", "icons", "execution"] as const

/** One reviewed tool. `digest` is of everything; `parts` has a digest of each part that the tool has. */
export const LockedTool = Type.Object({
  digest: Digest,
  parts: Type.Object({
    title: Type.Optional(Digest),
    description: Type.Optional(Digest),
    annotations: Type.Optional(Digest),
    icons: Type.Optional(Digest),
    execution: Type.Optional(Digest),
  }),
  inputSchema: Type.Unknown(),
  outputSchema: Type.Optional(Type.Unknown()),
})
export type LockedTool = Static<typeof LockedTool>

/** One reviewed server: a digest of its name and instructions, and its tools by name. */
export const LockedServer = Type.Object({ digest: Digest, tools: Type.Record(Type.String(), LockedTool) })
export type LockedServer = Static<typeof LockedServer>

/** The whole lock file. */
export const Lock = Type.Object({ lockVersion: Type.Literal(1), servers: Type.Record(Type.String(), LockedServer) })
export type Lock = Static<typeof Lock>

/** A tool as it is now, to be kept or compared. */
function lockTool(tool: ToolFacts): LockedTool {
  const { name, title, description, annotations, icons, execution, inputSchema, outputSchema } = tool
  const parts: LockedTool["parts"] = {}
  for (const part of LOCKED_PARTS) if (tool[part] !== undefined) parts[part] = jsonDigest(tool[part])
  return {
    digest: jsonDigest({ name, title, description, annotations, icons, execution, inputSchema, outputSchema }),
    parts,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  }
}

/** A server and its tools as they are now. Of two tools with one name the first counts. */
export function lockServer(server: { readonly name: string; readonly instructions?: string | undefined }, tools: Iterable<ToolFacts>): LockedServer {
  const locked = new Map<string, LockedTool>()
  for (const tool of tools) if (!locked.has(tool.name)) locked.set(tool.name, lockTool(tool))
  return {
    digest: jsonDigest({ name: server.name, instructions: server.instructions }),
    // Entries, not assignments: a tool may be called `__proto__`.
    tools: Object.fromEntries(locked),
  }
}

/**
 * The lock that a text holds.
 *
 * @throws CallError CONFIGURATION_ERROR where it is none; `details.issues` says where.
 */
export function readLock(text: string): Lock {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", "The lock is not JSON", { details: { remedy: "write it again" }, cause })
  }
  const issues = collectErrors(Lock, parsed)
  if (issues.length > 0) {
    const list = issues.slice(0, 10).map((issue) => `${issue.path || "/"}: ${issue.message}`)
    throw new CallError("CONFIGURATION_ERROR", `This is no lock: ${list.join("; ")}`, { details: { issues, remedy: "write it again" } })
  }
  // The check before is what makes it one.
  return parsed as Lock
}

/** The text of a lock: members sorted, two spaces, so that equal locks are equal bytes and a diff shows only what changed. */
export function writeLock(lock: Lock): string {
  return `${JSON.stringify(JSON.parse(canonicalJSON(lock)), null, 2)}\n`
}
