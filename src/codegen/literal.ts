/**
 * Values and names as source text.
 *
 * In: strings of strangers and JSON values. Out: TypeScript that says exactly them. Nothing of a string can end the literal that it stands in:
 * quotes, line separators and what ends a script element are escaped.
 */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
/** What JSON.stringify leaves as it is and an older parser, an editor or a page might not. */
const ODD = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|<\/(?=script)|<!--/giu

/** A string literal. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(ODD, (odd) => (odd.startsWith("<") ? `\\u003c${odd.slice(1)}` : `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`))
}

/** The name of a member in a type or an interface. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : stringLiteral(name)
}

/** The name of a member in an object literal, where `__proto__` would set the prototype. */
export function keyText(name: string): string {
  return name === "__proto__" ? `["__proto__"]` : memberName(name)
}

/** A JSON value as an expression, indented by `indent`. */
export function valueText(value: unknown, indent = ""): string {
  if (typeof value === "string") return stringLiteral(value)
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]"
    const items = value.map((item) => valueText(item, inner))
    const line = `[${items.join(", ")}]`
    return isShort(line) ? line : `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${keyText(key)}: ${valueText(member, inner)}`)
  if (members.length === 0) return "{}"
  const line = `{ ${members.join(", ")} }`
  return isShort(line) ? line : `{\n${members.map((member) => `${inner}${member},\n`).join("")}${indent}}`
}

const SHORT = 80

/** True for a text that may stand on the line that it begins on. */
export function isShort(text: string): boolean {
  return text.length <= SHORT && !text.includes("\n")
}
