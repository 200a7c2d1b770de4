/**
 * Results beside what their output schema says: wrong, missing, of another dialect, recursive.
 *
 * The server's answer is never lost: whatever does not fit stands in `issues`, what was sent in `structuredContent`.
 */
import { describe, expect, test, vi } from "vitest"
import type { MCPClientOptions } from "../../../src/from_mcp.js"
import { connectInMemory } from "../../fixtures/servers/in_memory.js"

import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"

const NUMBER = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false }

/** The envelope of one tool with this output schema and this result. */
async function answerOf(outputSchema: unknown, result: unknown, options?: MCPClientOptions) {
  const { call, wrapper } = await connectInMemory(
    { tools: [{ name: "t", inputSchema: { type: "object" }, ...(outputSchema === undefined ? {} : { outputSchema }) }], calls: { t: [{ result }] } },
    options,
  )
  return { ...(await call("t", {})), wrapper }
}

// modelcontextprotocol/typescript-sdk#2748, yamadashy/repomix#833, anthropics/claude-code#86032
describe("an error result is not held against the schema of successes", () => {
  test("its structured details and its text arrive unchanged", async () => {
    const { data, meta } = await answerOf(NUMBER, { isError: true, content: [{ type: "text", text: "boom" }], structuredContent: { code: "NEEDS_HUMAN" } })
    expect(data).toEqual({ code: "NEEDS_HUMAN" })
    expect(meta).toEqual({
      source: "mcp",
      server: "demo",
      tool: "t",
      isError: true,
      content: [{ type: "text", text: "boom" }],
      structuredContent: { code: "NEEDS_HUMAN" },
      dataFrom: "structuredContent",
      conformance: "untyped",
    })
  })

  test("without structured content its data are the blocks", async () => {
    const { data, meta } = await answerOf(NUMBER, { isError: true, content: [{ type: "text", text: "boom" }] })
    expect(data).toEqual([{ type: "text", text: "boom" }])
    expect(meta).toMatchObject({ isError: true, dataFrom: "content", conformance: "untyped" })
    expect(meta).not.toHaveProperty("structuredContent")
  })
})

// oculairmedia/Letta-MCP-server#102, tuannvm/codex-mcp-server#161, cristianuibar/bricks-mcp#45
describe("an output schema is declared and only text comes", () => {
  const text = (value: string) => ({ content: [{ type: "text", text: value }] })

  test.each(['{"n":1}', "hello", "", "null", '{"n":"1"}'])("the blocks are the data: %j", async (value) => {
    const { data, meta } = await answerOf(NUMBER, text(value))
    expect(data).toEqual([{ type: "text", text: value }])
    expect(meta).toMatchObject({ isError: false, dataFrom: "content", conformance: "missing", content: [{ type: "text", text: value }] })
  })

  test.each<[string, string, unknown, string]>([
    ["a text that fits", '{"n":1}', { n: 1 }, "text"],
    ["a text that is JSON and does not fit", '{"n":"1"}', [{ type: "text", text: '{"n":"1"}' }], "content"],
    ["a text that is no JSON", "hello", [{ type: "text", text: "hello" }], "content"],
  ])("with parseText, %s", async (_, value, data, dataFrom) => {
    const envelope = await answerOf(NUMBER, text(value), { parseText: true })
    expect(envelope.data).toEqual(data)
    expect(envelope.meta).toMatchObject({ dataFrom, content: [{ type: "text", text: value }] })
    expect(envelope.meta).not.toHaveProperty("structuredContent")
  })

  test("with parseText, only what the server sent as text is text: a block of another kind is not data", async () => {
    const open = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
    for (const block of [{ type: "video", n: 1 }, { type: "text", n: 1 }, { n: 1 }]) {
      const { data, meta } = await answerOf(open, { content: [block] }, { parseText: true })
      expect(data).toEqual([{ type: "text", text: JSON.stringify(block) }])
      expect(meta).toMatchObject({ conformance: "missing", dataFrom: "content" })
    }
  })

  test("with parseText, text is not parsed where no output schema asks for it, nor in an error result", async () => {
    expect((await answerOf(undefined, text('{"n":1}'), { parseText: true })).data).toEqual([{ type: "text", text: '{"n":1}' }])
    expect((await answerOf(NUMBER, { ...text('{"n":1}'), isError: true }, { parseText: true })).data).toEqual([{ type: "text", text: '{"n":1}' }])
  })

  test("null that the schema refuses counts as missing, null that it allows is the data", async () => {
    const refused = await answerOf(NUMBER, { content: [{ type: "text", text: "none" }], structuredContent: null })
    expect(refused.data).toEqual([{ type: "text", text: "none" }])
    expect(refused.meta).toMatchObject({ conformance: "missing", dataFrom: "content" })
    const allowed = await answerOf({ type: ["object", "null"] }, { content: [], structuredContent: null })
    expect(allowed.data).toBeNull()
    expect(allowed.meta).toMatchObject({ conformance: "exact", structuredContent: null })
  })
})

