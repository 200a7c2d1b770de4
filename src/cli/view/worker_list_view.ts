/**
 * The operations of all workers as one table, and the workers that have them.
 *
 * In: workers and specs. Out: text. An operation is not shown with a worker: which of those that have it runs a call is decided anew each time.
 */
import type { RemoteWorker } from "../../nats.js"
import { operationId, type OperationSpec } from "../../operation.js"
import { operationTable } from "./list_view.js"
import { printableLine } from "./printable.js"
import type { Screen } from "./screen.js"
import { nameWidth } from "./table.js"

/** All workers, then all operations. */
export function workerListView(workers: readonly RemoteWorker[], operations: readonly OperationSpec[], screen: Screen): string {
  const width = nameWidth(operations.map((operation) => printableLine(operationId(operation))), screen)
  const lines = workers.map((worker) => workerLine(worker, screen))
  return [...lines, ...(operations.length === 0 ? [] : [operationTable(operations, width, screen)])].join("\n")
}

function workerLine({ name, operations, load }: RemoteWorker, { paint }: Screen): string {
  const about = `${operations === 1 ? "1 operation" : `${String(operations)} operations`}, ${String(load.inFlight)} of ${String(load.concurrency)} calls in flight`
  return `${paint.strong(printableLine(name))}  ${paint.faint(about)}`
}
