/**
 * The subjects of the protocol: how they are built, and what they say about who sent a message.
 *
 * In: names of callers, workers and operations. Out: subjects, and the parts of a subject that came in.
 * The server enforces subjects and nothing else, so everything that decides a right is read from here and never from a body.
 * Every token is `[A-Za-z0-9_-]`, any other byte of its UTF-8 form as `=XX`: names of MCP tools may hold dots, slashes and spaces.
 */
import { CallError } from "../error.js"
import { parseOperationId } from "../operation.js"

/** Where a system's subjects begin when nothing else is said. Two systems with different prefixes can share one server. */
export const DEFAULT_PREFIX = "ops"

/** The queue group that shares calls among workers. */
export const QUEUE = "ops"

/** The longest subject that is used; a longer one is refused before anything is sent. */
const MAX_SUBJECT = 512

const VERSION = "v1"
const TOKEN = /^[A-Za-z0-9_-]+$/
const ENCODED = /^(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+$/
const encoder = new TextEncoder()
// A text that is no UTF-8 must not become another operation's name.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** True for a name that can be a caller, a worker or a prefix: one token of a subject. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** The name, where it can be a token. @throws CallError CONFIGURATION_ERROR that says whose name it is */
export function tokenOrThrow(text: string, whose: string): string {
  if (isToken(text)) return text
  throw new CallError("CONFIGURATION_ERROR", `"${text}" cannot be the name of ${whose}: use letters, digits, "_" and "-"`, {
    details: { remedy: `name it "${text.replace(/[^A-Za-z0-9_-]+/g, "_") || "_"}"` },
  })
}

/** Any text as one token. */
export function encodeToken(text: string): string {
  if (TOKEN.test(text)) return text
  let token = ""
  for (const byte of encoder.encode(text)) {
    const char = String.fromCharCode(byte)
    token += TOKEN.test(char) ? char : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }
  return token
}

/** The text that a token stands for; undefined where no text has that token. */
export function decodeToken(token: string): string | undefined {
  if (TOKEN.test(token)) return token
  if (!ENCODED.test(token)) return undefined
  try {
    const text = decoder.decode(bytesOf(token))
    // One text has one token: "=61" is not another way to say "a".
    return encodeToken(text) === token ? text : undefined
  } catch {
    return undefined
  }
}

/** What a subject of a call says. */
export interface CallSubject {
  readonly caller: string
  readonly operationId: string
}

/** The subjects of one system. */
export class Subjects {
  readonly prefix: string
  readonly #root: string

  /** @throws CallError CONFIGURATION_ERROR where the prefix is no token */
  constructor(prefix: string = DEFAULT_PREFIX) {
    this.prefix = tokenOrThrow(prefix, "a system")
    this.#root = `${prefix}.${VERSION}`
  }

  /** A call to whichever worker serves the namespace; undefined where the id is none, or is too long for a subject. */
  call(caller: string, operationId: string): string | undefined {
    const tail = this.tailOf(operationId)
    return tail === undefined ? undefined : short(`${this.#root}.call.${caller}.${tail}`)
  }

  /** A call to one worker. */
  callTo(worker: string, caller: string, operationId: string): string | undefined {
    const tail = this.tailOf(operationId)
    return tail === undefined ? undefined : short(`${this.#root}.to.${worker}.${caller}.${tail}`)
  }

  /** `namespace.name` as the end of a subject; undefined where the id is none. */
  tailOf(operationId: string): string | undefined {
    const id = parseOperationId(operationId)
    return id === undefined ? undefined : `${id.namespace}.${encodeToken(id.name)}`
  }

  /** What a worker subscribes to for a namespace, in the queue group. */
  calls(namespace: string): string {
    return `${this.#root}.call.*.${namespace}.>`
  }

  /** What a worker subscribes to for a namespace, for the calls that are meant for it alone. */
  callsTo(worker: string, namespace: string): string {
    return `${this.#root}.to.${worker}.*.${namespace}.>`
  }

  /** What a caller publishes to for the operations that `tail` stands for: through the queue, and to any one worker. */
  callsOf(caller: string, tail: string): readonly [string, string] {
    return [`${this.#root}.call.${caller}.${tail}`, `${this.#root}.to.*.${caller}.${tail}`]
  }

  /** What a subject of `calls` or `callsTo` says; undefined for any other subject. */
  parseCall(subject: string): CallSubject | undefined {
    const tokens = subject.split(".")
    const [prefix, version, kind] = tokens
    if (prefix !== this.prefix || version !== VERSION) return undefined
    const rest = kind === "call" ? tokens.slice(3) : kind === "to" ? tokens.slice(4) : []
    const [caller = "", namespace = "", name = ""] = rest
    if (rest.length !== 3 || !isToken(caller) || !isToken(namespace)) return undefined
    const decoded = decodeToken(name)
    return decoded === undefined ? undefined : { caller, operationId: `${namespace}.${decoded}` }
  }

  /** Abort, credit and parts of a long request, from a caller to one worker. */
  control(worker: string, caller: string): string {
    return `${this.#root}.ctl.${worker}.${caller}`
  }

  /** The same to all workers, where it is not known yet which of them has the call. No worker can be named `all`. */
  controlAll(caller: string): string {
    return `${this.#root}.ctl.all.${caller}`
  }

  /** What a worker subscribes to for control messages. */
  controls(worker: string): readonly [string, string] {
    return [`${this.#root}.ctl.${worker}.*`, `${this.#root}.ctl.all.*`]
  }

  /** What a worker says of itself. */
  announce(worker: string): string {
    return `${this.#root}.announce.${worker}`
  }

  /** What a mirror subscribes to. */
  announcements(): string {
    return `${this.#root}.announce.*`
  }

  /** A caller's request for a worker's catalogue. */
  catalogue(worker: string, caller: string): string {
    return `${this.#root}.catalog.${worker}.${caller}`
  }

  /** What a worker subscribes to for catalogue requests. */
  catalogues(worker: string): string {
    return `${this.#root}.catalog.${worker}.*`
  }

  /** The last token: the caller of a control or catalogue subject, the worker of an announcement. */
  lastToken(subject: string): string {
    return subject.slice(subject.lastIndexOf(".") + 1)
  }
}

/** A token that nobody guesses: 96 bits. */
export function randomToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Where the answers of a caller's connection go: all of them begin so. */
export function inboxPrefix(caller: string): string {
  return `_INBOX.${caller}`
}

/** True for a reply subject within the caller's own inbox. Only such a one is ever answered. */
export function isOwnInbox(caller: string, reply: string | undefined): reply is string {
  return reply?.startsWith(`_INBOX.${caller}.`) === true
}

function bytesOf(token: string): Uint8Array {
  const bytes = new Uint8Array(token.length)
  let length = 0
  for (let at = 0; at < token.length; at++) {
    if (token[at] === "=") {
      bytes[length++] = Number.parseInt(token.slice(at + 1, at + 3), 16)
      at += 2
    } else bytes[length++] = token.charCodeAt(at)
  }
  return bytes.subarray(0, length)
}

function short(subject: string): string | undefined {
  return subject.length <= MAX_SUBJECT ? subject : undefined
}
