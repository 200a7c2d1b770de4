/**
 * The beginning of a value's JSON text.
 *
 * In: a value and a number of bytes. Out: the text up to that number of UTF-8 bytes, and whether that is all of it.
 * Stops where it has enough: whatever the value's size, the work is that of the part shown. Never throws, neither for circles
 * (the bytes end them) nor for what JSON cannot say.
 */
import { isContainer } from "./member.js"

/** A text, and whether something was left out behind it. */
export interface Beginning {
  readonly text: string
  readonly isWhole: boolean
}

/** The JSON text of `value`, cut after `maxBytes`. */
export function jsonBeginning(value: unknown, maxBytes: number): Beginning {
  const writer: Writer = { text: "", maxBytes }
  write(writer, value)
  return textBeginning(writer.text, maxBytes)
}

/** The text itself, cut after `maxBytes`, never inside a character. */
export function textBeginning(text: string, maxBytes: number): Beginning {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (bytes > maxBytes) return { text: text.slice(0, end), isWhole: false }
    end += code < 0x10000 ? 1 : 2
  }
  return { text, isWhole: true }
}

interface Writer {
  text: string
  readonly maxBytes: number
}

/** A character is a byte at least, so a text of more characters than that is enough. */
function isFull(writer: Writer): boolean {
  return writer.text.length > writer.maxBytes
}

function write(writer: Writer, value: unknown): void {
  if (isFull(writer)) return
  if (typeof value === "string") writer.text += JSON.stringify(value.slice(0, writer.maxBytes + 1))
  else if (!isContainer(value)) writer.text += typeof value === "number" || typeof value === "boolean" ? String(value) : "null"
  else if (Array.isArray(value)) writeEach(writer, "[", value, (element) => write(writer, element), "]")
  else {
    writeEach(writer, "{", Object.keys(value), (key) => {
      write(writer, key)
      writer.text += ":"
      write(writer, value[key])
    }, "}")
  }
}

function writeEach<T>(writer: Writer, open: string, list: readonly T[], one: (entry: T) => void, close: string): void {
  writer.text += open
  for (const [index, entry] of list.entries()) {
    if (isFull(writer)) return
    if (index > 0) writer.text += ","
    one(entry)
  }
  writer.text += close
}
