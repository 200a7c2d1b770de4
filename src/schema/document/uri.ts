/**
 * URIs and JSON pointers, as far as references between schemas need them.
 *
 * In: text of strangers. Out: an absolute URI without fragment and the fragment, or undefined where there is none.
 * Nothing here is ever opened: a URI is a name.
 */

/** The base of a document that says none. Reserved by RFC 6761, so no schema's own `$id` means it. */
export const DEFAULT_BASE = "https://schema.invalid/"

/** A reference taken apart: which document, and where in it (decoded, without `#`). */
export interface Reference {
  readonly uri: string
  readonly fragment: string
}

/** Resolves a reference against a base; undefined when the two make no URI. */
export function resolveReference(reference: string, base: string): Reference | undefined {
  if (reference.startsWith("#")) return { uri: base, fragment: decode(reference.slice(1)) }
  const absolute = absoluteURI(reference, base)
  if (absolute === undefined) return undefined
  const hash = absolute.indexOf("#")
  if (hash < 0) return { uri: absolute, fragment: "" }
  return { uri: absolute.slice(0, hash), fragment: decode(absolute.slice(hash + 1)) }
}

function absoluteURI(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href
  } catch {
    return undefined
  }
}

function decode(text: string): string {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The reference tokens of a JSON pointer (RFC 6901), unescaped; undefined when it does not start with `/`. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === "") return []
  if (!pointer.startsWith("/")) return undefined
  return pointer.slice(1).split("/").map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"))
}

/** One token of a JSON pointer, escaped. */
export function pointerToken(key: string | number): string {
  return typeof key === "number" ? String(key) : key.includes("~") || key.includes("/") ? key.replace(/~/g, "~0").replace(/\//g, "~1") : key
}
