/**
 * `mcp-operations describe`, and `--help` behind the id of a call: what an operation is, takes and gives.
 *
 * In: an id and the servers. Out: its spec with flags and losses as JSON, or the same for a reader.
 */
import type { MCPConfig } from "../from_mcp.js"
import { operationId, specToJSON, type OperationSpec } from "../operation.js"
import { lossOf } from "../schema.js"
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import { findOperation, serversFor } from "./find_operation.js"
import { toolFlags } from "./flags/tool_flags.js"
import type { Host } from "./host.js"
import { flagsToJSON } from "./view/flag_view.js"
import { operationView } from "./view/operation_view.js"

/** Describes one operation. */
export async function describe(id: string, servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  return withServers(serversFor(id, servers), host, async ([outcome]) => {
    const operation = findOperation(id, connected(outcome), Object.keys(servers).length === 1)
    return description(operation)
  })
}

/** What there is to say of an operation, in both forms. */
export function description(operation: OperationSpec): CommandResult {
  const spec = specToJSON(operation)
  const flags = toolFlags(spec.inputSchema)
  const losses = [
    ...lossOf(operation.inputSchema).map((loss) => ({ schema: "inputSchema", ...loss })),
    ...lossOf(operation.outputSchema).map((loss) => ({ schema: "outputSchema", ...loss })),
  ]
  const id = operationId(operation)
  return {
    document: { id, ...spec, flags: flagsToJSON(flags), losses },
    view: (screen) => operationView(id, spec, flags, losses, screen),
    exitCode: EXIT.ok,
  }
}
