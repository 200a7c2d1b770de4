/**
 * What the command line knows of single servers beside their configs: logins of the user, and how far they may reach.
 *
 * In: servers by name. Out: options for the clients of some of them; and for an error that a login would mend, how to log in.
 */
import { join } from "node:path"
import { CallError, isCallError } from "../error.js"
import type { FileTokenStore, HTTPServerConfig, LoadOptions, MCPConfig, MCPServerConfig } from "../from_mcp.js"
import type { Host } from "./host.js"
import { networkFor } from "./source/found_servers.js"
import { userFolder } from "./source/trust_store.js"

/** The logins of the user, beside the configs that were agreed to. */
export async function tokenStore(env: Host["env"]): Promise<FileTokenStore> {
  const { FileTokenStore } = await import("../from_mcp.js")
  return new FileTokenStore(join(userFolder(env), "tokens"))
}

/** Options for the servers that need some. */
export async function clientOptions(servers: MCPConfig["servers"], host: Host): Promise<NonNullable<LoadOptions["clients"]>> {
  const store = await tokenStore(host.env)
  const entries = Object.entries(servers).map(async ([name, server]) => {
    const hasLogin = takesLogin(server) && (await store.has(server.url))
    return [name, { network: networkFor(server), authProvider: hasLogin ? store.provider(server.url) : undefined }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** True for a server that a person can log in to: over HTTP, without credentials of its own. */
export function takesLogin(server: MCPServerConfig): server is HTTPServerConfig {
  if (!("url" in server) || !URL.canParse(server.url) || new URL(server.url).username !== "") return false
  const names = typeof server.headers === "function" ? [] : Object.keys(server.headers ?? {})
  return !names.some((name) => name.toLowerCase() === "authorization")
}

/** The same error, with the way to log in where that may help. */
export function withLoginRemedy(error: unknown, servers: MCPConfig["servers"]): unknown {
  if (!isCallError(error) || error.code !== "AUTH_REQUIRED") return error
  const [name, server] = Object.entries(servers).find(([one]) => one === error.details["server"]) ?? []
  if (name === undefined || server === undefined || !takesLogin(server)) return error
  const remedy = `mcp-operations login ${name}, with the same --config or --url`
  return new CallError(error.code, error.message, { details: { ...error.details, remedy }, cause: error.cause })
}
