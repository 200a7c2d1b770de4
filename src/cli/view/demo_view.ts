/**
 * The demo for a reader: each call as it would be typed, and its whole envelope.
 *
 * In: the answers. Out: text. Only long texts inside an envelope are cut, such as the bytes of the picture; their length is said.
 */
import type { ResponseEnvelope } from "../../envelope.js"
import { jsonView } from "./json_view.js"
import type { Screen } from "./screen.js"

/** One call of the demo and its answer. */
export interface DemoAnswer {
  readonly explanation: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly envelope: ResponseEnvelope
}

const WIDEST = 96
const LONGEST_TEXT = 60
const INDENT = 3
const NEXT = ["mcp-operations list -- npx -y @modelcontextprotocol/server-everything", "mcp-operations --help"]

/** All answers, each with its explanation. */
export function demoView(server: string, answers: readonly DemoAnswer[], screen: Screen): string {
  const { paint } = screen
  const columns = Math.min(screen.columns, WIDEST)
  const margin = " ".repeat(INDENT)
  const sections = answers.map(({ explanation, operation, input, envelope }, at) =>
    [
      `${paint.strong(String(at + 1))}  ${wrapped(explanation, columns, margin)}`,
      "",
      `${margin}${paint.faint("call")} ${paint.strong([operation, ...flagsFor(input)].join(" "))}`,
      `${margin}${jsonView(envelope, { columns, paint, indent: INDENT, clip: LONGEST_TEXT })}`,
    ].join("\n"),
  )
  return [
    wrapped(`An MCP server (${server}) was started over stdio, and its tools became operations. Here are four calls. Each is answered by one envelope: { data, meta }.`, columns, ""),
    ...sections,
    [paint.faint("Now a real server:"), ...NEXT].join(`\n${margin}`),
  ].join("\n\n")
}

function flagsFor(input: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return `--${name} ${/^[\w:.-]+$/.test(text) ? text : `"${text}"`}`
  })
}

function wrapped(text: string, columns: number, margin: string): string {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line !== "" && margin.length + line.length + word.length + 1 > columns) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.join(`\n${margin}`)
}
