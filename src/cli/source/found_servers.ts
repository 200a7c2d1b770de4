/**
 * Which servers were named by a config that lies in the folder, and not by the user.
 *
 * In: the servers of such a config. Out: for one of them, how far it may reach. Kept beside the servers and not in them: what connects
 * takes their configs as they are.
 */
import { isIP } from "node:net"
import type { MCPServerConfig, NetworkPolicy } from "../../from_mcp.js"

const found = new WeakSet<MCPServerConfig>()

/** Remembers that nobody named these servers. */
export function rememberFound(servers: Iterable<MCPServerConfig>): void {
  for (const server of servers) found.add(server)
}

/**
 * What a server may reach: everything where the user named it. A name that a config of the folder brought may not lead to private
 * addresses, since nobody saw them when it was agreed to; `localhost` and an address that is written out were seen.
 */
export function networkFor(server: MCPServerConfig): NetworkPolicy | undefined {
  if (!found.has(server) || !("url" in server) || !URL.canParse(server.url)) return undefined
  const host = new URL(server.url).hostname.replace(/^\[(.*)\]$/, "$1")
  return host === "localhost" || host.endsWith(".localhost") || isIP(host) !== 0 ? undefined : { denyPrivate: true }
}
