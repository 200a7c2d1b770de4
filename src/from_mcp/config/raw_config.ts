/**
 * All servers of a config text as they are written.
 *
 * In: the text. Out: the entries below `mcpServers` (Claude Desktop, Cursor) and `servers` (VS Code), which are told apart by
 * nothing else; the ones that are switched off; the members that were not understood.
 * Two names that would meet in one namespace are refused here, where the places are known.
 */
import { toNamespace } from "../../operation.js"
import { quote, type Faults } from "./faults.js"
import { membersOf, parseDocument, type Located, type Member } from "./json_document.js"
import { isDisabled, readRawServer, type RawServer } from "./raw_server.js"

/** A server that a config names and that is not to be connected. */
export interface SkippedServer {
  readonly name: string
  readonly pointer: string
  readonly reason: string
}

/** A config as written. Faults that were found stand in the `Faults` it was read with. */
export interface RawConfig {
  readonly servers: readonly RawServer[]
  readonly skipped: readonly SkippedServer[]
  /** Pointers of members that say nothing about reaching a server. */
  readonly ignored: readonly string[]
}

const TABLES = ["mcpServers", "servers"]

/** Reads a text; throws at once only where it is no JSON, all other faults are gathered. */
export function readRawConfig(text: string, faults: Faults): RawConfig {
  const root = parseDocument(text, faults)
  const servers: RawServer[] = []
  const skipped: SkippedServer[] = []
  const ignored: string[] = []
  const names = new Map<string, string>()
  for (const entry of serverEntries(root, faults)) {
    if (entry.node.type !== "object") {
      faults.add({ message: "an object is wanted here", pointer: entry.pointer, offset: entry.node.offset, server: entry.key })
      continue
    }
    const members = membersOf(entry, faults, entry.key)
    if (isDisabled(members)) {
      skipped.push({ name: entry.key, pointer: entry.pointer, reason: "disabled" })
      continue
    }
    refuseMeeting(entry, names, faults)
    const server = readRawServer(entry, members, faults, ignored)
    if (server !== undefined) servers.push(server)
  }
  return { servers, skipped, ignored }
}

function serverEntries(root: Located, faults: Faults): Member[] {
  const tables = root.node.type === "object" ? membersOf(root, faults).filter(({ key }) => TABLES.includes(key)) : []
  if (tables.length === 0) {
    faults.add({ message: 'an object with a member "mcpServers" or "servers" is wanted', pointer: root.pointer, offset: root.node.offset })
  }
  return tables.flatMap((table) => {
    if (table.node.type === "object") return membersOf(table, faults)
    faults.add({ message: "an object of servers is wanted here", pointer: table.pointer, offset: table.node.offset })
    return []
  })
}

function refuseMeeting(entry: Member, names: Map<string, string>, faults: Faults): void {
  const namespace = toNamespace(entry.key)
  const other = names.get(namespace)
  if (other === undefined) {
    names.set(namespace, entry.key)
    return
  }
  const both = other === entry.key ? "the name stands here a second time" : `meets server ${quote(other)} in the namespace ${quote(namespace)}; rename one`
  faults.add({ message: both, pointer: entry.pointer, offset: entry.offset, server: entry.key })
}
