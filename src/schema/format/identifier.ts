/**
 * The formats `uuid` (RFC 4122) and `regex` (ECMA-262).
 *
 * In: a text. Out: true where it is of the format. A uuid's version and variant are not judged: new ones get assigned. An
 * expression is read with the `u` flag, where a misspelt escape is a mistake and not a letter.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** The engine takes microseconds for a character, so longer expressions are not judged. */
const LONGEST_EXPRESSION = 10_000
const ESCAPE = /\\(?:[pP]\{\w+(?:=\w+)?\}|[^])/g

/** 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12. */
export function isUUID(text: string): boolean {
  return UUID.test(text)
}

/** What `new RegExp` takes with the `u` flag. Texts of more than 10,000 characters are let through. */
export function isRegularExpression(text: string): boolean {
  if (text.length > LONGEST_EXPRESSION) return true
  const properties = new Set<string>()
  // The engine builds the whole set of a property at each mention, so each one is tried once, and `\d` stands for it.
  const source = text.replace(ESCAPE, (escape) => {
    if (escape.length < 3) return escape
    properties.add(escape)
    return "\\d"
  })
  return [source, ...properties].every(compiles)
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, "u")
    return true
  } catch {
    return false
  }
}
