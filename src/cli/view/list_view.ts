/**
 * The operations of connected servers as a table, one block a server.
 *
 * In: what became of each server. Out: text; descriptions come down to their first sentence, for `describe` has the rest.
 */
import type { ServerOutcome } from "../../from_mcp.js"
import { operationId, type OperationSpec } from "../../operation.js"
import { printableLine } from "./printable.js"
import type { Screen } from "./screen.js"
import { nameWidth, tableView } from "./table.js"

const LONGEST_DESCRIPTION = 160

/** All servers with their operations, rejected tools and failures. */
export function listView(outcomes: readonly ServerOutcome[], screen: Screen): string {
  const ids = outcomes.flatMap((outcome) => (outcome.ok ? outcome.wrapper.tools.map((tool) => printableLine(operationId(tool))) : []))
  const width = nameWidth(ids, screen)
  return outcomes.map((outcome) => serverView(outcome, width, screen)).join("\n\n")
}

function serverView(outcome: ServerOutcome, width: number, screen: Screen): string {
  const { paint } = screen
  const name = paint.strong(printableLine(outcome.name))
  if (!outcome.ok) return `${name}  ${paint.bad("failed")}: ${printableLine(outcome.error.message)} ${paint.faint(`(${outcome.error.code})`)}`
  const { server, tools, rejected } = outcome.wrapper
  const about = printableLine(`${server.name} ${server.version}`)
  return [
    `${name}  ${paint.faint(`${about}, ${tools.length === 1 ? "1 operation" : `${String(tools.length)} operations`}`)}`,
    ...(tools.length === 0 ? [] : [operationTable(tools, width, screen)]),
    ...rejected.map((tool) => `  ${paint.notable("rejected")} ${printableLine(tool.name)}: ${printableLine(tool.reason)}`),
  ].join("\n")
}

/** Operations with what each does. */
export function operationTable(operations: readonly OperationSpec[], width: number, screen: Screen): string {
  const rows = operations.map((operation) => [
    { text: printableLine(operationId(operation)), paint: screen.paint.name },
    { text: summary(operation.description || (operation.title ?? "")) },
  ])
  return tableView(rows, [width], screen)
}

/** The first sentence, on one line and of bearable length. */
function summary(description: string): string {
  const line = printableLine(description.split(/\n\s*\n/, 1)[0] ?? "")
  const sentence = /^.*?[.!?。](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > LONGEST_DESCRIPTION ? `${sentence.slice(0, LONGEST_DESCRIPTION - 1)}…` : sentence
}
