/**
 * From the id on the command line to one server, and to one operation of it.
 *
 * In: an id, or the bare name of a tool where there is one server. Out: the server's name; the operation. What cannot be found
 * is answered with what is spelt most like it.
 */
import { distance } from "fastest-levenshtein"
import { CallError } from "../error.js"
import type { MCPClientWrapper, MCPConfig } from "../from_mcp.js"
import { operationId, parseOperationId, toNamespace } from "../operation.js"

type Operation = MCPClientWrapper["tools"][number]

const MOST_SUGGESTIONS = 3

/** The servers that the id can mean: one of several by its namespace, and a server that is alone in any case. */
export function serversFor(id: string, servers: MCPConfig["servers"]): MCPConfig["servers"] {
  const names = Object.keys(servers)
  if (names.length === 1) return servers
  const { namespace, name: tool = "" } = parseOperationId(id) ?? {}
  const name = names.find((one) => toNamespace(one) === namespace)
  const server = name === undefined ? undefined : servers[name]
  if (name !== undefined && server !== undefined) return { [name]: server }
  if (names.length === 0) throw new CallError("CONFIGURATION_ERROR", "The config names no server", { details: { remedy: "add one below mcpServers" } })

  const spaces = names.map(toNamespace)
  const nearest = namespace === undefined ? [] : nearestTo(namespace, spaces).map((space) => `${space}.${tool}`)
  const question = nearest.length === 0 ? `; the servers are ${spaces.join(", ")}` : `; did you mean ${nearest.join(" or ")}?`
  const remedy = namespace === undefined ? "write SERVER.TOOL; mcp-operations list shows all" : "mcp-operations list shows all"
  throw new CallError("OPERATION_NOT_FOUND", `No server has the operation "${id}"${question}`, { details: { operationId: id, nearest, remedy } })
}

/** The operation of a connected server. `isAlone` says that the bare name of the tool is enough. */
export function findOperation(id: string, { name, tools, rejected }: MCPClientWrapper, isAlone: boolean): Operation {
  const found = tools.find((tool) => operationId(tool) === id) ?? (isAlone ? tools.find((tool) => tool.name === id) : undefined)
  if (found !== undefined) return found

  const refused = rejected.find((tool) => tool.name === id || `${toNamespace(name)}.${tool.name}` === id)
  if (refused !== undefined) {
    throw new CallError("OPERATION_NOT_FOUND", `Server "${name}" lists the tool, and it cannot be used: ${refused.reason}`, {
      details: { operationId: id, nearest: [], pointer: refused.pointer },
    })
  }
  const ids = tools.map(operationId)
  const byName = isAlone ? nearestTo(id, tools.map((tool) => tool.name)) : []
  const nearest = byName.length > 0 ? byName : nearestTo(id, ids)
  const question = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}?`
  throw new CallError("OPERATION_NOT_FOUND", `Server "${name}" has no operation "${id}"${question}`, {
    details: { operationId: id, nearest, remedy: "mcp-operations list shows all" },
  })
}

/** Up to three names that differ from the text in few letters, the nearest first. */
function nearestTo(text: string, names: readonly string[]): string[] {
  const most = Math.max(2, Math.floor(text.length / 3))
  return names
    .map((name) => ({ name, far: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((one, other) => one.far - other.far)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ name }) => name)
}
