/**
 * What the `input` option of a client does to arguments before they are checked and sent.
 */
import { expect, test } from "vitest"
import type { MCPClientOptions } from "../../../src/from_mcp.js"
import { connectInMemory } from "../../fixtures/servers/in_memory.js"
import { callError } from "../../fixtures/servers/scripted.js"

const tool = {
  name: "t",
  inputSchema: { type: "object", properties: { limit: { type: "integer", default: 20 }, query: { type: "string", default: null }, all: { type: "boolean" } } },
}
const both = { input: { defaults: true, coerce: true } }

test.each<[string, MCPClientOptions, unknown, object]>([
  ["nothing is added unless asked", {}, { all: true }, { name: "t", arguments: { all: true } }],
  ["stated defaults that fit are added", { input: { defaults: true } }, { all: true }, { name: "t", arguments: { all: true, limit: 20 } }],
  ["defaults are sent where no input was given", { input: { defaults: true } }, undefined, { name: "t", arguments: { limit: 20 } }],
  ["texts are read as the kind that fits", { input: { coerce: true } }, { limit: "5", all: "true" }, { name: "t", arguments: { limit: 5, all: true } }],
  ["no input and nothing to add leaves the arguments out", { input: { coerce: true } }, undefined, { name: "t" }],
  ["both at once", both, { all: "false" }, { name: "t", arguments: { all: false, limit: 20 } }],
])("%s", async (_, options, input, wire) => {
  const { call, log } = await connectInMemory({ tools: [tool] }, options)
  await call("t", input)
  expect(log.calls("t").map(({ _meta: _progressToken, ...params }) => params)).toEqual([wire])
})

test("what is still wrong is refused before anything is sent, and the caller's object is left as it was", async () => {
  const { call, log } = await connectInMemory({ tools: [tool] }, both)
  const input = Object.freeze({ limit: "5.5" })
  expect((await callError(call("t", input))).code).toBe("VALIDATION_ERROR")
  expect(input).toEqual({ limit: "5.5" })
  expect(log.calls("t")).toEqual([])
})
