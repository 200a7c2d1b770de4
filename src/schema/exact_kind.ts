/**
 * The one TypeBox kind that the library adds: a node whose check is a closure.
 *
 * In: a schema of this kind. Out: its check. Knows nothing of how the closure was made.
 * TypeBox gives a kind's check the schema and the value but no references, so the closure is self-contained and stands
 * under a symbol, which `Type.Optional` and object spread keep and `JSON.stringify` drops. The ESM and the CommonJS build
 * of TypeBox have a registry each and share the kind symbol, so the kind is registered in both.
 */
import { Kind, TypeRegistry, type TSchema } from "@sinclair/typebox"
import type { SchemaIssue } from "./issue.js"

/** The value of `schema[Kind]` of an exact node. */
export const EXACT_KIND = "mcp-operations:Exact"

/** Where an exact node keeps its closure. The same symbol in every copy of the package. */
export const EXACT_CHECK = Symbol.for("mcp-operations.exactCheck")

/** What an exact node holds: true when the value fits. Undefined never fits, since JSON has no such value. */
export interface ExactCheck {
  (value: unknown): boolean
  /** What of the value does not fit, innermost cause first; each path starts with `prefix`. */
  readonly issues: (value: unknown, limit: number, prefix: string) => SchemaIssue[]
}

/** A TypeBox schema of the exact kind. */
export interface ExactSchema extends TSchema {
  [Kind]: typeof EXACT_KIND
  [EXACT_CHECK]: ExactCheck
}

/** True for a node of the exact kind, of this or another copy of the package. */
export function isExactSchema(schema: unknown): schema is ExactSchema {
  return typeof schema === "object" && schema !== null && (schema as TSchema)[Kind] === EXACT_KIND
}

/** The closure of an exact node; undefined for every other schema. */
export function exactCheckOf(schema: TSchema): ExactCheck | undefined {
  const check: unknown = isExactSchema(schema) ? schema[EXACT_CHECK] : undefined
  // Only this file's symbol leads here, and only functions of that shape are put there.
  return typeof check === "function" ? (check as ExactCheck) : undefined
}

let registered = false

/** Makes the kind known to TypeBox. Called by whoever makes a node of it, so that importing the package changes nothing. */
export function registerExactKind(): void {
  if (registered) return
  registered = true
  TypeRegistry.Set(EXACT_KIND, checkExact)
  registerInCommonJS()
}

function checkExact(schema: unknown, value: unknown): boolean {
  // TypeBox calls this with schemas of the kind alone.
  const check = exactCheckOf(schema as TSchema)
  // Without its closure (after a JSON round trip, say) nothing is known of the node, and a check that cannot be made fails.
  return value !== undefined && check !== undefined && check(value)
}

/**
 * `getBuiltinModule` instead of an import of `node:module`: the room has to load in browsers and edge runtimes too. The
 * registry's own file instead of the package: the whole CommonJS build would be loaded for one Map otherwise.
 */
function registerInCommonJS(): void {
  try {
    const host = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process
    const module = host?.getBuiltinModule?.("node:module") as { createRequire?: (from: string) => NodeRequireLike } | undefined
    const require = module?.createRequire?.(import.meta.url)
    if (require === undefined) return
    const entry = require.resolve("@sinclair/typebox")
    const registry = require(entry.replace(/index\.js$/, "type/registry/type.js")) as { Set?: typeof TypeRegistry.Set }
    registry.Set?.(EXACT_KIND, checkExact)
  } catch {
    // No CommonJS build here (a bundle, say): then nobody can be using it.
  }
}

type NodeRequireLike = ((id: string) => unknown) & { resolve(id: string): string }
