/**
 * One server entry of a config as it is written, with the place of every text and nothing expanded.
 *
 * In: the entry's node. Out: a `RawServer`, or undefined with the reasons among the faults.
 * Takes the members that say how to reach a server and lists the rest: clients keep settings of their own in the same
 * entries (`autoApprove`, `timeout`), and those must not stop anyone.
 */
import { quote, type Faults } from "./faults.js"
import { entriesOf, membersOf, type Located, type Member } from "./json_document.js"

/** A text of the config and where it stands. */
export interface RawText {
  readonly text: string
  readonly pointer: string
  readonly offset: number
}

/** A server entry as written. */
export type RawServer = { readonly name: string; readonly pointer: string; readonly offset: number } & (
  | { readonly kind: "stdio"; readonly command: RawText; readonly args?: readonly RawText[]; readonly env?: RawTable; readonly cwd?: RawText }
  | { readonly kind: "http"; readonly url: RawText; readonly transport?: "http" | "sse"; readonly headers?: RawTable }
)

/** Names and texts in the order they are written. */
export type RawTable = ReadonlyArray<readonly [name: string, value: RawText]>

const TRANSPORTS: Readonly<Record<string, "stdio" | "http" | "sse">> = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
}
const OWN = {
  stdio: ["command", "args", "env", "cwd"],
  http: ["url", "headers"],
}
const SHARED = ["type", "transport", "disabled"]

/** True where the entry says `disabled: true`. */
export function isDisabled(members: readonly Member[]): boolean {
  return members.some(({ key, node }) => key === "disabled" && node.value === true)
}

/** Reads one entry; pointers of members that say nothing about reaching the server go to `ignored`. */
export function readRawServer(entry: Member, members: readonly Member[], faults: Faults, ignored: string[]): RawServer | undefined {
  const reader = new EntryReader(entry, members, faults)
  const type = reader.transport()
  if (type === "invalid") return undefined
  const kind = type === undefined ? reader.kindByMembers() : type === "stdio" ? "stdio" : "http"
  if (kind === undefined) return undefined
  for (const { key, pointer } of members) if (!OWN[kind].includes(key) && !SHARED.includes(key)) ignored.push(pointer)
  const base = { name: entry.key, pointer: entry.pointer, offset: entry.offset }
  if (kind === "stdio") {
    const command = reader.text("command", true)
    const args = reader.list("args")
    const env = reader.table("env")
    const cwd = reader.text("cwd", false)
    if (command === undefined) return undefined
    return { ...base, kind, command, ...(args && { args }), ...(env && { env }), ...(cwd && { cwd }) }
  }
  const url = reader.text("url", true)
  const headers = reader.table("headers")
  if (url === undefined) return undefined
  return { ...base, kind, url, ...(type === "http" || type === "sse" ? { transport: type } : {}), ...(headers && { headers }) }
}

class EntryReader {
  readonly #entry: Member
  readonly #members: ReadonlyMap<string, Member>
  readonly #faults: Faults

  constructor(entry: Member, members: readonly Member[], faults: Faults) {
    this.#entry = entry
    this.#members = new Map(members.map((member) => [member.key, member]))
    this.#faults = faults
  }

  transport(): "stdio" | "http" | "sse" | "invalid" | undefined {
    const member = this.#members.get("type") ?? this.#members.get("transport")
    if (member === undefined) return undefined
    const value: unknown = member.node.value
    if (typeof value === "string" && Object.hasOwn(TRANSPORTS, value)) return TRANSPORTS[value]
    const shown = typeof value === "string" ? `${quote(value)} is unknown here` : `a text is wanted here`
    this.#fault(`${shown}; use one of ${Object.keys(TRANSPORTS).join(", ")}`, member)
    return "invalid"
  }

  kindByMembers(): "stdio" | "http" | undefined {
    const command = this.#members.has("command")
    const url = this.#members.has("url")
    if (command !== url) return command ? "stdio" : "http"
    this.#fault(command ? 'both "command" and "url" are given; say which with "type"' : 'neither "command" nor "url" is given', this.#entry)
    return undefined
  }

  text(key: string, required: boolean): RawText | undefined {
    const member = this.#members.get(key)
    if (member === undefined) {
      if (required) this.#fault(`"${key}" is missing`, this.#entry)
      return undefined
    }
    const value: unknown = member.node.value
    if (typeof value === "string" && value !== "") return rawText(value, member)
    this.#fault("a text that is not empty is wanted here", member)
    return undefined
  }

  list(key: string): RawText[] | undefined {
    const member = this.#members.get(key)
    if (member === undefined) return undefined
    if (member.node.type !== "array") {
      this.#fault("a list of texts is wanted here", member)
      return undefined
    }
    return entriesOf(member).flatMap((entry) => this.#scalar(entry))
  }

  table(key: string): RawTable | undefined {
    const member = this.#members.get(key)
    if (member === undefined) return undefined
    if (member.node.type !== "object") {
      this.#fault("an object of texts is wanted here", member)
      return undefined
    }
    // null takes a variable away in VS Code; leaving it out comes to the same, as nothing is inherited unasked.
    return membersOf(member, this.#faults, this.#entry.key)
      .filter(({ node }) => node.type !== "null")
      .flatMap((value) => this.#scalar(value).map((text) => [value.key, text] as const))
  }

  /** Numbers and booleans are taken as their text: ports and switches are often written bare. */
  #scalar(at: Located): RawText[] {
    const value: unknown = at.node.value
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return [rawText(String(value), at)]
    this.#fault("a text is wanted here", at)
    return []
  }

  #fault(message: string, { pointer, node }: Located): void {
    this.#faults.add({ message, pointer, offset: node.offset, server: this.#entry.key })
  }
}

function rawText(text: string, { node, pointer }: Located): RawText {
  return { text, pointer, offset: node.offset }
}
