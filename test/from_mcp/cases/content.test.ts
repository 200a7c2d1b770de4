/**
 * Content blocks: every one arrives, in order, with its bytes; unknown ones as text.
 */
import { expect, test } from "vitest"
import type { MCPContentBlock } from "../../../src/envelope.js"
import { connectInMemory } from "../../fixtures/servers/in_memory.js"
import { callError } from "../../fixtures/servers/scripted.js"

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
const BASE64 = BYTES.toString("base64")

async function answerOf(result: unknown) {
  const { wrapper, call } = await connectInMemory({ tools: [{ name: "t", inputSchema: { type: "object" } }], calls: { t: [{ result }] } })
  const envelope = await call("t", {})
  if (envelope.meta.source !== "mcp") throw new Error("Not an MCP envelope")
  return { data: envelope.data, meta: envelope.meta, wrapper }
}

// langchain-ai/langchainjs#10005, kirodotdev/Kiro#8960, agno-agi/agno#10010
test("a link to a resource keeps all its members beside the text, and nothing is read for it", async () => {
  const content = [
    { type: "text", text: "done" },
    { type: "resource_link", uri: "file:///r.pdf", name: "r.pdf", title: "R", description: "d", mimeType: "application/pdf", size: 12 },
  ]
  const { data, meta } = await answerOf({ content })
  expect(meta.content).toEqual(content)
  expect(data).toEqual(content)
})

// MoonshotAI/kimi-cli#1843, frontman-ai/frontman#1545
test("unknown blocks become text that holds their JSON, beside intact ones, and no warning repeats their payload", async () => {
  const video = { type: "video", data: "v".repeat(1_000_000) }
  const { meta, wrapper } = await answerOf({ content: [{ type: "text", text: "a" }, video, { type: "image", data: "AA==" }] })
  expect(meta.content).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: JSON.stringify(video) },
    { type: "text", text: '{"type":"image","data":"AA=="}' },
  ])
  for (const { message } of wrapper.warnings) expect(message.length).toBeLessThanOrEqual(500)
})

test.each<[string, unknown, MCPContentBlock[]]>([
  ["a text", "just text", [{ type: "text", text: '"just text"' }]],
  ["an object", { type: "text", text: "x" }, [{ type: "text", text: '{"type":"text","text":"x"}' }]],
  ["a number", 5, [{ type: "text", text: "5" }]],
  ["null", null, []],
  ["entries that are no objects", [null, 1, "x", []], [
    { type: "text", text: "null" },
    { type: "text", text: "1" },
    { type: "text", text: '"x"' },
    { type: "text", text: "[]" },
  ]],
  ["known kinds with members of a wrong type", [{ type: "text", text: 5 }, { type: "resource" }, { type: "resource_link", uri: "u" }, { text: "no type" }], [
    { type: "text", text: '{"type":"text","text":5}' },
    { type: "text", text: '{"type":"resource"}' },
    { type: "text", text: '{"type":"resource_link","uri":"u"}' },
    { type: "text", text: '{"text":"no type"}' },
  ]],
])("content that is malformed as %s is still told whole", async (_, content, blocks) => {
  const { meta, data } = await answerOf({ content })
  expect(meta.content).toEqual(blocks)
  expect(data).toEqual(blocks)
  expect(meta.isError).toBe(false)
})

// anthropics/claude-code#54737, #55677
test("blocks beside structured content are kept", async () => {
  const content = [
    { type: "image", data: BASE64, mimeType: "image/png" },
    { type: "text", text: "6 hits" },
  ]
  const { data, meta } = await answerOf({ content, structuredContent: { hits: 6 } })
  expect(data).toEqual({ hits: 6 })
  expect(meta.content).toEqual(content)
  expect(Buffer.from((meta.content[0] as { data: string }).data, "base64").equals(BYTES)).toBe(true)
})

// MoonshotAI/kimi-code#2554, anomalyco/opencode#38923, open-webui/open-webui#28926, can1357/oh-my-pi#10522
test("structured content without an output schema is the data, the summary stays beside it", async () => {
  const { data, meta } = await answerOf({ content: [{ type: "text", text: "4 items" }], structuredContent: { items: [1, 2, 3, 4] } })
  expect(data).toEqual({ items: [1, 2, 3, 4] })
  expect(meta.content).toEqual([{ type: "text", text: "4 items" }])
  expect(meta).toMatchObject({ dataFrom: "structuredContent", conformance: "untyped" })
})

// vercel/ai#11072, agno-agi/agno#10033
test("images and sounds keep kind, mime type and bytes", async () => {
  const content = [
    { type: "image", data: BASE64, mimeType: "image/jpeg" },
    { type: "audio", data: BASE64, mimeType: "audio/wav" },
    { type: "image", data: "not base64 at all!", mimeType: "x/y" },
  ]
  const { meta } = await answerOf({ content })
  expect(meta.content).toEqual(content)
  for (const index of [0, 1]) expect(Buffer.from((meta.content[index] as { data: string }).data, "base64").equals(BYTES)).toBe(true)
})

test("members that a server adds to a block stay", async () => {
  const content = [{ type: "text", text: "hi", name: "STDOUT", annotations: { audience: ["user"], priority: 1 }, _meta: { a: 1 } }]
  expect((await answerOf({ content })).meta.content).toEqual(content)
})

// openai/openai-agents-python#879, langchain-ai/langchain-mcp-adapters#540, fr0ster/mcp-abap-adt#155
test.each([[[]], [[{ type: "text", text: "422" }]]])("a tool that failed resolves with isError and invents no text: %j", async (content) => {
  const { data, meta } = await answerOf({ isError: true, content })
  expect(meta).toMatchObject({ isError: true, content })
  expect(data).toEqual(content)
})

test("a JSON-RPC error rejects with the server's code and data", async () => {
  const { call } = await connectInMemory({
    tools: [{ name: "t" }],
    calls: { t: [{ error: { code: -32042, message: "nope", data: { retryAfter: 3 } } }] },
  })
  const error = await callError(call("t", {}))
  expect(error.code).toBe("PROTOCOL_ERROR")
  expect(error.details).toMatchObject({ rpcCode: -32042, rpcData: { retryAfter: 3 }, outcome: "failed" })
  expect(error.message).toContain("demo")
  expect(error.message).toContain("t")
})

test.each([-32000, -32001, -32601, -32602, -32603, 0, 1])("a server's own error code %d is never taken for a lost connection or a timeout", async (code) => {
  const { call } = await connectInMemory({ tools: [{ name: "t" }], calls: { t: [{ error: { code, message: "said by the server" } }] } })
  const error = await callError(call("t", {}))
  expect(error.code).toBe("PROTOCOL_ERROR")
  expect(error.details).toMatchObject({ rpcCode: code, outcome: "failed" })
  expect((await callError(call("t", {}))).details).toMatchObject({ rpcCode: code })
})
