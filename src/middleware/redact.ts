/**
 * Takes values out of results before anyone sees them.
 *
 * In: JSON pointers into `data` (`*` for any member). Out: envelopes in which these values are `"[redacted]"`, in `data`, in
 * `structuredContent`, and wherever else in the envelope the same text stands: servers send the same payload twice.
 * The envelope that came in is left as it is.
 */
import type { Reduction, ResponseEnvelope, ResponseMeta } from "../envelope.js"
import type { Middleware } from "../registry.js"

const MARK = "[redacted]"
/** Shorter texts stand in too many places to be taken out of all of them. */
const SHORTEST_SECRET = 4

/**
 * A middleware that redacts. `paths` are JSON pointers into `data`; a segment `*` stands for every member or item. What was taken
 * out is listed in `meta.reduced`.
 */
export function redact(paths: readonly string[]): Middleware {
  const patterns = paths.map(segmentsOf)
  return async (call, next) => {
    const envelope = await next()
    return call.ended ? envelope : redactEnvelope(envelope, patterns)
  }
}

function redactEnvelope(envelope: ResponseEnvelope, patterns: readonly (readonly string[])[]): ResponseEnvelope {
  const found: Found = { secrets: new Set(), reduced: [] }
  let { data } = envelope
  for (const pattern of patterns) data = take(data, pattern, 0, "/data", found)
  let { meta } = envelope
  if (meta.source === "mcp" && meta.structuredContent !== undefined) {
    let structuredContent: unknown = meta.structuredContent
    for (const pattern of patterns) structuredContent = take(structuredContent, pattern, 0, "/meta/structuredContent", found)
    if (structuredContent !== meta.structuredContent) meta = { ...meta, structuredContent }
  }
  if (found.reduced.length === 0) return envelope
  const scrub = scrubber(found.secrets)
  return { data: scrub(data, 0), meta: { ...scrubMeta(meta, scrub), reduced: [...(envelope.meta.reduced ?? []), ...found.reduced] } }
}

/** Cleans what came from the server, and none of the words by which an envelope is read (source, block types, kinds of change). */
function scrubMeta(meta: ResponseMeta, scrub: Scrub): ResponseMeta {
  if (meta.source === "local") return meta
  // A scrubbed copy has the members of the original, and texts stay texts.
  if (meta.source === "http") return { ...meta, headers: scrub(meta.headers, 0) as Record<string, string> }
  // A scrubbed block has the members of the block.
  const clean = { ...meta, content: meta.content.map((block) => ({ ...(scrub(block, 0) as typeof block), type: block.type }) as typeof block) }
  for (const member of ["structuredContent", "_meta", "extra"] as const) {
    // What was an object stays one.
    if (clean[member] !== undefined) clean[member] = scrub(clean[member], 0) as Record<string, unknown>
  }
  if (clean.changes !== undefined) {
    clean.changes = clean.changes.map((change) => ({ ...(scrub(change, 0) as typeof change), kind: change.kind }) as typeof change)
  }
  if (clean.issues !== undefined) clean.issues = clean.issues.map((issue) => ({ ...issue, message: scrub(issue.message, 0) as string }))
  return clean
}

type Scrub = (value: unknown, depth: number) => unknown

interface Found {
  readonly secrets: Set<string>
  readonly reduced: Reduction[]
}

function take(value: unknown, pattern: readonly string[], depth: number, path: string, found: Found): unknown {
  const segment = pattern[depth]
  if (segment === undefined) {
    if (value === MARK) return value
    collectTexts(value, found.secrets)
    found.reduced.push({ by: "redact", path })
    return MARK
  }
  if (typeof value !== "object" || value === null) return value
  const keys = segment === "*" ? Object.keys(value) : Object.hasOwn(value, segment) ? [segment] : []
  let copy: unknown
  for (const key of keys) {
    const before: unknown = Reflect.get(value, key)
    const after = take(before, pattern, depth + 1, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, found)
    if (after === before) continue
    copy ??= Array.isArray(value) ? Array.from<unknown>(value) : copyOf(value)
    Object.defineProperty(copy, key, { value: after, enumerable: true, writable: true, configurable: true })
  }
  return copy ?? value
}

function collectTexts(value: unknown, secrets: Set<string>): void {
  if (typeof value === "string") {
    if (value.length >= SHORTEST_SECRET) secrets.add(value)
  } else if (typeof value === "number") {
    if (String(value).length >= SHORTEST_SECRET) secrets.add(String(value))
  } else if (typeof value === "object" && value !== null) for (const child of Object.values(value)) collectTexts(child, secrets)
}

/** Replaces the secrets wherever they stand in a text: as they are, and as they look inside JSON text. */
function scrubber(secrets: ReadonlySet<string>): Scrub {
  const forms = new Set<string>()
  for (const secret of secrets) {
    forms.add(secret)
    forms.add(JSON.stringify(secret).slice(1, -1))
  }
  // The longest first: a secret may hold another one.
  const ordered = [...forms].sort((one, other) => other.length - one.length)
  const clean = (text: string) => ordered.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, MARK) : rest), text)
  const scrub = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return clean(value)
    if (typeof value === "number") return secrets.has(String(value)) ? MARK : value
    if (typeof value !== "object" || value === null || depth > 512) return value
    if (Array.isArray(value)) return value.map((child: unknown) => scrub(child, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, scrub(child, depth + 1)]))
  }
  return scrub
}

function copyOf(value: object): object {
  // Not a spread: an own member named `__proto__` stays one.
  return Object.fromEntries(Object.entries(value))
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
}
