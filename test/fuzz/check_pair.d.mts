import type { TSchema } from "@sinclair/typebox"
import type { Conformed } from "../../src/schema.js"
export interface Verdict {
  kind: "exact" | "check throws" | "cast throws" | "root replaced" | "cast does not fit" | "same as cast" | "broken"
  broken?: string
  result?: Conformed
  oracle?: unknown
}
export function checkPair(conform: typeof import("../../src/schema.js").conform, schema: TSchema, value: unknown): Verdict
