/**
 * Content blocks that are no text, written as text.
 *
 * In: a block. Out: one line (a resource: JSON, which is one line too). Nothing is read or fetched for it.
 * The words in a block are a stranger's: control characters in them would make lines of their own, so they become spaces.
 */
import type { AudioBlock, ResourceBlock, ResourceLinkBlock } from "../envelope.js"

/** Kind, name, URI, media type and size of a block that a model is only told of. */
export function describeBlock(block: AudioBlock | ResourceLinkBlock): string {
  const facts =
    block.type === "audio"
      ? ["audio", block.mimeType, bytesOf(base64Size(block.data))]
      : ["resource link", block.name, block.uri, block.mimeType, bytesOf(block.size)]
  return `[${facts.filter((fact) => fact !== undefined && fact !== "").map((fact) => oneLine(String(fact))).join(", ")}]`
}

/** Kind, media type and size of a file where only text can stand. */
export function describeFile({ data, mediaType }: { readonly data: { readonly data: string }; readonly mediaType: string }): string {
  return `[file, ${oneLine(mediaType)}, ${String(bytesOf(base64Size(data.data)))}]`
}

/** A resource with its media type, its URI and its text or blob. */
export function resourceText({ resource: { mimeType, uri, text, blob } }: ResourceBlock): string {
  return JSON.stringify({
    ...(mimeType === undefined ? {} : { mimeType }),
    uri,
    ...(text === undefined ? {} : { text }),
    ...(blob === undefined ? {} : { blob }),
  })
}

function base64Size(data: string): number {
  const digits = data.replace(/[\s=]/g, "").length
  return Math.floor((digits * 3) / 4)
}

function bytesOf(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${String(count)} ${count === 1 ? "byte" : "bytes"}`
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
}
