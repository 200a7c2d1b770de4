/**
 * Text of strangers as it may stand on a terminal.
 *
 * In: text of a server, a config or an error. Out: the same text with every control character shown as an escape.
 * A terminal obeys such characters: they could recolour, overwrite or retitle, and make a dangerous line look harmless.
 */

/** Control characters of both sets, separators, marks that turn the direction of text, and halves of characters; not tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu

/** The text with its control characters as escapes such as `\u001b`; line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, escapeOf)
}

/** As `printable`, on one line: runs of white space become one space. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, " ").trim())
}

/** A JSON text that holds no control characters: they stand in its strings as escapes, so the value is the same. */
export function printableJSON(json: string): string {
  return json.replace(CONTROLS, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}
