/**
 * The formats `uuid` (RFC 4122) and `regex` (ECMA-262).
 *
 * In: a text. Out: true where it is of the format. A uuid's version and variant are not judged: new ones get assigned. An
 * expression is read with the `u` flag, where a misspelt escape is a mistake and not a letter.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12. */
export function isUUID(text: string): boolean {
  return UUID.test(text)
}

/** What `new RegExp` takes with the `u` flag. */
export function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text, "u")
    return true
  } catch {
    return false
  }
}
