/**
 * Which servers a command is about.
 *
 * In: the options `--config`, `--url`, `--name`, the command behind `--`, and the folder. Out: servers by name.
 * A config that was not named by the user is somebody else's until a person agreed to it: before that it is parsed for showing
 * and nothing in it is expanded, resolved or started.
 */
import type { MCPConfig, MCPServerConfig } from "../../from_mcp.js"
import { canAsk, type Host } from "../host.js"
import { usageError } from "../usage_error.js"
import { askTrust } from "./ask_trust.js"
import { CONFIG_NAMES, findConfig, type FoundConfig } from "./found_config.js"
import { rememberFound } from "./found_servers.js"
import { nameForCommand, nameForURL } from "./server_name.js"
import { remember, trustFile, trustOf } from "./trust_store.js"

/** What the command line says about servers. */
export interface ServerOptions {
  readonly config?: string | undefined
  readonly url?: string | undefined
  readonly name?: string | undefined
  /** The words behind `--`; undefined where there was no `--`. */
  readonly command?: readonly string[] | undefined
}

const ALL_WAYS = "--config FILE, --url URL, or a command at the end: -- npx -y some-mcp-server"

/**
 * The servers that the options name, or those of a trusted config in the folder.
 *
 * @throws CallError CONFIGURATION_ERROR where the options contradict each other, no server is named, or the config of the folder
 * is not trusted.
 */
export async function serversOf(options: ServerOptions, host: Host): Promise<MCPConfig["servers"]> {
  const { config, url, name, command } = options
  const ways = [config === undefined ? [] : ["--config"], url === undefined ? [] : ["--url"], command === undefined ? [] : ["-- command"]].flat()
  if (ways.length > 1) throw usageError(`${ways.join(" and ")} cannot be given together`, "give one of them")
  if (name !== undefined && url === undefined && command === undefined) {
    throw usageError("--name names a server that is given by --url or by a command behind --", "leave --name out: servers of a config have names")
  }
  if (config !== undefined) {
    const { loadConfigFile } = await import("../../from_mcp.js")
    return (await loadConfigFile(config)).servers
  }
  if (url !== undefined) return only(name ?? nameForURL(url), { url: httpURL(url) })
  if (command !== undefined) {
    const [program, ...args] = command
    if (program === undefined) throw usageError("Behind -- the command of a server is missing", "-- npx -y some-mcp-server")
    return only(name ?? nameForCommand(program, args), { command: program, args })
  }
  const found = await findConfig(host.cwd)
  if (found === undefined) throw usageError(`No server is named, and this folder has no ${CONFIG_NAMES.join(", ")}`, ALL_WAYS)
  return serversOfFound(found, host)
}

async function serversOfFound(found: FoundConfig, host: Host): Promise<MCPConfig["servers"]> {
  const { path, text, sha256 } = found
  const store = trustFile(host.env)
  const trust = await trustOf(store, path, sha256)
  if (trust !== "trusted") {
    if (!canAsk(host)) {
      const why = trust === "changed" ? "has changed since it was trusted" : "is not trusted yet"
      throw usageError(`The config found in this folder ${why}: ${path}`, `--config ${path}, where you know what it starts; or run this once at a terminal`, {
        file: path,
      })
    }
    const { readConfig } = await import("../../from_mcp.js")
    const agreed = await askTrust(host, path, readConfig(text, { file: path }), trust === "changed")
    if (!agreed) throw usageError(`The config found in this folder was not agreed to: ${path}`, ALL_WAYS, { file: path })
    await remember(store, path, sha256)
  }
  const { parseConfig } = await import("../../from_mcp.js")
  const { servers } = parseConfig(text, { file: path, env: host.env })
  rememberFound(Object.values(servers))
  return servers
}

function only(name: string, server: MCPServerConfig): MCPConfig["servers"] {
  return { [name]: server }
}

function httpURL(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw usageError("--url needs an http or https url", "--url https://mcp.example.com/mcp")
}
