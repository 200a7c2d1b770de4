/**
 * Makes a list of content blocks smaller.
 *
 * In: blocks and the most bytes that they may have together as JSON. Out: blocks that keep to it. Texts are cut (JSON stays
 * JSON), everything else is there whole or not at all: half an image is none. A small block behind a large one is kept.
 */
import type { MCPContentBlock } from "../envelope.js"
import { jsonBytes, sizeWithin } from "./json_size.js"
import { shrink, type Cut } from "./shrink.js"
import { shrinkJSONText } from "./shrink_json_text.js"

/** The blocks with at most `maxBytes` bytes together; `path` is where the list stands. The same list where all fit. */
export function limitBlocks(blocks: MCPContentBlock[], maxBytes: number, path: string, cuts: Cut[]): MCPContentBlock[] {
  if (sizeWithin(blocks, maxBytes) <= maxBytes) return blocks
  const kept: MCPContentBlock[] = []
  let left = maxBytes - 2
  blocks.forEach((block, index) => {
    const place = `${path}/${String(index)}`
    const comma = kept.length === 0 ? 0 : 1
    const part = limitBlock(block, left - comma, place, cuts)
    if (part === undefined) cuts.push({ path: place, bytes: jsonBytes(block) + 1, items: 1 })
    else {
      kept.push(part)
      left -= jsonBytes(part) + comma
    }
  })
  return kept
}

/** The block with at most so many bytes; undefined where nothing of it fits. */
export function limitBlock(block: MCPContentBlock, maxBytes: number, path: string, cuts: Cut[]): MCPContentBlock | undefined {
  if (sizeWithin(block, maxBytes) <= maxBytes) return block
  if (block.type === "text") {
    const text = limitText(block.text, maxBytes - jsonBytes({ ...block, text: "" }) + 2, `${path}/text`, cuts)
    return text === undefined ? undefined : { ...block, text }
  }
  if (block.type === "resource" && block.resource.text !== undefined) {
    const { resource } = block
    const bare = jsonBytes({ ...block, resource: { ...resource, text: "" } })
    const text = limitText(block.resource.text, maxBytes - bare + 2, `${path}/resource/text`, cuts)
    return text === undefined ? undefined : { ...block, resource: { ...resource, text } }
  }
  return undefined
}

/** The text with at most so many bytes as a JSON string; undefined where nothing of it fits. */
function limitText(text: string, maxBytes: number, path: string, cuts: Cut[]): string | undefined {
  if (maxBytes <= 2) return undefined
  const json = shrinkJSONText(text, maxBytes, path)
  if (json !== undefined) {
    cuts.push(json.cut)
    return json.text
  }
  const inner: Cut[] = []
  const shorter = shrink(text, maxBytes, path, inner)
  if (typeof shorter !== "string" || (shorter === "" && text !== "")) return undefined
  cuts.push(...inner)
  return shorter
}
