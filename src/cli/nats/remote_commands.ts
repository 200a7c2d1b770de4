/**
 * `list`, `describe` and `call` with `--nats`: the operations of all workers, as a caller sees them.
 *
 * In: an id and the words of the command line. Out: the same documents as with servers; only the list tells of workers where the other
 * one tells of servers.
 */
import { CallError } from "../../error.js"
import type { RemoteRegistry } from "../../nats.js"
import { operationId, specToJSON, type OperationSpec } from "../../operation.js"
import { nearestIds } from "../../registry.js"
import { prepareCall, type CallOptions } from "../call.js"
import type { CommandResult } from "../command_result.js"
import { description } from "../describe.js"
import { EXIT } from "../exit_code.js"
import type { Host } from "../host.js"
import { workerListView } from "../view/worker_list_view.js"
import { withWorkers, type RemoteWords } from "./remote.js"

/** Lists the operations of all workers. */
export function remoteList(words: RemoteWords, host: Host): Promise<CommandResult> {
  return withWorkers(words, host, async (remote, reports) => {
    const operations = remote.list().flatMap((id) => remote.getSpec(id) ?? [])
    const workers = remote.workers()
    const conflicts = remote.conflicts()
    const document = { operations: operations.map((spec) => ({ id: operationId(spec), ...specToJSON(spec) })), workers, conflicts, reports: [...reports] }
    return { document, view: (screen) => workerListView(workers, operations, screen), exitCode: EXIT.ok }
  })
}

/** Describes an operation of a worker. */
export function remoteDescribe(id: string, words: RemoteWords, host: Host): Promise<CommandResult> {
  return withWorkers(words, host, async (remote) => description(operationOf(remote, id)))
}

/** Calls an operation of a worker. */
export async function remoteCall(id: string, options: CallOptions, words: RemoteWords, host: Host): Promise<CommandResult> {
  const prepared = await prepareCall(options, host)
  return withWorkers(words, host, (remote, _reports, say) => prepared(operationOf(remote, id), (name, input, context) => remote.execute(name, input, context), say))
}

function operationOf(remote: RemoteRegistry, id: string): OperationSpec {
  const spec = remote.getSpec(id)
  if (spec !== undefined) return spec
  const nearest = nearestIds(id, remote.list())
  const question = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}?`
  throw new CallError("OPERATION_NOT_FOUND", `No worker shows an operation "${id}"${question}`, {
    details: { operationId: id, nearest, remedy: "mcp-operations list, with the same --nats and --caller, shows all" },
  })
}
