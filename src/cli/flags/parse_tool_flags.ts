/**
 * The words behind the id of a call, as values of the tool's properties.
 *
 * In: the words and the flags of the tool. Out: the value of each property that was given, and the two flags that stay ours.
 * Every `--name` is the tool's here: an own option at this place is an unknown flag, so no tool can be called by mistake with
 * what was meant for us, and the other way round.
 */
import { closest, distance } from "fastest-levenshtein"
import { usageError } from "../usage_error.js"
import { readValue } from "./read_value.js"
import { OWN_FLAGS, type ToolFlag, type ToolFlags } from "./tool_flags.js"

/** What stood behind the id. */
export interface ParsedFlags {
  /** By the name of the property. */
  readonly values: ReadonlyMap<string, unknown>
  readonly json: boolean
  readonly help: boolean
}

/** The options that stand before the id, for telling where a misplaced one belongs. */
const BEFORE_THE_ID = ["input", "arg", "config", "url", "name", "timeout", "text"]

/**
 * Reads the words behind the id of a call.
 *
 * @throws CallError CONFIGURATION_ERROR for a word that is no flag of the tool or has no value, VALIDATION_ERROR for a value that
 * its property cannot mean.
 */
export function parseToolFlags(words: readonly string[], flags: ToolFlags, id: string): ParsedFlags {
  const isOurs = (name: string): boolean => OWN_FLAGS.includes(name) && !flags.byName.has(name)
  const help = isOurs("help") && words.includes("--help")
  const json = isOurs("json") && words.includes("--json")
  if (help) return { values: new Map(), json, help }

  const texts = new Map<ToolFlag, (string | undefined)[]>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (!word.startsWith("--")) throw strayWord(at, words, id)
    if (isOurs(word.slice(2))) continue
    const { flag, value } = findFlag(word.slice(2), flags, id)
    const given = texts.get(flag) ?? []
    texts.set(flag, given)
    if (value !== undefined) {
      given.push(value)
      continue
    }
    const next = words[at + 1]
    const hasNext = next !== undefined && !next.startsWith("--")
    if (!hasNext && !takesBoolean(flags, flag)) throw missingValue(flag, next)
    given.push(hasNext ? next : undefined)
    if (hasNext) at++
  }
  return { values: new Map([...texts].map(([flag, given]) => [flag.name, readValue(flags.view, flag, given)])), json, help }
}

/** `name`, or `name=value` at the last `=` that has a known name before it: names may hold a `=` themselves. */
function findFlag(body: string, flags: ToolFlags, id: string): { flag: ToolFlag; value?: string } {
  const whole = flags.byName.get(body)
  if (whole !== undefined) return { flag: whole }
  for (let at = body.lastIndexOf("="); at >= 0; at = at === 0 ? -1 : body.lastIndexOf("=", at - 1)) {
    const flag = flags.byName.get(body.slice(0, at))
    if (flag !== undefined) return { flag, value: body.slice(at + 1) }
  }
  throw unknownFlag(body.split("=", 1)[0] ?? body, flags, id)
}

function takesBoolean(flags: ToolFlags, flag: ToolFlag): boolean {
  const types = flags.view.types(flag.schema)
  return types === "any" || types.has("boolean")
}

function unknownFlag(name: string, flags: ToolFlags, id: string): Error {
  if (BEFORE_THE_ID.includes(name)) {
    return usageError(`${id} has no argument "${name}": --${name} stands before the id`, `mcp-operations call --${name} … ${id}`, { flag: name })
  }
  const known = [...flags.byName.keys()]
  const near = known.length === 0 ? undefined : closest(name, known)
  const isNear = near !== undefined && distance(name, near) <= Math.max(2, name.length / 3)
  const remedy = isNear ? `--${near}` : known.length === 0 ? "call it without flags" : `see mcp-operations describe ${id}`
  return usageError(`${id} has no argument "${name}"${isNear ? `; did you mean --${near}?` : ""}`, remedy, { flag: name })
}

function missingValue(flag: ToolFlag, next: string | undefined): Error {
  const name = flag.names[0] ?? flag.name
  const remedy = next === undefined ? `--${name} VALUE` : `--${name}=VALUE, also where the value begins with --`
  return usageError(`--${name} needs a value`, remedy, { flag: name })
}

/** The word itself may be a value, so the message says where it stands instead. */
function strayWord(at: number, words: readonly string[], id: string): Error {
  const place = at === 0 ? `right after ${id}` : `word ${String(at + 1)} after ${id}`
  const remedy =
    words[at - 1] === "--json"
      ? `all arguments at once stand before the id: mcp-operations call --input JSON ${id}`
      : "arguments are given as --name VALUE; a value of several words is quoted"
  return usageError(`There is a word that belongs to no flag, ${place}`, remedy)
}
