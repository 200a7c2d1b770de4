/**
 * The formats `json-pointer` (RFC 6901) and `relative-json-pointer` (draft-bhutton-relative-json-pointer-00).
 *
 * In: a text. Out: true where it is such a pointer. Written as searches for what is wrong: those take one pass and no stack.
 */

const STRAY_TILDE = /~(?![01])/
const UPWARDS = /^(?:0|[1-9]\d*)/

/** Empty, or tokens that begin with `/` and escape `~` and `/`. */
export function isJSONPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !STRAY_TILDE.test(text)
}

/** How many levels up, and then a pointer or `#`. */
export function isRelativeJSONPointer(text: string): boolean {
  const levels = UPWARDS.exec(text)?.[0]
  if (levels === undefined) return false
  const rest = text.slice(levels.length)
  return rest === "#" || isJSONPointer(rest)
}
