/**
 * Length, pattern, format and content of strings.
 *
 * In: the keywords of a subschema, and whether formats and contents are asserted. Out: rules that let everything pass that
 * is no string. Length counts code points, as JSON Schema says, not the UTF-16 units of JavaScript.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaNode } from "../../document/schema_node.js"
import { formatCheck } from "../../format.js"
import { readLengthPattern } from "../../length_pattern.js"
import { readPattern } from "../../pattern.js"
import { assertion, type Rule } from "../evaluation.js"

/** What a conversion asserts beyond what the dialect says. */
export interface AssertOptions {
  readonly format: boolean
  readonly content: boolean
}

/** The rules of `minLength`, `maxLength`, `pattern`, `format`, `contentEncoding` and `contentMediaType`. */
export function stringRules(node: SchemaNode, asserts: AssertOptions): Rule[] {
  const { schema, resource } = node
  const rules: Rule[] = []
  const add = (keyword: string, message: string, fits: (value: string) => boolean) => {
    rules.push(assertion(keyword, (value) => typeof value !== "string" || fits(value), message))
  }
  const { minLength, maxLength, pattern, format } = schema
  const addLengths = (least: unknown, most: unknown) => {
    if (typeof least === "number") add("minLength", `must have at least ${count(least, "character")}`, (value) => hasAtLeast(value, least))
    if (typeof most === "number") add("maxLength", `must have at most ${count(most, "character")}`, (value) => hasAtMost(value, most))
  }
  if (resource.validates) {
    addLengths(minLength, maxLength)
    const lengths = typeof pattern === "string" ? readLengthPattern(pattern) : undefined
    if (lengths !== undefined) addLengths(lengths.least, lengths.most)
    else if (typeof pattern === "string") {
      const check = readPattern(pattern)
      if (check.kind !== "invalid" && check.kind !== "unenforced") add("pattern", `must match the pattern ${clip(pattern)}`, (value) => check.test(value))
    }
  }
  if (typeof format === "string" && (asserts.format || resource.assertsFormat)) {
    const check = formatCheck(format, resource.dialect ?? "2020-12")
    if (check !== undefined) add("format", `must have the format ${JSON.stringify(clip(format))}`, check)
  }
  if (asserts.content && hasKeyword(resource.dialect, "contentEncoding")) addContent(schema.contentEncoding, schema.contentMediaType, add)
  return rules
}

/** True when the text has at least so many code points. */
function hasAtLeast(text: string, length: number): boolean {
  // A code point takes one or two units.
  if (text.length < length) return false
  return text.length >= 2 * length || codePoints(text) >= length
}

/** True when the text has at most so many code points. */
function hasAtMost(text: string, length: number): boolean {
  if (text.length <= length) return true
  return text.length <= 2 * length && codePoints(text) <= length
}

function codePoints(text: string): number {
  let units = text.length
  for (let index = 0; index + 1 < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(index + 1)
    if (next < 0xdc00 || next > 0xdfff) continue
    units--
    index++
  }
  return units
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function addContent(encoding: unknown, mediaType: unknown, add: (keyword: string, message: string, fits: (value: string) => boolean) => void): void {
  const encoded = encoding === "base64"
  if (encoded) add("contentEncoding", "must be base64", (value) => BASE64.test(value))
  if (mediaType !== "application/json" || (encoding !== undefined && !encoded)) return
  add("contentMediaType", "must hold a JSON document", (value) => isJSON(encoded ? fromBase64(value) : value))
}

function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return ""
  }
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`
}

function clip(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
