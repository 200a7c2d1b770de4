/**
 * An operation that reads on in what was put aside.
 *
 * In: a handle and where to go on. Out: a piece of text, and where the next one begins. For callers that know handles and no
 * store: models above all. A part that is no text is read as JSON.
 */
import { Type, type Static } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { defineOperation, type Operation } from "../operation.js"
import type { SpillStore } from "./spill_store.js"

/** What is read: `from` and `length` count characters, as `String.length` does. */
const Input = Type.Object({
  handle: Type.String({ description: "The handle that stands in the shortened result" }),
  from: Type.Optional(Type.Integer({ minimum: 0, description: "The character to begin at; 0 where it is left out" })),
  length: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: "The most characters to read; 4000 where it is left out" })),
})

/** What is given: the piece, and `next` where there is more. */
const Output = Type.Object({ text: Type.String(), from: Type.Integer(), total: Type.Integer(), next: Type.Optional(Type.Integer()) })

/** How the operation is called. Default: `results.read`. */
export interface SpillReaderOptions {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/**
 * The operation `results.read`: `{ handle, from?, length? }` to `{ text, from, total, next? }`. A handle opens its part for whoever
 * has it. One that the store does not know is refused with VALIDATION_ERROR.
 */
export function spillReader(store: SpillStore, { namespace = "results", name = "read" }: SpillReaderOptions = {}): Operation<typeof Input, typeof Output> {
  return defineOperation({
    namespace,
    name,
    type: "query",
    description: "Reads on in a large result of which only the beginning was shown: the characters from a place on.",
    inputSchema: Input,
    outputSchema: Output,
    handler: ({ handle, from = 0, length = 4_000 }) => read(store, handle, from, length),
  })
}

async function read(store: SpillStore, handle: string, from: number, length: number): Promise<Static<typeof Output>> {
  const part = await store.get(handle)
  if (part === undefined) {
    throw new CallError("VALIDATION_ERROR", "Nothing is kept under this handle, or no longer", {
      details: { issues: [{ path: "/handle", keyword: "handle", message: "is not known" }], outcome: "not_started" },
    })
  }
  const text = textOf(part.value)
  const end = from + length
  // Not in the middle of a character.
  const last = text.charCodeAt(end - 1)
  const to = last >= 0xd800 && last <= 0xdbff && end < text.length ? end + 1 : end
  return { text: text.slice(from, to), from, total: text.length, ...(to < text.length ? { next: to } : {}) }
}

/** The text of a text or of a block that has one; anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (typeof value === "object" && value !== null && "type" in value && value.type === "text" && "text" in value && typeof value.text === "string") return value.text
  return JSON.stringify(value)
}
