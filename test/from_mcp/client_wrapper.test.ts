import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { MCPClientWrapper, fromMCP, type MCPClientOptions, type MCPPort } from "../../src/from_mcp.js"
import { Type, Value } from "../../src/index.js"
import { specToJSON } from "../../src/operation.js"
import { GREETING, ScriptedTransport, type WireMessage } from "./scripted_transport.js"

/** A wrapper over a made-up server: `tools` is asked at each listing, `answer` at each call. */
async function wrap(tools: () => unknown, answer: (call: WireMessage) => unknown = () => ({ content: [] }), options?: MCPClientOptions) {
  const transport = new ScriptedTransport(({ id, method, params }) => {
    if (method === "tools/list") return { jsonrpc: "2.0", id, ...listed(tools()) }
    if (method !== "tools/call") return undefined
    const result = answer({ id: id ?? 0, method, params: params ?? {} })
    return result === undefined ? [] : { jsonrpc: "2.0", id, result }
  })
  const client = new Client({ name: "host", version: "1" })
  await client.connect(transport)
  return { transport, wrapper: await fromMCP("my server", client, options) }
}
const listed = (tools: unknown) => (tools instanceof Error ? { error: { code: -1, message: tools.message } } : { result: { tools } })
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })
const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }

describe("the operation of a tool", () => {
  test("is named as on the wire, in the namespace of the client, with the server's version", async () => {
    const icons = [{ src: "x" }]
    const { wrapper } = await wrap(() => [tool("a/b.c", { title: "T", description: "D", annotations: { readOnlyHint: true }, icons, _meta: { m: 1 } })])
    expect(wrapper.tools[0]).toMatchObject({
      name: "a/b.c",
      namespace: "my_server",
      version: GREETING.serverInfo.version,
      type: "mutation",
      title: "T",
      description: "D",
      annotations: { readOnlyHint: true },
      icons,
      _meta: { m: 1 },
    })
    expect(wrapper.getTool("a/b.c")).toBe(wrapper.tools[0])
    expect(wrapper.getTool("my_server.a/b.c")).toBe(wrapper.tools[0])
    expect(wrapper.getTool("c")).toBeUndefined()
    await wrapper.close()
  })

  test("has TypeBox schemas, and a wire form with the schemas as the server sent them", async () => {
    const inputSchema = { type: "object", properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: { type: "integer" } } }
    const outputSchema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
    const { wrapper } = await wrap(() => [tool("t", { inputSchema, outputSchema }), tool("u", { inputSchema: {} })])
    const [typed, untyped] = wrapper.tools
    if (typed === undefined || untyped === undefined) throw new Error("two tools were listed")
    expect([Value.Check(typed.inputSchema, { n: 1 }), Value.Check(typed.inputSchema, { n: "x" })]).toEqual([true, false])
    expect([Value.Check(typed.outputSchema, { ok: true }), Value.Check(typed.outputSchema, {})]).toEqual([true, false])
    expect(untyped.outputSchema).toEqual(Type.Unknown())
    const wire = { name: "t", namespace: "my_server", version: "3.1.4", type: "mutation", description: "", inputSchema, outputSchema }
    expect(JSON.parse(JSON.stringify(typed))).toEqual(wire)
    expect(specToJSON(typed)).toEqual(wire)
    expect(JSON.parse(JSON.stringify(untyped))).toMatchObject({ inputSchema: { type: "object" }, outputSchema: {} })
    await wrapper.close()
  })

  test("is a query where the server is trusted and says that it only reads", async () => {
    const tools = () => [tool("r", { annotations: { readOnlyHint: true } }), tool("w", { annotations: { readOnlyHint: "true" } })]
    const { wrapper } = await wrap(tools, undefined, { trusted: true, access: (wire) => (wire.name === "w" ? { requiredScopes: ["write"] } : undefined) })
    expect(wrapper.tools.map(({ type, accessControl }) => [type, accessControl])).toEqual([
      ["query", undefined],
      ["mutation", { requiredScopes: ["write"] }],
    ])
    await wrapper.close()
  })

  test("tools is a frozen list, and the same one until something changes", async () => {
    const { wrapper } = await wrap(() => [tool("a")])
    expect(Object.isFrozen(wrapper.tools)).toBe(true)
    expect(wrapper.tools).toBe(wrapper.tools)
    await wrapper.close()
  })
})

