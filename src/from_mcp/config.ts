/**
 * Config texts of MCP clients, read in two ways: ready to connect, or as written for showing before anything is trusted.
 *
 * In: JSON with comments in the form of Claude Desktop, Cursor or VS Code. Out: servers by name.
 * Touches no file and starts nothing; the only thing read from outside is the environment, and by `parseConfig` alone.
 */
import { Faults } from "./config/faults.js"
import { readRawConfig, type SkippedServer } from "./config/raw_config.js"
import type { RawServer, RawTable, RawText } from "./config/raw_server.js"
import { expandVariables, variablesIn, type Environment } from "./config/variables.js"
import type { MCPServerConfig } from "./server_config.js"

/** The servers of a host, by name. */
export interface MCPConfig {
  readonly servers: Readonly<Record<string, MCPServerConfig>>
  /** Servers that the text names and switches off; left out where there are none. */
  readonly skipped?: readonly SkippedServer[] | undefined
  /** RFC 6901 pointers of server settings that mean nothing here; left out where there are none. */
  readonly ignored?: readonly string[] | undefined
}

/** A server as its config writes it: nothing is expanded, and of `env` and `headers` only the names are given. */
export interface ServerPreview {
  readonly name: string
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly url?: string | undefined
  readonly transport?: "http" | "sse" | undefined
  readonly env: readonly string[]
  readonly headers: readonly string[]
  /** The variables of the host's environment that the server would be given. */
  readonly variables: readonly string[]
}

/** A config as it is written, for a person to look at. */
export interface ConfigPreview {
  readonly file?: string | undefined
  readonly servers: readonly ServerPreview[]
  readonly skipped: readonly SkippedServer[]
}

/**
 * The servers of a config text, ready for `MCPClientLoader.load`. Reads `mcpServers` and `servers`, comments, trailing commas, and
 * `${NAME}`, `${NAME:-default}`, `${env:NAME}` in command, args, env, cwd, url and headers. `env` is `process.env` by default.
 *
 * @throws CallError CONFIGURATION_ERROR; `details.faults` lists all faults at once, with server, variable, pointer, line and column.
 */
export function parseConfig(text: string, options: { readonly env?: Environment | undefined; readonly file?: string | undefined } = {}): MCPConfig {
  const faults = new Faults(text, options.file)
  const raw = readRawConfig(text, faults)
  const env = options.env ?? process.env
  const servers = table(raw.servers.map((server) => [server.name, expanded(server, env, faults)]))
  faults.throwIfAny()
  return {
    servers,
    ...(raw.skipped.length > 0 && { skipped: raw.skipped }),
    ...(raw.ignored.length > 0 && { ignored: raw.ignored }),
  }
}

/**
 * The servers of a config text as they are written: what would be started or reached, and which variables would be read.
 *
 * @throws CallError CONFIGURATION_ERROR as `parseConfig`, unset variables apart.
 */
export function readConfig(text: string, options: { readonly file?: string | undefined } = {}): ConfigPreview {
  const faults = new Faults(text, options.file)
  const raw = readRawConfig(text, faults)
  faults.throwIfAny()
  return {
    ...(options.file !== undefined && { file: options.file }),
    servers: raw.servers.map(preview),
    skipped: raw.skipped,
  }
}

function expanded(server: RawServer, env: Environment, faults: Faults): MCPServerConfig {
  const expand = ({ text, pointer, offset }: RawText) =>
    expandVariables(text, env, (fault) => faults.add({ ...fault, pointer, offset, server: server.name }))
  const expandTable = (rows: RawTable) => table(rows.map(([name, value]) => [name, expand(value)]))
  if (server.kind === "stdio") {
    return {
      command: expand(server.command),
      ...(server.args && { args: server.args.map(expand) }),
      ...(server.env && { env: expandTable(server.env) }),
      ...(server.cwd && { cwd: expand(server.cwd) }),
    }
  }
  const url = expandURL(server.url, server.name, expand, faults)
  return {
    url,
    ...(server.transport && { transport: server.transport }),
    ...(server.headers && { headers: expandTable(server.headers) }),
  }
}

function expandURL(raw: RawText, server: string, expand: (raw: RawText) => string, faults: Faults): string {
  const url = expand(raw)
  // A variable that is missing has been told already, and leaves no url to judge.
  const judged = variablesIn(url).length === 0
  if (judged && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
    faults.add({ message: "an http or https url is wanted here", pointer: raw.pointer, offset: raw.offset, server })
  }
  return url
}

function preview(server: RawServer): ServerPreview {
  const rows = server.kind === "stdio" ? (server.env ?? []) : (server.headers ?? [])
  const names = rows.map(([name]) => name)
  const own = server.kind === "stdio" ? [server.command, ...(server.args ?? []), ...(server.cwd ? [server.cwd] : [])] : [server.url]
  const variables = [...new Set([...own, ...rows.map(([, value]) => value)].flatMap(({ text }) => variablesIn(text)))]
  if (server.kind === "stdio") {
    return {
      name: server.name,
      command: server.command.text,
      ...(server.args && { args: server.args.map(({ text }) => text) }),
      ...(server.cwd && { cwd: server.cwd.text }),
      env: names,
      headers: [],
      variables,
    }
  }
  return { name: server.name, url: server.url.text, ...(server.transport && { transport: server.transport }), env: [], headers: names, variables }
}

/** An object that holds what it was given and nothing else: names of Object.prototype are ordinary names in it. */
function table<T>(rows: ReadonlyArray<readonly [string, T]>): Record<string, T> {
  // Object.create is typed to give any; what it gives here is empty.
  const object = Object.create(null) as Record<string, T>
  for (const [name, value] of rows) object[name] = value
  return object
}
