/**
 * What goes on the wire when a tool is called, and what is refused before anything is sent.
 */
import { describe, expect, test } from "vitest"
import type { MCPClientOptions } from "../../../src/from_mcp.js"
import { connectInMemory } from "../../fixtures/servers/in_memory.js"
import { callError, connectScripted } from "../../fixtures/servers/scripted.js"

const OPEN = { name: "t", inputSchema: { type: "object" } }

// langchain-ai/langchainjs#8222
describe("a tool without parameters", () => {
  test.each<[string, MCPClientOptions, unknown, object]>([
    ["nothing", {}, undefined, { name: "t" }],
    ["null", {}, null, { name: "t" }],
    ["an empty object", {}, {}, { name: "t", arguments: {} }],
    ["a member that the open schema allows", {}, { x: 1 }, { name: "t", arguments: { x: 1 } }],
    ["nothing, to a server that insists on arguments", { emptyArguments: "object" }, undefined, { name: "t", arguments: {} }],
    ["null, to a server that insists on arguments", { emptyArguments: "object" }, null, { name: "t", arguments: {} }],
    ["an empty object, to a server that insists on arguments", { emptyArguments: "object" }, {}, { name: "t", arguments: {} }],
  ])("given %s", async (_, options, input, wire) => {
    const { call, log } = await connectInMemory({ tools: [OPEN] }, options)
    expect((await call("t", input)).meta).toMatchObject({ isError: false })
    expect(log.calls("t").map(({ _meta: _progressToken, ...params }) => params)).toEqual([wire])
  })
})

class Query {
  text = "x"
}

describe("input that is no plain object is refused before anything is sent", () => {
  test.each<[string, unknown]>([
    ["an array", [1]],
    ["an empty array", []],
    ["a text", "x"],
    ["a number", 0],
    ["false", false],
    ["a class instance", new Query()],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["a function", () => 1],
  ])("%s", async (_, input) => {
    const { call, log } = await connectInMemory({ tools: [OPEN, { name: "any" }] })
    for (const tool of ["t", "any"]) {
      const error = await callError(call(tool, input))
      expect(error.code).toBe("VALIDATION_ERROR")
      expect(error.details["outcome"]).toBe("not_started")
    }
    expect(log.calls()).toEqual([])
  })

  test("an object without a prototype is a plain object", async () => {
    const { call, log } = await connectInMemory({ tools: [OPEN] })
    await call("t", Object.assign(Object.create(null), { a: 1 }))
    expect(log.calls("t")[0]?.arguments).toEqual({ a: 1 })
  })
})

describe("input goes on the wire as given", () => {
  const schema = {
    type: "object",
    properties: {
      id: { type: "string" },
      note: { type: ["string", "null"], default: null },
      limit: { type: "integer", default: 20 },
      fields: { type: ["array", "null"], items: { type: "string" }, default: null },
      free: {},
    },
    required: ["id"],
  }
  // anthropics/claude-code#3966, github/copilot-cli#1876, webstudio-is/webstudio#6009
  test.each([
    ["no default is filled in", { id: "7" }],
    ["null stays null", { id: "7", note: null, fields: null }],
    ["a text stays a text", { id: "7", note: "x" }],
    ["undeclared members stay", { id: "7", more: { deep: [1, "2", null] } }],
    ["an untyped member keeps its type", { id: "7", free: true }],
    ["odd keys stay", JSON.parse('{"id":"7","":1,"a/b":{"~":2},"constructor":3}')],
  ])("%s", async (_, input) => {
    const { call, log } = await connectInMemory({ tools: [{ name: "t", inputSchema: schema }] })
    const before = structuredClone(input)
    await call("t", input)
    expect(log.calls("t")[0]?.arguments).toEqual(before)
    expect(input).toEqual(before)
  })

  // mastra-ai/mastra#13419
  test("null where a text is wanted is an issue with its path, and the tool does not run", async () => {
    const { call, log } = await connectInMemory({ tools: [{ name: "t", inputSchema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } } }] })
    const error = await callError(call("t", { a: null, b: "x" }))
    expect(error.code).toBe("VALIDATION_ERROR")
    expect(error.details["issues"]).toMatchObject([{ path: "/a", keyword: "type" }])
    expect(log.calls()).toEqual([])
  })

  test("a value that JSON cannot carry rejects with a CallError, and the connection stays usable", async () => {
    const { call, log } = await connectScripted({ tools: [OPEN] })
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    for (const input of [circle, { big: 1n }]) {
      const error = await callError(call("t", input))
      expect(error.details["outcome"]).toBe("not_started")
    }
    expect((await call("t", { ok: 1 })).data).toEqual({ given: { ok: 1 } })
    expect(log.calls("t")).toHaveLength(1)
  })
})

// mcp-use/mcp-use#114, google-gemini/gemini-cli#4121
test("a refusal names server, tool and every pointer, and tells no value", async () => {
  const { call, log } = await connectInMemory({
    tools: [
      {
        name: "deep_tool",
        inputSchema: {
          type: "object",
          properties: {
            a: { type: "array", items: { type: "object", properties: { b: { type: "number" }, c: { enum: ["x", "y"] } } } },
            p: { type: "string", pattern: "^[a-z]+$" },
            k: { const: "fixed" },
          },
          required: ["z"],
          additionalProperties: false,
        },
      },
    ],
  })
  const error = await callError(
    call("deep_tool", { a: [{ b: "hunter2-one", c: "hunter2-two" }], p: "HUNTER2-three", k: "hunter2-four", extra: "hunter2-five" }),
  )
  expect(error.code).toBe("VALIDATION_ERROR")
  const paths = (error.details["issues"] as { path: string }[]).map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(["/a/0/b", "/a/0/c", "/p", "/k"]))
  expect(JSON.stringify(error.details["issues"])).toContain("z")
  expect(JSON.stringify(error.details["issues"])).toContain("extra")
  for (const part of ["demo", "deep_tool", "/a/0/b", "/a/0/c", "/p", "/k"]) expect(error.message).toContain(part)
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/hunter2/i)
  expect(log.calls()).toEqual([])
})

test("a fault of the seventh tool's schema is told with server, tool and pointer", async () => {
  const odd = { type: "object", properties: { a: { type: "nonsense" }, b: { items: { $ref: "#/nowhere" } } } }
  const tools = Array.from({ length: 9 }, (_, index) => ({ name: `tool_${String(index + 1)}`, inputSchema: index === 6 ? odd : { type: "object" } }))
  const { wrapper } = await connectInMemory({ tools })
  const { rejected, losses } = wrapper.diagnose()
  const told = [...rejected.map(({ name, pointer, reason }) => ({ tool: name, pointer, reason })), ...losses]
  expect(new Set(told.map(({ tool }) => tool))).toEqual(new Set(["tool_7"]))
  const text = JSON.stringify(told)
  expect(text).toContain("/properties/a")
  expect(text).toContain("/properties/b")
})