describe("calls", () => {
  test.each<[string, MCPClientOptions, unknown, unknown]>([
    ["nothing leaves the arguments out", {}, undefined, { name: "t" }],
    ["null leaves them out", {}, null, { name: "t" }],
    ["an empty object is sent", {}, {}, { name: "t", arguments: {} }],
    ["nothing becomes an empty object where the server wants it", { emptyArguments: "object" }, undefined, { name: "t", arguments: {} }],
    ["an input is sent as given", {}, { a: null, b: [1] }, { name: "t", arguments: { a: null, b: [1] } }],
  ])("%s", async (_name, options, input, params) => {
    const { wrapper, transport } = await wrap(() => [tool("t")], undefined, options)
    await wrapper.tools[0]?.handler(input)
    expect(transport.of("tools/call")[0]?.params).toEqual(params)
    await wrapper.close()
  })

  test("an input that does not fit is refused with every place, and nothing is sent", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: { b: { type: "string" } } } }, n: { type: "integer" } }, required: ["n"] }
    const { wrapper, transport } = await wrap(() => [tool("t", { inputSchema })])
    const error: unknown = await wrapper.tools[0]?.handler({ a: [{ b: 12345678 }], n: "hidden-value" }).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { server: "my server", tool: "t", operationId: "my_server.t", outcome: "not_started" } })
    const { message, details } = error as CallError
    expect((details["issues"] as { path: string }[]).map(({ path }) => path).sort()).toEqual(["/a/0/b", "/n"])
    expect(message).toMatch(/^Server "my server", tool "t": the input does not fit: .*\/a\/0\/b.*\/n/)
    expect(message).not.toMatch(/12345678|hidden-value/)
    expect(transport.of("tools/call")).toEqual([])
    await wrapper.close()
  })

  test("a deadline that has passed sends nothing, a shorter one ends the call", async () => {
    const { wrapper, transport } = await wrap(
      () => [tool("t")],
      () => undefined,
      { timeoutMs: 300 },
    )
    const handler = wrapper.tools[0]?.handler
    await expect(handler?.({}, { deadline: Date.now() - 1 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    expect(transport.of("tools/call")).toEqual([])
    await expect(handler?.({}, {})).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    await expect(handler?.({}, { deadline: Date.now() + 20 })).rejects.toMatchObject({ code: "TIMEOUT" })
    await wrapper.close()
  })

  test("traceparent goes along, and progress comes back", async () => {
    const { wrapper, transport } = await wrap(() => [tool("t")], ({ params }) => {
      const { progressToken } = params?.["_meta"] as { progressToken: string }
      transport.deliver({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } })
      return { content: [] }
    })
    const seen: unknown[] = []
    await wrapper.tools[0]?.handler({}, { traceparent: "00-1-2-01", onProgress: (progress) => seen.push(progress) })
    expect(transport.of("tools/call")[0]?.params?.["_meta"]).toMatchObject({ traceparent: "00-1-2-01" })
    expect(seen).toEqual([{ progress: 1 }])
    await wrapper.close()
  })

  test("only so many are on the wire at once", async () => {
    const waiting: number[] = []
    const { wrapper, transport } = await wrap(
      () => [tool("t")],
      ({ id }) => void waiting.push(Number(id)),
      { maxInFlight: 2 },
    )
    const calls = [1, 2, 3].map(async () => wrapper.tools[0]?.handler({}))
    await expect.poll(() => transport.of("tools/call").length).toBe(2)
    for (let left = 3; left > 0; left--) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0)
      transport.deliver({ jsonrpc: "2.0", id: waiting.shift(), result: { content: [] } })
    }
    expect(await Promise.all(calls)).toHaveLength(3)
    await wrapper.close()
  })
})

