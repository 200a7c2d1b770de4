/**
 * Keys and names that mean something to JavaScript objects: they are data here, and harm nobody.
 */
import { afterEach, describe, expect, test } from "vitest"
import { MCPClientLoader, fromMCP } from "../../../src/from_mcp.js"
import { connectInMemory, scriptedClient, toolsPort } from "../../fixtures/servers/in_memory.js"
import { callError, callerOf, connect, scriptedServer } from "../../fixtures/servers/scripted.js"

// webpack/webpack#21057, node-config/node-config#906
afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined()
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
})

const RESULT = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"__proto__":{"admin":true},"x":1}}}\n'

describe("a result with the key __proto__", () => {
  test.each<[string, object | undefined]>([
    ["without a schema", undefined],
    ["that fits its schema", { type: "object", properties: { x: { type: "number" } } }],
    ["that is brought to its schema", { type: "object", properties: { x: { type: "string" }, y: { type: "array", default: [] } }, required: ["x", "y"] }],
    ["that is brought to a closed schema", { type: "object", properties: { x: { type: "string" } }, required: ["x"], additionalProperties: false }],
    ["that is brought to a record", { type: "object", additionalProperties: { type: "string" } }],
  ])("%s gives plain data", async (_, outputSchema) => {
    const { call } = await connectInMemory({ tools: [{ name: "t", ...(outputSchema === undefined ? {} : { outputSchema }) }], calls: { t: [{ raw: RESULT }] } })
    const { data, meta } = await call("t", {})
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
    expect((data as Record<string, unknown>)["admin"]).toBeUndefined()
    const sent = (meta as { structuredContent?: object }).structuredContent
    expect(Object.getPrototypeOf(sent)).toBe(Object.prototype)
    expect(JSON.stringify(sent)).toBe('{"__proto__":{"admin":true},"x":1}')
  })
})

test("a result with __proto__ as its own member, or in _meta, gives plain objects", async () => {
  const raw = '{"jsonrpc":"2.0","id":$ID,"result":{"__proto__":{"admin":true},"content":[],"_meta":{"__proto__":{"admin":true},"k":1},"constructor":{"prototype":{"polluted":1}}}}\n'
  const { call } = await connectInMemory({ tools: [{ name: "t" }], calls: { t: [{ raw }] } })
  const { meta } = await call("t", {})
  expect(meta).toMatchObject({ isError: false })
  expect((meta as unknown as Record<string, unknown>)["admin"]).toBeUndefined()
  for (const part of [meta, (meta as { _meta?: object })._meta, (meta as { extra?: object }).extra]) {
    if (part !== undefined) expect(Object.getPrototypeOf(part)).toBe(Object.prototype)
  }
})

describe("a schema with optional members that every object inherits", () => {
  const inputSchema = JSON.parse(
    '{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"type":"string"},"__proto__":{"type":"string"},"hasOwnProperty":{"type":"number"}}}',
  )

  test("an empty input is valid, a wrong one is not, and what is sent arrives", async () => {
    const { call, log } = await connectInMemory({ tools: [{ name: "t", inputSchema }] })
    await call("t", {})
    await call("t", { toString: "x" })
    const own = JSON.parse('{"__proto__":"x","constructor":"y"}')
    await call("t", own)
    expect(log.calls().map(({ arguments: input }) => JSON.stringify(input))).toEqual(["{}", '{"toString":"x"}', '{"__proto__":"x","constructor":"y"}'])
    const error = await callError(call("t", { hasOwnProperty: "no number" }))
    expect(error.details["issues"]).toMatchObject([{ path: "/hasOwnProperty" }])
  })

  test("as an output schema it fits an empty answer", async () => {
    const { call } = await connectInMemory({ tools: [{ name: "t", outputSchema: inputSchema }], calls: { t: [{ result: { content: [], structuredContent: {} } }] } })
    expect((await call("t", {})).meta).toMatchObject({ conformance: "exact" })
  })

  test("where such a member is required, inheriting it is not having it", async () => {
    const { call, log } = await connectInMemory({ tools: [{ name: "t", inputSchema: { ...inputSchema, required: ["toString"] } }] })
    expect((await callError(call("t", {}))).code).toBe("VALIDATION_ERROR")
    expect(log.calls()).toEqual([])
  })
})

test("tools named like members of every object are ordinary tools", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
  const wrapper = await fromMCP("demo", toolsPort(names.map((name) => ({ name }))))
  expect(wrapper.tools.map(({ name }) => name)).toEqual(names)
  for (const name of names) {
    expect(wrapper.getTool(name)?.name).toBe(name)
    expect((await callerOf(wrapper)(name, { n: name })).data).toEqual({ given: { n: name } })
  }
})

test("a name that nobody gave is not found, whatever every object inherits", async () => {
  const wrapper = await fromMCP("demo", toolsPort([{ name: "t" }]))
  for (const name of ["toString", "__proto__", "constructor", "demo.toString", "demo.__proto__", "", "demo.", "."]) expect(wrapper.getTool(name)).toBeUndefined()
})

test("servers named like members of every object are ordinary servers", async () => {
  const { config } = scriptedServer({ tools: [{ name: "t" }] })
  const wrapper = await connect("constructor", config)
  expect(wrapper.tools[0]?.namespace).toBe("constructor")
  const loader = new MCPClientLoader()
  try {
    const outcomes = await loader.load({ servers: Object.fromEntries([["constructor", config], ["__proto__", config]]) })
    expect(outcomes.map(({ name, ok }) => [name, ok])).toEqual([["constructor", true], ["__proto__", true]])
    expect(loader.getClient("constructor")?.name).toBe("constructor")
    expect(loader.getClient("__proto__")?.name).toBe("__proto__")
    expect(loader.getClient("toString")).toBeUndefined()
  } finally {
    await loader.closeAll()
  }
})

test("a listing with the key __proto__ in a tool changes nothing of the tool", async () => {
  const { client } = await scriptedClient({
    list: [{ raw: '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"t","__proto__":{"name":"other","inputSchema":"nope"},"inputSchema":{"type":"object"}}]}}' }],
  })
  const wrapper = await fromMCP("demo", client)
  expect(wrapper.tools.map(({ name }) => name)).toEqual(["t"])
})