// googleapis/gcloud-mcp#449, modelcontextprotocol/typescript-sdk#528
test.each([[[{ id: 1 }]], [true], [false], [0], [""], [null], ["text"], [[]], [-1.5]])(
  "structured content may be any JSON value and is never taken for absent: %j",
  async (value) => {
    const { data, meta } = await answerOf(undefined, { content: [{ type: "text", text: "beside" }], structuredContent: value })
    expect(data).toEqual(value)
    expect(meta).toMatchObject({ structuredContent: value, dataFrom: "structuredContent", conformance: "untyped", content: [{ type: "text", text: "beside" }] })
  },
)

// vercel/ai#20171
test("structured content without content is the data, and the list of blocks is empty", async () => {
  const { data, meta } = await answerOf(undefined, { structuredContent: { items: [1] } })
  expect(data).toEqual({ items: [1] })
  expect(meta).toMatchObject({ content: [], isError: false })
})

test("an empty result gives an empty list of blocks", async () => {
  const { data, meta } = await answerOf(undefined, {})
  expect(data).toEqual([])
  expect(meta).toEqual({ source: "mcp", server: "demo", tool: "t", isError: false, content: [], dataFrom: "content", conformance: "untyped" })
})

test("the older toolResult is the data where there is neither content nor structured content", async () => {
  const { data, meta } = await answerOf(undefined, { toolResult: { old: 1 } })
  expect(data).toEqual({ old: 1 })
  expect(meta).toMatchObject({ dataFrom: "toolResult", conformance: "untyped", content: [] })
})

test("members of the result that no specification names stand in extra, _meta in _meta", async () => {
  const { meta } = await answerOf(undefined, { content: [], tools: [], ttl: 5, _meta: { k: { deep: 1 } } })
  expect(meta).toMatchObject({ extra: { tools: [], ttl: 5 }, _meta: { k: { deep: 1 } } })
})

test.each([["yes"], [1], [null], [0], ["false"]])("isError of a wrong type (%j) does not lose the result", async (isError) => {
  const { data, meta } = await answerOf(undefined, { content: [{ type: "text", text: "kept" }], isError })
  expect(data).toEqual([{ type: "text", text: "kept" }])
  expect(typeof (meta as { isError: unknown }).isError).toBe("boolean")
})

describe("structured content that does not fit", () => {
  test("is brought to the schema, and both the misfit and what was sent are told", async () => {
    const { data, meta } = await answerOf(NUMBER, { content: [], structuredContent: { n: "42" } })
    expect(meta).toMatchObject({ conformance: "cast", structuredContent: { n: "42" }, issues: [{ path: "/n", keyword: "type" }] })
    expect(data).toHaveProperty("n", expect.any(Number))
  })

  test("is left as sent with normalize raw, and the misfit is told", async () => {
    const { data, meta } = await answerOf(NUMBER, { content: [], structuredContent: { n: "42" } }, { normalize: "raw" })
    expect(data).toEqual({ n: "42" })
    expect(meta).toMatchObject({ structuredContent: { n: "42" }, conformance: "invalid", issues: [{ path: "/n" }] })
  })

  test.each([["a text"], [[]], [5], [[{ n: 1 }]], [false]])("is left as sent where bringing it to the schema would replace all of it: %j", async (value) => {
    const { data, meta } = await answerOf(NUMBER, { content: [], structuredContent: value })
    expect(data).toEqual(value)
    expect(meta).toMatchObject({ conformance: "invalid", structuredContent: value, issues: [{ path: "" }] })
  })

  // sinclairzx81/typebox#278, #373, #1226
  test.each([
    ["one closed part", [{ type: "object", properties: { x: { type: "number" } }, additionalProperties: false }, { type: "object", properties: { y: { type: "number" } } }]],
    [
      "two closed parts",
      [
        { type: "object", properties: { x: { type: "number" } }, additionalProperties: false },
        { type: "object", properties: { y: { type: "number" } }, additionalProperties: false },
      ],
    ],
  ])("is left as sent where no value can fit: %s", async (_, allOf) => {
    const { data, meta, wrapper } = await answerOf({ allOf }, { content: [], structuredContent: { x: 1, y: 2 } })
    expect(wrapper.tools).toHaveLength(1)
    expect(data).toEqual({ x: 1, y: 2 })
    expect(meta).toMatchObject({ structuredContent: { x: 1, y: 2 }, conformance: "invalid" })
    expect((meta as { issues?: unknown[] }).issues?.length).toBeGreaterThan(0)
  })

  test("lists the first hundred of many misfits and says how many there were", async () => {
    const schema = { type: "object", properties: { list: { type: "array", items: { type: "number" } } } }
    const list = Array.from({ length: 250 }, () => "x")
    const { meta } = await answerOf(schema, { content: [], structuredContent: { list } })
    expect((meta as { issues?: unknown[] }).issues).toHaveLength(100)
    expect(meta).toMatchObject({ structuredContent: { list } })
  })
})

