import { describe, expect, test } from "vitest"
import { LineSplitter } from "../../../src/from_mcp/stdio/line_splitter.js"

function split(chunks: (string | Buffer)[], maxBytes = 1_000) {
  const lines: string[] = []
  const overlong: { id: unknown; bytes: number; isCall: boolean }[] = []
  const splitter = new LineSplitter(maxBytes, {
    line: (line) => lines.push(line.toString("utf8")),
    overlong: (head, bytes) => overlong.push({ id: head.id, bytes, isCall: head.isCall }),
  })
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end()
  return { lines, overlong }
}

describe("LineSplitter", () => {
  test.each<[string, string[], string[]]>([
    ["one line a chunk", ["a\n", "b\n"], ["a", "b"]],
    ["many lines in a chunk", ["a\nb\nc\n"], ["a", "b", "c"]],
    ["a line over three chunks", ["a", "b", "c\nd\n"], ["abc", "d"]],
    ["carriage returns before the line break", ["a\r\nb\r", "\nc\n"], ["a", "b", "c"]],
    ["empty lines", ["\n\r\na\n\n"], ["a"]],
    ["a last line without a line break", ["a\nb"], ["a", "b"]],
  ])("splits %s", (_name, chunks, lines) => {
    expect(split(chunks).lines).toEqual(lines)
  })

  test("characters of several bytes survive one byte at a time", () => {
    const bytes = Buffer.from("— 🎉 读\n")
    expect(split([...bytes].map((byte) => Buffer.from([byte]))).lines).toEqual(["— 🎉 读"])
  })

  test("a line of exactly the limit is a line, one byte more is overlong", () => {
    const { lines, overlong } = split(["12345\n", "123456\n", "1234", "5\n", "123", "456\n"], 5)
    expect(lines).toEqual(["12345", "12345"])
    expect(overlong.map(({ bytes }) => bytes)).toEqual([6, 6])
  })

  test.each([
    ["before its result", `{"jsonrpc":"2.0","id":7,"result":{"text":"${"x".repeat(200)}"}}`, 7, false],
    ["behind its result", `{"jsonrpc":"2.0","result":{"id":1,"text":"${"x".repeat(200)}"},"id":"seven"}`, "seven", false],
    ["of a notification", `{"jsonrpc":"2.0","method":"m","params":{"id":9,"text":"${"x".repeat(200)}"}}`, undefined, true],
  ])("an overlong line tells the id %s, and the next line is read", (_name, line, id, isCall) => {
    const cut = [line.slice(0, 10), line.slice(10, 120), `${line.slice(120)}\nnext\n`]
    expect(split(cut, 64)).toEqual({ lines: ["next"], overlong: [{ id, bytes: line.length, isCall }] })
  })
})
