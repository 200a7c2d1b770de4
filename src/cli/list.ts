/**
 * `mcp-operations list`: every operation of the servers, what could not be used, and who could not be reached.
 *
 * In: servers by name. Out: specs as JSON, or a table for a reader. A server that fails is reported beside the others; where
 * none can be reached, the command fails.
 */
import { callErrorToJSON } from "../error.js"
import type { MCPConfig, ServerOutcome } from "../from_mcp.js"
import { operationId, specToJSON } from "../operation.js"
import type { CommandResult } from "./command_result.js"
import { failuresUnlessAll, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import type { Host } from "./host.js"
import { listView } from "./view/list_view.js"

/** Lists the operations of all servers. */
export function list(servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  return withServers(servers, host, async (outcomes) => {
    failuresUnlessAll(outcomes)
    // Made while the servers are connected: the view is drawn after they are closed.
    const document = { operations: outcomes.flatMap(operationsOf), servers: outcomes.map(serverToJSON) }
    return { document, view: (screen) => listView(outcomes, screen), exitCode: EXIT.ok }
  })
}

function operationsOf(outcome: ServerOutcome): Record<string, unknown>[] {
  return outcome.ok ? outcome.wrapper.tools.map((tool) => ({ id: operationId(tool), ...specToJSON(tool) })) : []
}

function serverToJSON(outcome: ServerOutcome): Record<string, unknown> {
  const { name, ok, durationMs } = outcome
  if (!ok) return { name, ok, durationMs, error: callErrorToJSON(outcome.error) }
  const { server, tools, rejected } = outcome.wrapper
  return { name, ok, durationMs, server, tools: tools.length, rejected }
}
