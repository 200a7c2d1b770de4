import { describe, expect, test } from "vitest"
import { readLine } from "../../../src/from_mcp/stdio/read_line.js"

function read(line: string) {
  const messages: unknown[] = []
  const junk: string[] = []
  readLine(Buffer.from(line), { message: (message) => messages.push(message), junk: (text) => junk.push(text) })
  return { messages, junk }
}

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"text":"a } \\" { b"}}'
const PARSED = { jsonrpc: "2.0", id: 1, result: { text: 'a } " { b' } }

describe("readLine", () => {
  test.each<[string, string, unknown[], string[]]>([
    ["a message", ANSWER, [PARSED], []],
    ["a batch", `[${ANSWER},{"jsonrpc":"2.0","method":"m"}]`, [PARSED, { jsonrpc: "2.0", method: "m" }], []],
    ["junk", "Starting v1.2", [], ["Starting v1.2"]],
    ["JSON that is no message", '"hello"', [], ['"hello"']],
    ["junk before a message", `Calling API...${ANSWER}`, [PARSED], ["Calling API..."]],
    ["junk behind a message", `${ANSWER} done`, [PARSED], [" done"]],
    ["junk with braces before a message", `{state: {x}} ${ANSWER}`, [PARSED], ["{state: {x}} "]],
    ["two messages without a line break", `${ANSWER}${ANSWER}`, [PARSED, PARSED], []],
    ["a message whose id comes first", `warning: {"id":1,"jsonrpc":"2.0","result":{}}`, [{ id: 1, jsonrpc: "2.0", result: {} }], ["warning: "]],
    ["a broken message before a whole one", `{"jsonrpc":"2.0","id":0,"res${ANSWER}`, [PARSED], ['{"jsonrpc":"2.0","id":0,"res']],
  ])("finds %s", (_name, line, messages, junk) => {
    expect(read(line)).toEqual({ messages, junk })
  })

  test("an answer that is nested 600 levels deep becomes the end of its call", () => {
    const { messages, junk } = read(`{"jsonrpc":"2.0","id":5,"result":{"a":${"[".repeat(600)}${"]".repeat(600)}}}`)
    expect(junk).toEqual([])
    expect(messages).toMatchObject([{ id: 5, error: { message: "the answer is nested deeper than 512" } }])
  })

  test.each([
    ["510 levels inside a result", `{"jsonrpc":"2.0","id":5,"result":{"a":${"[".repeat(510)}${"]".repeat(510)}}}`],
    ["a thousand brackets side by side", `{"jsonrpc":"2.0","id":5,"result":{"a":[${Array(1_000).fill("[]").join(",")}]}}`],
    ["a thousand brackets in a text", `{"jsonrpc":"2.0","id":5,"result":{"a":"${"[".repeat(1_000)}\\"${"[".repeat(1_000)}"}}`],
  ])("%s are not too deep", (_name, line) => {
    expect(read(line).messages).toEqual([JSON.parse(line)])
  })

  test("megabytes of braces that are no message are given up quickly", () => {
    const line = '{"id":'.repeat(300_000)
    const before = process.cpuUsage()
    expect(read(line)).toEqual({ messages: [], junk: [line] })
    // Quadratic work on this line would take minutes. What other processes do meanwhile is not counted.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000)
  })
})
