/**
 * Brings the `content` of an MCP result to a list of known blocks.
 *
 * In: whatever stood in `content`. Out: the blocks in server order; what is no known block becomes a text block that holds
 * its JSON, so that nothing a server said is lost and no consumer meets a kind it does not know.
 * A block that fits is handed on as the same object.
 */
import { isObject } from "../schema.js"
import type { MCPContentBlock } from "./content_block.js"

/**
 * The blocks of a tool result in server order: known ones as they are, everything else as `{ type: "text", text: JSON }`.
 *
 * `undefined` and `null` give no blocks; a `content` that is no array counts as one unknown block. Never throws.
 */
export function mapMCPContentBlocks(content: unknown): MCPContentBlock[] {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [asText(content)]
  return content.map((block: unknown) => (isKnownBlock(block) ? block : asText(block)))
}

function isKnownBlock(block: unknown): block is MCPContentBlock {
  if (!isObject(block)) return false
  switch (block["type"]) {
    case "text":
      return isText(block["text"])
    case "image":
    case "audio":
      return isText(block["data"]) && isText(block["mimeType"])
    case "resource":
      return isResource(block["resource"])
    case "resource_link":
      return isResourceLink(block)
    default:
      return false
  }
}

function isResource(resource: unknown): boolean {
  if (!isObject(resource) || !isText(resource["uri"])) return false
  if (!isOptionalText(resource["mimeType"]) || !isOptionalText(resource["text"]) || !isOptionalText(resource["blob"])) return false
  return resource["text"] !== undefined || resource["blob"] !== undefined
}

function isResourceLink(block: Record<string, unknown>): boolean {
  return (
    isText(block["uri"]) &&
    isText(block["name"]) &&
    isOptionalText(block["title"]) &&
    isOptionalText(block["description"]) &&
    isOptionalText(block["mimeType"]) &&
    (block["size"] === undefined || typeof block["size"] === "number")
  )
}

function asText(block: unknown): MCPContentBlock {
  return { type: "text", text: toJSONText(block) }
}

function toJSONText(block: unknown): string {
  try {
    // JSON has no text for undefined, functions and symbols: JSON.stringify gives undefined then.
    const text: unknown = JSON.stringify(block)
    return typeof text === "string" ? text : String(block)
  } catch {
    return "[a block that JSON cannot carry]"
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string"
}
