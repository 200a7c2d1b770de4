/**
 * The arguments of a call, put together from `--input`, `--arg` and the tool's own flags.
 *
 * In: what each of the three gave. Out: one plain object, its members set as own properties whatever their names are.
 * A flag or `--arg` goes over the member of that name in `--input`; the same property by both is refused.
 */
import { readFile } from "node:fs/promises"
import { usageError } from "../usage_error.js"
import { RoundedNumberError, parseExactJSON } from "./exact_json.js"

/**
 * The value of `--input`: JSON, `-` for stdin, or `@file`.
 *
 * @throws CallError CONFIGURATION_ERROR where it cannot be read, is no JSON, or holds a whole number that would be rounded.
 */
export async function readInput(source: string, readStdin: () => Promise<string>): Promise<unknown> {
  if (source === "-") return parse(await readStdin(), "stdin, read for --input -,")
  if (!source.startsWith("@")) return parse(source, "--input")
  const file = source.slice(1)
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (error) {
    // Errors of the file system have a code.
    const { code = "unknown" } = error as NodeJS.ErrnoException
    throw usageError(`The file of --input cannot be read (${code}): ${file}`, "give a file that can be read, or - for stdin", { file })
  }
  return parse(text.replace(/^\uFEFF/, ""), `The file of --input, ${file},`)
}

/**
 * Property and value of one `--arg name=json`. The name ends at the first `=` that has JSON behind it, so every property can be
 * reached, also the one that is named "".
 *
 * @throws CallError CONFIGURATION_ERROR for a text without JSON behind a `=`.
 */
export function readArg(text: string): [name: string, value: unknown] {
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
    try {
      return [text.slice(0, at), parseExactJSON(text.slice(at + 1))]
    } catch (error) {
      if (error instanceof RoundedNumberError) throw rounded("--arg")
    }
  }
  throw usageError("--arg needs a name, = and JSON", `--arg 'name="text"', --arg name=5, --arg 'name={"a": true}'`)
}

/** The arguments of a call. Nothing given is `{}`: whoever calls from a command line gave an empty list of arguments. */
export function toolInput(input: { readonly value: unknown } | undefined, args: readonly [string, unknown][], flags: ReadonlyMap<string, unknown>): unknown {
  if (args.length === 0 && flags.size === 0) return input === undefined ? {} : input.value
  const base = input?.value ?? {}
  if (typeof base !== "object" || Array.isArray(base)) {
    throw usageError("--input is no JSON object, so no further arguments can be put into it", "give all arguments by --input, or none")
  }
  const named = new Map<string, unknown>()
  for (const [name, value] of args) {
    if (named.has(name) || flags.has(name)) throw usageError(`"${name}" was given twice`, `give "${name}" by one --arg or by its flag`)
    named.set(name, value)
  }
  const combined = {}
  for (const [name, value] of [...Object.entries(base), ...named, ...flags]) {
    // Not by assignment: a property named `__proto__` would set the prototype.
    Object.defineProperty(combined, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return combined
}

function parse(text: string, where: string): unknown {
  try {
    return parseExactJSON(text)
  } catch (error) {
    throw error instanceof RoundedNumberError ? rounded(where) : usageError(`${where} is no JSON`, `--input '{"name": "value"}'`)
  }
}

function rounded(where: string): Error {
  return usageError(`${where} holds a whole number that would be rounded on the way`, 'where the tool takes a text, put the digits into quotes: "…"')
}
