/**
 * The format `uri-template` (RFC 6570, with its erratum that lets an apostrophe stand in a literal).
 *
 * In: a text. Out: true where it is a template of any level. Operators that the RFC reserves are let through, as its grammar does.
 */

const LITERAL_REFUSES = /[^\u0021\u0023-\u003b\u003d\u003f-\u005b\u005d\u005f\u0061-\u007a\u007e\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\uffef\u{10000}-\u{10fffd}]|%(?![0-9A-Fa-f]{2})/u
const OPERATOR = /^[+#./;?&=,!@|]/
const MODIFIER = /(?:\*|:[1-9]\d{0,3})$/
const NAME_REFUSES = /[^A-Za-z0-9_%.]|%(?![0-9A-Fa-f]{2})|^\.|\.\.|\.$/

/** Literals and expressions in braces. */
export function isURITemplate(text: string): boolean {
  let at = 0
  for (let open = text.indexOf("{"); open !== -1; open = text.indexOf("{", at)) {
    const close = text.indexOf("}", open)
    if (close === -1 || LITERAL_REFUSES.test(text.slice(at, open)) || !isExpression(text.slice(open + 1, close))) return false
    at = close + 1
  }
  return !LITERAL_REFUSES.test(text.slice(at))
}

function isExpression(expression: string): boolean {
  const variables = expression.replace(OPERATOR, "").split(",")
  return variables.every((variable) => {
    const name = variable.replace(MODIFIER, "")
    return name !== "" && !NAME_REFUSES.test(name)
  })
}
