/**
 * What the text behind a flag stands for.
 *
 * In: the texts that were given for one flag, and what the schema says of its property. Out: the JSON value.
 * Reads only; whether the value is allowed is judged by the operation. A text that can be no value of the property at all is a
 * VALIDATION_ERROR that names the property and the wanted types, never the text.
 */
import { CallError } from "../../error.js"
import { JSON_NUMBER, RoundedNumberError, isCarriedExactly, parseExactJSON } from "./exact_json.js"
import { typeOf, type JSONType, type JSONTypes, type SchemaView } from "./schema_view.js"
import type { ToolFlag } from "./tool_flags.js"

interface Problem {
  readonly keyword: string
  readonly problem: string
}
type Reading<T = unknown> = { readonly value: T } | Problem

const ROUNDED: Problem = {
  keyword: "type",
  problem: "is a whole number that would be rounded on the way; where the tool takes a text, give it in JSON quotes",
}

/**
 * The value of a flag. A text that is `undefined` is a flag that stood alone, which means true.
 *
 * @throws CallError VALIDATION_ERROR for a text that the property cannot mean, CONFIGURATION_ERROR for a flag given twice that
 * takes no list.
 */
export function readValue(view: SchemaView, flag: ToolFlag, texts: readonly (string | undefined)[]): unknown {
  const given = texts.map((text) => text ?? "true")
  const types = view.types(flag.schema)
  const reading = types !== "any" && types.has("array") ? readList(view, flag.schema, types, given) : readSingle(view, flag, given)
  if ("value" in reading) return reading.value
  const issue = { path: `/${flag.name.replaceAll("~", "~0").replaceAll("/", "~1")}`, keyword: reading.keyword, message: reading.problem }
  throw new CallError("VALIDATION_ERROR", `What was given for --${flag.name} ${reading.problem}`, { details: { issues: [issue] } })
}

function readSingle(view: SchemaView, flag: ToolFlag, texts: readonly string[]): Reading {
  const [text = "", ...more] = texts
  if (more.length > 0) {
    throw new CallError("CONFIGURATION_ERROR", `--${flag.name} was given ${String(texts.length)} times and takes one value`, {
      details: { flag: flag.name, remedy: `give --${flag.name} once; a list is given as JSON` },
    })
  }
  return readText(view, flag.schema, text)
}

/** One text that is a JSON array is the whole list; otherwise each text is an entry, or several where it is an array itself. */
function readList(view: SchemaView, schema: unknown, types: ReadonlySet<JSONType>, texts: readonly string[]): Reading {
  const [only = ""] = texts
  if (texts.length === 1) {
    const whole = readAs(types, only)
    const isList = "value" in whole && Array.isArray(whole.value)
    if (isList || ("value" in whole && types.size > 1) || whole === ROUNDED) return whole
  }
  const list: unknown[] = []
  for (const text of texts) {
    const entry = readEntry(view, view.item(schema, list.length), text)
    if (!("value" in entry)) return entry
    list.push(...entry.value)
  }
  return { value: list }
}

function readEntry(view: SchemaView, item: unknown, text: string): Reading<readonly unknown[]> {
  const types = view.types(item)
  const takesLists = types !== "any" && types.has("array")
  if (!takesLists) {
    const spread = readAs(new Set<JSONType>(["array"]), text)
    if ("value" in spread && Array.isArray(spread.value)) return { value: spread.value }
    if (spread === ROUNDED) return spread
  }
  const entry = readText(view, item, text)
  return "value" in entry ? { value: [entry.value] } : entry
}

function readText(view: SchemaView, schema: unknown, text: string): Reading {
  const choices = view.choices(schema) ?? []
  if (choices.some(({ value }) => value === text)) return { value: text }
  const json = choices.length === 0 ? undefined : readJSON(text)
  // Choices are scalars in practice; an object among them is compared by its JSON.
  if (json !== undefined && "value" in json && choices.some(({ value }) => JSON.stringify(value) === JSON.stringify(json.value))) return json
  return readAs(view.types(schema), text)
}

function readAs(types: JSONTypes, text: string): Reading {
  if (types === "any") return readJSON(text) ?? { value: text }
  const trimmed = text.trim()
  if (types.has("null") && trimmed === "null") return { value: null }
  if (types.has("boolean") && (trimmed === "true" || trimmed === "false")) return { value: trimmed === "true" }
  const takesText = types.has("string")
  if ((types.has("integer") || types.has("number")) && JSON_NUMBER.test(trimmed)) {
    if (isCarriedExactly(trimmed)) return { value: Number(trimmed) }
    return takesText ? { value: text } : ROUNDED
  }
  if (types.has("array") || types.has("object")) {
    const json = /^[[{]/.test(trimmed) ? readJSON(trimmed) : undefined
    if (json !== undefined && (!("value" in json) || types.has(typeOf(json.value)))) return json
  }
  if (takesText || types.size === 0) return { value: text }
  return { keyword: "type", problem: `is no ${[...types].map(nameOf).join(" or ")}` }
}

/** The reading of a JSON text; undefined for what is no JSON. */
function readJSON(text: string): Reading | undefined {
  try {
    return { value: parseExactJSON(text) }
  } catch (error) {
    return error instanceof RoundedNumberError ? ROUNDED : undefined
  }
}

function nameOf(type: JSONType): string {
  return type === "array" || type === "object" ? `JSON ${type}` : type
}
