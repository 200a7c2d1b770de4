/**
 * The flags of a tool for a reader, and as JSON.
 *
 * In: the flags. Out: rows of spelling, type and meaning. Texts come from the server and are made harmless here.
 */
import type { ToolFlag, ToolFlags } from "../flags/tool_flags.js"
import type { Choice, SchemaView } from "../flags/schema_view.js"
import { printableLine } from "./printable.js"
import type { Screen } from "./screen.js"
import { nameWidth, tableView } from "./table.js"

/** A flag as the JSON form of `describe` gives it. */
export interface FlagJSON {
  readonly property: string
  /** As typed on the command line; empty where only `--arg` reaches the property. */
  readonly flags: readonly string[]
  readonly type: string
  readonly required: boolean
  readonly description?: string
  readonly choices?: readonly unknown[]
  readonly default?: unknown
}

/** Each flag as plain data. */
export function flagsToJSON({ view, all }: ToolFlags): FlagJSON[] {
  return all.map((flag) => {
    const description = view.text(flag.schema, "description")
    const choices = view.choices(flag.schema)
    const preset = view.default(flag.schema)
    return {
      property: flag.name,
      flags: flag.names.map((name) => `--${name}`),
      type: typeLabel(view, flag.schema),
      required: flag.required,
      ...(description !== undefined && { description }),
      ...(choices !== undefined && { choices: choices.map(({ value }) => value) }),
      ...(preset !== undefined && { default: preset.value }),
    }
  })
}

/** The flags as a table; a sentence where there are none. */
export function flagTable(flags: ToolFlags, screen: Screen): string {
  if (flags.all.length === 0) return "  It takes no arguments."
  const { paint } = screen
  const spellings = flags.all.map(spelling)
  const types = flags.all.map((flag) => typeLabel(flags.view, flag.schema))
  const rows = flags.all.map((flag, at) => [
    { text: spellings[at] ?? "", paint: paint.name },
    { text: types[at] ?? "" },
    { text: meaning(flags.view, flag, screen) },
  ])
  return tableView(rows, [nameWidth(spellings, screen), nameWidth(types, { ...screen, columns: screen.columns / 2 })], screen)
}

function spelling(flag: ToolFlag): string {
  if (flag.names.length === 0) return "--arg =JSON"
  return flag.names.map((name) => shellWord(`--${printableLine(name)}`)).join(", ")
}

/** What a shell would take apart is shown in quotes. */
function shellWord(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function meaning(view: SchemaView, flag: ToolFlag, { paint }: Screen): string {
  const choices = view.choices(flag.schema) ?? (view.types(flag.schema) === "any" ? undefined : view.choices(view.item(flag.schema, 0)))
  const preset = view.default(flag.schema)
  const sentences = [
    flag.required ? paint.notable("required") : undefined,
    printableLine(view.text(flag.schema, "description") ?? view.text(flag.schema, "title") ?? "") || undefined,
    choices === undefined ? undefined : `one of ${choices.map(choiceText).join(", ")}`,
    preset === undefined ? undefined : `default ${shortJSON(preset.value)}`,
  ]
  return sentences.filter((sentence) => sentence !== undefined).join("; ")
}

function choiceText({ value, description }: Choice): string {
  const text = typeof value === "string" && /^\S+$/.test(value) ? printableLine(value) : shortJSON(value)
  return description === undefined ? text : `${text} (${printableLine(description)})`
}

function shortJSON(value: unknown): string {
  const text = printableLine(JSON.stringify(value))
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The type of a place in few words: `string`, `integer or null`, `list of string`, `any JSON`. */
function typeLabel(view: SchemaView, schema: unknown): string {
  const types = view.types(schema)
  if (types === "any") return "any"
  const words = [...types].map((type) => {
    if (type === "object") return "JSON object"
    if (type !== "array") return type
    const item = view.types(view.item(schema, 0))
    return item === "any" || item.has("array") ? "list" : `list of ${[...item].map((one) => (one === "object" ? "JSON objects" : one)).join("/")}`
  })
  return words.length === 0 ? "nothing" : words.join(" or ")
}
