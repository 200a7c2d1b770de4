/**
 * Takes what a caller gave out of the error that the call ends with: servers quote arguments, in their answers and in their logs.
 *
 * In: an error about one call, and its input. Out: the same error with `***` where a server's words in message and details hold a
 * text of the input. Texts of fewer than 8 characters are left, as everywhere. Code, outcome and our own words stay; so does a
 * result, an `isError` one included: it is for the caller alone.
 */
import { CallError } from "../error.js"
import { createMask, maskValue, type Mask } from "./mask.js"

const SHORTEST_SECRET = 8
const MOST_TEXTS = 1_000
/** More of one text does not stand in any error: what servers said is clipped. */
const LONGEST_TEXT = 8_192
/** The beginnings of so many characters in all are looked for; masking megabytes would hold up everybody else. */
const MOST_CHARACTERS = 262_144
const MOST_OBJECTS = 50_000
const ELLIPSIS = "…"
/** The details that hold what a server wrote. */
const SAID = ["rpcData", "sent", "stderr"] as const

/** The error without texts of the input. `subject` is how our messages begin: it names server and tool, and stays. */
export function withoutArguments(error: CallError, input: unknown, subject: string): CallError {
  const texts = [...textsIn(input)]
  if (texts.length === 0) return error
  const mask = maskOf(texts)
  const own = error.message.startsWith(subject) ? subject.length : 0
  const message = error.message.slice(0, own) + mask(error.message.slice(own))
  const said = SAID.flatMap((name) => (error.details[name] === undefined ? [] : [[name, maskValue(error.details[name], mask)] as const]))
  const isSame = message === error.message && said.every(([name, value]) => JSON.stringify(value) === JSON.stringify(error.details[name]))
  return isSame ? error : new CallError(error.code, message, { details: { ...error.details, ...Object.fromEntries(said) }, cause: error.cause })
}

/** The texts of an input that are long enough to be told from others, names of members left out. An input may hold itself. */
function textsIn(input: unknown): Set<string> {
  const texts = new Set<string>()
  const seen = new Set<unknown>()
  const waiting: unknown[] = [input]
  let characters = 0
  while (waiting.length > 0 && texts.size < MOST_TEXTS && characters < MOST_CHARACTERS && seen.size < MOST_OBJECTS) {
    const value = waiting.pop()
    if (typeof value === "string" && value.length >= SHORTEST_SECRET) {
      texts.add(value.slice(0, LONGEST_TEXT))
      characters += Math.min(value.length, LONGEST_TEXT)
    } else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value)
      for (const member of Object.values(value)) waiting.push(member)
    }
  }
  return texts
}

function maskOf(texts: readonly string[]): Mask {
  const mask = createMask(undefined, () => texts)
  return (text) => withoutBeginnings(mask(text), texts)
}

/** What was clipped may end in the beginning of a text. */
function withoutBeginnings(text: string, texts: readonly string[]): string {
  if (!text.endsWith(ELLIPSIS)) return text
  const rest = text.slice(0, -1)
  for (const one of texts) {
    const beginning = one.slice(0, SHORTEST_SECRET)
    for (let at = rest.lastIndexOf(beginning); at >= 0; at = at === 0 ? -1 : rest.lastIndexOf(beginning, at - 1)) {
      if (one.startsWith(rest.slice(at))) return `${rest.slice(0, at)}***${ELLIPSIS}`
    }
  }
  return text
}
