/**
 * Takes out of texts what is not there to be read: control characters, escape sequences of terminals, marks that turn the
 * direction of writing, and characters that no reader sees but a model does.
 *
 * In: envelopes and errors with text of strangers. Out: the same with clean texts; how many characters are gone, and where,
 * stands in `meta.reduced`. Base64 is left alone. White space, emoji and every script stay as they are.
 */
import { CallError, isCallError } from "../error.js"
import type { MCPContentBlock, Reduction, ResponseEnvelope } from "../envelope.js"
import type { Middleware } from "../registry.js"

/** CSI, OSC and the other string sequences with what belongs to them, then any escape with its one character. */
const ESCAPES =
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]{0,16}[0-~]?/g
/** A lone carriage return would write over its line. */
const LONE_RETURN = /\r(?!\n)/g
/** C0 but tab, line feed and carriage return; C1; bidirectional marks; line and paragraph separators; annotations; tags. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
const ANYTHING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u
const LISTED = 100
const DEEPEST = 512

/**
 * The text without control characters (tab and line breaks stay), escape sequences of terminals, bidirectional controls and
 * invisible tag characters. A lone carriage return becomes a line feed.
 */
export function cleanText(text: string): string {
  return ANYTHING.test(text) ? text.replace(ESCAPES, "").replace(LONE_RETURN, "\n").replace(UNSEEN, "") : text
}

/**
 * A middleware that cleans every text of a result by `cleanText`: in `data`, in blocks, in all that a server said beside them, names
 * of members included; and message and details of an error. An envelope that is clean passes as the same object.
 */
export function sanitizeText(): Middleware {
  return async (call, next) => {
    let envelope
    try {
      envelope = await next()
    } catch (thrown) {
      throw isCallError(thrown) ? cleanError(thrown) : thrown
    }
    return call.ended ? envelope : cleanEnvelope(envelope)
  }
}

function cleanEnvelope(envelope: ResponseEnvelope): ResponseEnvelope {
  const { data, meta } = envelope
  const gone: Gone = new Map()
  if (meta.source === "local") return withGone({ data: clean(data, "/data", gone), meta }, envelope, gone)
  if (meta.source === "http") {
    // A cleaned copy has the members of the original, and texts stay texts.
    const headers = clean(meta.headers, "/meta/headers", gone) as Record<string, string>
    return withGone({ data: clean(data, "/data", gone), meta: { ...meta, headers } }, envelope, gone)
  }
  const small = { ...meta, content: cleanBlocks(meta.content, "/meta/content", gone) }
  // Where `data` is the blocks, their base64 is left alone there too.
  const smallData = data === meta.content ? small.content : clean(data, "/data", gone)
  if (meta.structuredContent !== undefined) {
    small.structuredContent = meta.structuredContent === data ? smallData : clean(meta.structuredContent, "/meta/structuredContent", gone)
  }
  for (const member of ["_meta", "extra", "issues", "changes"] as const) {
    // A cleaned copy has the shape of the original: the words of the library's own in it hold nothing to take out.
    if (small[member] !== undefined) Object.assign(small, { [member]: clean(small[member], `/meta/${member}`, gone) })
  }
  return withGone({ data: smallData, meta: small }, envelope, gone)
}

function cleanBlocks(blocks: MCPContentBlock[], path: string, gone: Gone): MCPContentBlock[] {
  return each(blocks, (block, index) => {
    const place = `${path}/${String(index)}`
    // A cleaned copy of a block has the members of the block.
    if (block.type !== "image" && block.type !== "audio") return clean(block, place, gone) as MCPContentBlock
    const { data, ...rest } = block
    const after = clean(rest, place, gone)
    // A cleaned copy of a block has the members of the block.
    return after === rest ? block : ({ ...(after as object), data } as MCPContentBlock)
  })
}

/** Characters taken out, by where they stood. */
type Gone = Map<string, number>

function clean(value: unknown, path: string, gone: Gone, depth = 0): unknown {
  if (typeof value === "string") return cleaned(value, path, gone)
  if (typeof value !== "object" || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) return each(value, (child: unknown, index) => clean(child, `${path}/${String(index)}`, gone, depth + 1))
  // Any object has members by name.
  const before = Object.entries(value as Record<string, unknown>)
  const after = each(before, (entry) => {
    const [key, child] = entry
    const name = cleaned(key, path, gone)
    const inner = clean(child, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, gone, depth + 1)
    return name === key && inner === child ? entry : ([name, inner] satisfies [string, unknown])
  })
  return after === before ? value : membersOf(after)
}

/** Members by name; of two that were different only by what was taken out, the second is numbered. */
function membersOf(entries: readonly (readonly [string, unknown])[]): object {
  const members = new Map<string, unknown>()
  for (const [name, child] of entries) {
    let own = name
    for (let number = 2; members.has(own); number++) own = `${name} (${String(number)})`
    members.set(own, child)
  }
  return Object.fromEntries(members)
}

function cleaned(text: string, path: string, gone: Gone): string {
  const after = cleanText(text)
  if (after !== text) gone.set(path, (gone.get(path) ?? 0) + Math.max(1, text.length - after.length))
  return after
}

/** As `map`, and the same list where nothing changed. */
function each<T>(list: T[], change: (item: T, index: number) => T): T[] {
  let copy: T[] | undefined
  list.forEach((item, index) => {
    const after = change(item, index)
    if (after !== item) (copy ??= [...list])[index] = after
  })
  return copy ?? list
}

function withGone({ data, meta }: ResponseEnvelope, before: ResponseEnvelope, gone: Gone): ResponseEnvelope {
  if (gone.size === 0) return before
  const places = [...gone].map(([path, characters]): Reduction => ({ by: "sanitize", path, characters }))
  const further = places.slice(LISTED).reduce((sum, { characters = 0 }) => sum + characters, 0)
  const rest: Reduction[] = further === 0 ? [] : [{ by: "sanitize", path: "", characters: further }]
  return { data, meta: { ...meta, reduced: [...(meta.reduced ?? []), ...places.slice(0, LISTED), ...rest] } }
}

function cleanError(error: CallError): CallError {
  const gone: Gone = new Map()
  const message = cleaned(error.message, "/message", gone)
  // Details of an error are an object, and stay one.
  const details = clean(error.details, "/details", gone) as Record<string, unknown>
  return gone.size === 0 ? error : new CallError(error.code, message, { details, cause: error.cause })
}
