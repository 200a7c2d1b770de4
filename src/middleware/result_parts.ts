/**
 * The parts of an MCP envelope that can grow with what a server sends, beside `data`, the blocks and `structuredContent`.
 */
import { sizeWithin } from "./json_size.js"

/** Members of `meta` that are there whole or not at all. */
export const META_MEMBERS = ["_meta", "extra", "changes", "issues", "unchecked"] as const

/** True for the same value twice, also for two copies, as they come over a wire. Values within `maxBytes` are not compared. */
export function isSamePart(one: unknown, other: unknown, maxBytes: number): boolean {
  return one === other || (sizeWithin(one, maxBytes) > maxBytes && JSON.stringify(one) === JSON.stringify(other))
}
