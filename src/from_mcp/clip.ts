/**
 * Short forms of what a server sent, for messages and details.
 *
 * Out: text of a bounded length. Shortened text ends in an ellipsis, so nobody takes it for the whole.
 */

/** The text, cut to at most `length` characters; never in the middle of a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** The value itself where its JSON has at most 1,000 characters, else the beginning of that JSON. */
export function clipValue(value: unknown): unknown {
  let text: unknown
  try {
    text = JSON.stringify(value)
  } catch {
    return "[a value that JSON cannot carry]"
  }
  // JSON has no text for undefined and functions, though the type of stringify says so.
  return typeof text !== "string" || text.length <= 1_000 ? value : clip(text, 1_000)
}