// modelcontextprotocol/typescript-sdk#2721, HexSleeves/tailscale-mcp#46
test("a dialect of any name leaves the tool usable, and nothing is fetched for it", async () => {
  const dialects = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://example.com/x",
  ]
  const fetching = vi.spyOn(globalThis, "fetch")
  const { wrapper, call } = await connectInMemory({
    tools: dialects.map(($schema, index) => ({
      name: `t${String(index)}`,
      inputSchema: { $schema, type: "object", properties: { a: { type: "string" } } },
      outputSchema: { $schema, type: "object", properties: { given: { type: "object" } }, required: ["given"] },
    })),
  })
  expect(wrapper.tools.map(({ name }) => name)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"])
  for (const { name } of wrapper.tools) {
    const { data, meta } = await call(name, { a: "x" })
    expect(data).toEqual({ given: { a: "x" } })
    expect(meta).toMatchObject({ conformance: "exact", isError: false })
  }
  wrapper.diagnose()
  expect(fetching).not.toHaveBeenCalled()
  fetching.mockRestore()
  expect(wrapper.rejected).toEqual([])
  // One for each of its two schemas, and none about a dialect that is known.
  expect(wrapper.warnings.map(({ tool }) => tool)).toEqual(["t5", "t5"])
})

// anthropics/claude-code#77106
test("a recursive output schema is listed with all others and enforced at every depth", async () => {
  const outputSchema = {
    type: "object",
    $defs: { N: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/N" } } } } },
    properties: { root: { $ref: "#/$defs/N" } },
  }
  const tools = Array.from({ length: 15 }, (_, index) => ({ name: `t${String(index)}`, inputSchema: { type: "object" }, ...(index < 3 ? { outputSchema } : {}) }))
  const fits = { root: { kids: [{ kids: [] }] } }
  const breaks = { root: { kids: [{ kids: 1 }] } }
  const { wrapper, call } = await connectInMemory({
    tools,
    calls: { t0: [{ result: { content: [], structuredContent: fits } }], t1: [{ result: { content: [], structuredContent: breaks } }] },
  })
  expect(wrapper.tools).toHaveLength(15)
  const good = await call("t0", {})
  expect(good.data).toEqual(fits)
  expect(good.meta).toMatchObject({ conformance: "exact" })
  expect(good.meta).not.toHaveProperty("issues")
  const bad = await call("t1", {})
  expect(bad.meta).toMatchObject({ structuredContent: breaks, issues: [{ path: "/root/kids/0/kids" }] })
  expect(["cast", "invalid"]).toContain((bad.meta as { conformance: string }).conformance)
})

test("a reference to an address is never fetched, and its tool stays", async () => {
  const server = await scriptedHTTPServer({})
  const $ref = `${server.url}/schema.json`
  const { wrapper, call } = await connectInMemory({
    tools: [{ name: "t", inputSchema: { type: "object", properties: { a: { $ref } } }, outputSchema: { type: "object", properties: { b: { $ref } } } }],
    calls: { t: [{ result: { content: [], structuredContent: { b: 1 } } }] },
  })
  expect(wrapper.tools).toHaveLength(1)
  expect((await call("t", { a: 1 })).data).toEqual({ b: 1 })
  expect(wrapper.diagnose().losses.map(({ schema, keyword }) => [schema, keyword])).toEqual([
    ["inputSchema", "$ref"],
    ["outputSchema", "$ref"],
  ])
  expect(server.requests).toEqual([])
})
