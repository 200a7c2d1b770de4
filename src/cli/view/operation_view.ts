/**
 * One operation for a reader: what it does, how it is called, what it answers.
 *
 * In: its wire form and its flags. Out: text. Hints of the server are named as what they are: unverified.
 */
import type { OperationSpecJSON } from "../../operation.js"
import type { ToolFlags } from "../flags/tool_flags.js"
import { flagTable } from "./flag_view.js"
import { jsonView } from "./json_view.js"
import { printable, printableLine } from "./printable.js"
import type { Screen } from "./screen.js"

/** A part of a schema that is not enforced, as it is shown. */
export interface ShownLoss {
  readonly schema: string
  readonly pointer: string
  readonly keyword: string
  readonly reason: string
}

/** The operation as text. */
export function operationView(id: string, spec: OperationSpecJSON, flags: ToolFlags, losses: readonly ShownLoss[], screen: Screen): string {
  const { paint } = screen
  const head = paint.strong(printableLine(id)) + (spec.title === undefined ? "" : `  ${printableLine(spec.title)}`)
  const required = flags.all.filter((flag) => flag.required && flag.names.length > 0)
  const usage = ["mcp-operations call", printableLine(id), ...required.map((flag) => `--${printableLine(flag.name)} …`)].join(" ")
  const schema = (title: string, value: unknown): string => `${paint.faint(title)}\n  ${jsonView(value, { ...screen, indent: 2 })}`
  const hints = Object.entries(spec.annotations ?? {}).map(([name, hint]) => `${printableLine(name)} ${printableLine(JSON.stringify(hint))}`)
  return [
    head,
    ...(spec.description === "" ? [] : [printable(spec.description.trim())]),
    `${paint.faint("call")}\n  ${usage}`,
    `${paint.faint("flags")}\n${flagTable(flags, screen)}`,
    schema("input schema", spec.inputSchema),
    isOpen(spec.outputSchema) ? `${paint.faint("output schema")}\n  none: the answer may be anything` : schema("output schema", spec.outputSchema),
    ...(hints.length === 0 ? [] : [`${paint.faint("hints of the server, unverified")}\n  ${hints.join(", ")}`]),
    ...(losses.length === 0 ? [] : [`${paint.faint("not checked")}\n${losses.map((loss) => lossLine(loss, screen)).join("\n")}`]),
  ].join("\n\n")
}

function lossLine({ schema, pointer, keyword, reason }: ShownLoss, { paint }: Screen): string {
  return `  ${paint.name(printableLine(`${schema}${pointer}`))}  ${printableLine(keyword)}: ${printableLine(reason)}`
}

/** True for the schema that takes everything: what stands where a tool declares none. */
function isOpen(schema: unknown): boolean {
  return schema === true || (typeof schema === "object" && schema !== null && Object.keys(schema).length === 0)
}
