/**
 * One line of a server's stdout: the messages in it, and the junk around them.
 *
 * In: bytes. Out: messages to deliver and texts to warn about. A line that is no JSON may still hold a message after or before
 * something that was printed without a line break; it is looked for, since its call would wait for ever.
 */
import { endingAnswer, EndOfCall, malformed } from "../end_of_call.js"
import type { MessageHead } from "../http/message_head.js"
import { parseMessage } from "../parse_message.js"
import { isTextDeeperThan } from "./byte_depth.js"

/** What a line held. */
export interface LineReader {
  /** A message as it was parsed. */
  message(message: unknown): void
  /** Text that is no message. */
  junk(text: string): void
}

const MAX_DEPTH = 512
const MAX_ATTEMPTS = 8
const MESSAGE_START = /\{\s*"(?:jsonrpc|id|result|error|method|params)"\s*:/g

/** Reads one line. */
export function readLine(line: Buffer, reader: LineReader): void {
  let parsed: unknown
  const text = line.toString("utf8")
  try {
    parsed = parseMessage(text)
  } catch {
    recover(text, reader)
    return
  }
  if (typeof parsed !== "object" || parsed === null) reader.junk(text)
  else if (isTextDeeperThan(line, MAX_DEPTH)) tooDeep(parsed, reader)
  else if (Array.isArray(parsed)) for (const message of parsed as unknown[]) reader.message(message)
  else reader.message(parsed)
}

/** A line that was too long to keep: the call that it answers ends, the connection stays. */
export function overlongLine(head: MessageHead, bytes: number, limit: number, reader: LineReader): void {
  const { id, isCall } = head
  if (id === undefined || isCall) {
    reader.junk(`[${bytes} bytes without a line break, more than the limit of ${limit}]`)
    return
  }
  const details = { limit, value: bytes, outcome: "unknown" }
  reader.message(endingAnswer(id, new EndOfCall("RESOURCE_EXHAUSTED", `the answer has ${bytes} bytes, more than the limit of ${limit}`, details)))
}

function tooDeep(parsed: object, reader: LineReader): void {
  const { id, method } = parsed as { id?: unknown; method?: unknown } // Members of any object, both checked below.
  if (method === undefined && (typeof id === "number" || typeof id === "string")) {
    reader.message(endingAnswer(id, malformed(`the answer is nested deeper than ${MAX_DEPTH}`)))
  } else reader.junk(`[a message nested deeper than ${MAX_DEPTH}]`)
}

function recover(text: string, reader: LineReader): void {
  let done = 0
  MESSAGE_START.lastIndex = 0
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const start = MESSAGE_START.exec(text)?.index
    if (start === undefined) break
    const end = endOfObject(text, start)
    const message = end === undefined ? undefined : parseObject(text.slice(start, end))
    if (end === undefined || message === undefined) {
      MESSAGE_START.lastIndex = start + 1
      continue
    }
    if (text.slice(done, start).trim() !== "") reader.junk(text.slice(done, start))
    readLine(Buffer.from(message), reader)
    done = end
    MESSAGE_START.lastIndex = end
  }
  if (text.slice(done).trim() !== "") reader.junk(text.slice(done))
}

/** The text itself where it is JSON. */
function parseObject(text: string): string | undefined {
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

/** Behind the bracket that closes the object which begins at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "{") depth++
    else if (character === "}" && --depth === 0) return at + 1
  }
  return undefined
}