describe("listing again", () => {
  test("a burst of notifications leads to one listing, and the tools are swapped", async () => {
    let tools = [tool("a"), tool("b"), tool("same")]
    const { wrapper, transport } = await wrap(() => tools)
    const before = wrapper.tools
    const [a, b, same] = before
    tools = [tool("a", { description: "new" }), tool("c"), tool("same")]
    transport.deliver(changed, changed, changed)
    await expect.poll(() => wrapper.tools.map(({ name }) => name)).toEqual(["a", "c", "same"])
    expect(transport.of("tools/list")).toHaveLength(2)
    expect(before.map(({ name }) => name)).toEqual(["a", "b", "same"])
    expect(wrapper.tools[0]).not.toBe(a)
    expect(wrapper.tools[2]).toBe(same)
    const error: unknown = await b?.handler({}).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: "OPERATION_NOT_FOUND", details: { operationId: "my_server.b", outcome: "not_started" } })
    expect(transport.of("tools/call")).toEqual([])
    await wrapper.close()
  })

  test("one that fails keeps the tools and is a warning", async () => {
    let fails = false
    const { wrapper, transport } = await wrap(() => (fails ? new Error("down") : [tool("a")]))
    fails = true
    transport.deliver(changed)
    await expect.poll(() => wrapper.warnings.length).toBe(1)
    expect(wrapper.warnings[0]).toMatchObject({ kind: "listing", message: expect.stringContaining("down") })
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["a"])
    await expect(wrapper.refresh()).rejects.toBeInstanceOf(CallError)
    await wrapper.close()
  })

  test("an older listing that is answered later is thrown away", async () => {
    const ids: unknown[] = []
    const transport = new ScriptedTransport(({ id, method }) => {
      if (method !== "tools/list") return undefined
      ids.push(id)
      return ids.length === 1 ? { jsonrpc: "2.0", id, result: { tools: [] } } : []
    })
    const client = new Client({ name: "host", version: "1" })
    await client.connect(transport)
    const wrapper = await fromMCP("s", client)
    const refreshes = [wrapper.refresh(), wrapper.refresh()]
    await expect.poll(() => ids.length).toBe(3)
    transport.deliver({ jsonrpc: "2.0", id: ids[2], result: { tools: [tool("newer")] } }, { jsonrpc: "2.0", id: ids[1], result: { tools: [tool("older")] } })
    await Promise.all(refreshes)
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["newer"])
    await wrapper.close()
  })
})

describe("the wrapper", () => {
  test("diagnose lists rejected tools and every loss; one warning a schema names the tool", async () => {
    const outputSchema = { type: "object", properties: { a: { $ref: "#/$defs/M" } } }
    const { wrapper } = await wrap(() => [tool("good"), tool("lossy", { outputSchema }), { name: "bad", inputSchema: "nope" }], () => ({ structuredContent: { a: 5 } }))
    const { data, meta } = (await wrapper.getTool("lossy")?.handler({})) ?? {}
    expect(data).toEqual({ a: 5 })
    expect(meta).toMatchObject({ conformance: "exact", unchecked: ["/properties/a/$ref"] })
    expect(wrapper.diagnose()).toMatchObject({
      rejected: [{ name: "bad", pointer: "/tools/2/inputSchema" }],
      losses: [{ tool: "lossy", schema: "outputSchema", pointer: "/properties/a/$ref", keyword: "$ref" }],
    })
    expect(wrapper.warnings.filter(({ kind }) => kind === "schema")).toMatchObject([{ tool: "lossy", message: expect.stringContaining("#/$defs/M") }])
    await wrapper.close()
  })

  test("says where it stands: ready, failed after a loss, closed after close", async () => {
    const { wrapper, transport } = await wrap(() => [])
    expect(wrapper.status).toBe("ready")
    await transport.close()
    expect(wrapper.status).toBe("failed")
    const other = await wrap(() => [])
    await other.wrapper[Symbol.asyncDispose]()
    expect(other.wrapper.status).toBe("closed")
  })

  test("takes a port that a host wrote, and keeps its promises with one that breaks them", async () => {
    const port: MCPPort = {
      request: async (method) => (method === "tools/list" ? { tools: [tool("t"), tool("u")] } : 5),
      onNotification: () => () => undefined,
      onRequest: () => undefined,
      onClose: () => undefined,
      close: async () => undefined,
      capabilities: { tools: {} },
      serverInfo: { name: "", version: "1" },
      instructions: undefined,
      protocolVersion: undefined,
    }
    const wrapper = await fromMCP("p", port)
    expect(wrapper).toBeInstanceOf(MCPClientWrapper)
    await expect(wrapper.tools[0]?.handler({})).rejects.toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    await wrapper.close()
  })
})
