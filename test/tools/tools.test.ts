/**
 * Operations of a registry as tools: who gets them, what is called, what never reaches a server.
 */
import { describe, expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { CallError } from "../../src/error.js"
import { approve, filter, redact } from "../../src/middleware.js"
import { defineOperation, markValidatesInput, type AnyOperation } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { ToolError, toTool, toTools, type Tool, type ToToolsOptions } from "../../src/tools.js"
import { connectInMemory } from "../fixtures/servers/in_memory.js"
import { callError } from "../fixtures/servers/scripted.js"

const add = defineOperation({
  namespace: "math",
  name: "add",
  type: "query",
  title: "Add",
  description: "Adds two numbers",
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number({ default: 1 }) }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})
const ping = defineOperation({ namespace: "math", name: "ping", inputSchema: Type.Object({}), outputSchema: Type.String(), handler: () => "pong" })
const secret = defineOperation({
  namespace: "vault",
  name: "open",
  inputSchema: Type.Object({}),
  outputSchema: Type.String(),
  accessControl: { requiredScopes: ["vault"] },
  handler: (_input, { identity }) => `opened by ${identity?.id ?? "nobody"}`,
})
const demo = {
  tools: [
    { name: "echo", description: "Says it again", inputSchema: { type: "object", properties: { a: { type: "string" } } }, annotations: { readOnlyHint: true } },
    { name: "fail", inputSchema: { type: "object" } },
    { name: "my.resource/read", inputSchema: { type: "object", properties: { "filter[id]": { type: "string" } }, required: ["filter[id]"] } },
  ],
  calls: {
    echo: [{ result: { content: [{ type: "text", text: "hello" }] } }],
    fail: [{ result: { isError: true, content: [{ type: "text", text: "disk full" }], structuredContent: { code: 28 } } }],
  },
}

function registryOf(...operations: AnyOperation[]): OperationRegistry {
  const registry = new OperationRegistry()
  registry.registerAll(operations)
  return registry
}

function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}, only ${tools.map((each) => each.name).join(", ")}`)
  return tool
}

async function mixed(options?: ToToolsOptions) {
  const { wrapper, log } = await connectInMemory(demo)
  const registry = registryOf(add, ping, secret, ...wrapper.tools)
  return { registry, log, wrapper, tools: await toTools(registry, options) }
}

describe("local and MCP operations in one set", () => {
  test("are tools of one kind, each with its name, description, parameters and metadata", async () => {
    const { tools } = await mixed()
    expect(tools.map(({ name }) => name)).toEqual(["math__add", "math__ping", "demo__echo", "demo__fail", expect.stringMatching(/^demo_my_resource_read_[0-9a-f]{8}$/)])
    expect(tools.skipped).toEqual([])
    expect({ ...named(tools, "math__add") }).toMatchObject({
      description: "Adds two numbers",
      parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 1 } }, required: ["a", "b"] },
      metadata: {
        operationId: "math.add",
        server: "math",
        tool: "add",
        version: "1.0.0",
        type: "query",
        title: "Add",
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      },
    })
    expect({ ...named(tools, "demo__echo") }).toMatchObject({
      description: "Says it again",
      parameters: { type: "object", properties: { a: { type: "string" } } },
      metadata: { operationId: "demo.echo", server: "demo", tool: "echo", version: "1.2.3", type: "mutation", annotations: { readOnlyHint: true }, outputSchema: {} },
    })
  })

  test("are called alike: the model reads the mapped result, the program keeps the envelope", async () => {
    const { tools } = await mixed()
    expect(await named(tools, "math__add").call({ a: 1, b: 2 })).toBe('{"sum":3}')
    expect(await named(tools, "demo__echo").call({ a: "x" })).toBe("hello")
    const outcome = await named(tools, "demo__echo").callWithEnvelope({ a: "x" })
    expect(outcome).toMatchObject({ result: "hello", isError: false, envelope: { meta: { source: "mcp", server: "demo", tool: "echo" } } })
  })

  test("fail alike: by a ToolError that holds the answer, or by a CallError where there is none", async () => {
    const { tools } = await mixed()
    const failed: unknown = await named(tools, "demo__fail").call({}).catch((error: unknown) => error)
    if (!(failed instanceof ToolError)) throw new Error("it is no ToolError")
    expect(failed.message).toBe("disk full")
    expect(failed.envelope.data).toEqual({ code: 28 })
    expect((await callError(named(tools, "math__add").call({ a: "1", b: 2 }))).code).toBe("VALIDATION_ERROR")
  })

  test("that are to return their errors do so, marked for the model and for the program", async () => {
    const { tools } = await mixed({ onError: "return" })
    expect(await named(tools, "demo__fail").callWithEnvelope()).toMatchObject({ result: "Error: disk full", isError: true, envelope: { data: { code: 28 } } })
    expect(await named(tools, "demo__fail").call()).toBe("Error: disk full")
  })
})

describe("arguments", () => {
  test.each([undefined, null])("that are %s leave the member out of the message, and are an empty object for a local operation", async (nothing) => {
    const { tools, log } = await mixed()
    await named(tools, "demo__echo").call(nothing)
    expect(log.calls("echo").map((params) => "arguments" in params)).toEqual([false])
    expect(await named(tools, "math__ping").call(nothing)).toBe("pong")
  })

  test("that are an empty object are sent as one", async () => {
    const { tools, log } = await mixed()
    await named(tools, "demo__echo").call({})
    expect(log.calls("echo").map((params) => params.arguments)).toEqual([{}])
  })

  test.each<[string, unknown]>([
    ["an array", [{ a: "x" }]],
    ["a text", '{"a":"x"}'],
    ["a number", 0],
    ["a truth value", false],
    ["a function", () => ({})],
    ["an instance of a class", new Date(0)],
    ["a bigint", 1n],
    ["a symbol", Symbol("x")],
  ])("that are %s reject before the server is contacted", async (_what, args) => {
    const { tools, log } = await mixed()
    for (const name of ["demo__echo", "math__ping"]) {
      const error = await callError(named(tools, name).call(args))
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { outcome: "not_started" } })
      expect(error.message).toContain(name)
    }
    expect(log.calls()).toEqual([])
  })

  test("that do not fit are refused with server, tool and every pointer, and without a value (mcp-use/mcp-use#114)", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: { b: { type: "number" } } } }, c: { type: "boolean" } } }
    const { wrapper, log } = await connectInMemory({ tools: [{ name: "deep", inputSchema }] })
    const [tool] = await toTools(registryOf(...wrapper.tools))
    const error = await callError(tool?.call({ a: [{ b: "hunter2-secret" }], c: "hunter2-secret" }) ?? Promise.resolve())
    for (const part of ["demo", "deep", "/a/0/b", "/c"]) expect(error.message).toContain(part)
    expect(JSON.stringify([error, error.message])).not.toContain("hunter2")
    expect(log.calls()).toEqual([])
  })

  test("get the server's own names back where a provider wanted others", async () => {
    const { tools, log } = await mixed({ provider: "anthropic", filter: ["demo.my.*"] })
    const [tool] = tools
    expect(tool?.parameters).toMatchObject({ properties: { filter_id: { type: "string" } }, required: ["filter_id"] })
    expect(tool?.fitted).toEqual({ provider: "anthropic", changes: [{ path: "/properties/filter[id]", change: 'named "filter_id"' }], refused: [] })
    await tool?.call({ filter_id: "7" })
    expect(log.calls("my.resource/read").map((params) => params.arguments)).toEqual([{ "filter[id]": "7" }])
  })
})

describe("which operations become tools", () => {
  test("is decided by the identity, which also calls them", async () => {
    const { registry } = await mixed()
    const tools = await toTools(registry, { identity: { id: "ada", scopes: ["vault"] }, filter: ["vault.*"] })
    expect(await named(tools, "vault__open").call()).toBe("opened by ada")
    expect(await named(tools, "vault__open").call({}, { timeoutMs: 5_000 })).toBe("opened by ada")
    expect((await callError(named(tools, "vault__open").call({}, { identity: { id: "eve", scopes: [] } }))).code).toBe("ACCESS_DENIED")
  })

  test.each<[string, ToToolsOptions, string[]]>([
    ["patterns", { filter: ["math.*", "demo.echo"] }, ["math__add", "math__ping", "demo__echo"]],
    ["a function", { filter: ({ type }) => type === "query" }, ["math__add"]],
    ["nobody's visibility", { filter: ["vault.*"] }, []],
    ["short names", { filter: ["math.*"], naming: "short" }, ["add", "ping"]],
  ])("is narrowed by %s", async (_what, options, names) => {
    expect((await mixed(options)).tools.map(({ name }) => name)).toEqual(names)
  })

  test("leaves out by name and reason what no model can call, and nothing else", async () => {
    const local = defineOperation({ namespace: "x", name: "at", inputSchema: Type.Object({ at: Type.Date() }), outputSchema: Type.Null(), handler: () => null })
    const scalar = defineOperation({ namespace: "x", name: "len", inputSchema: Type.String(), outputSchema: Type.Number(), handler: (text) => text.length })
    const tools = await toTools(registryOf(local, add, scalar))
    expect(tools.map(({ name }) => name)).toEqual(["math__add"])
    expect(tools.skipped).toEqual([
      { operationId: "x.at", reason: '"x.at" is local only: JSON Schema has no word for the Date at /inputSchema/properties/at' },
      { operationId: "x.len", reason: "its input is no object, and a model can give nothing else" },
    ])
    expect(() => toTool(scalar)).toThrow('"x.len" cannot be a tool: its input is no object, and a model can give nothing else')
  })
})

describe("a tool whose operation is gone", () => {
  test("says so, and sends nothing", async () => {
    const { registry, tools, log } = await mixed()
    registry.unregister("demo.echo")
    const error = await callError(named(tools, "demo__echo").call({}))
    expect(error).toMatchObject({
      code: "OPERATION_NOT_FOUND",
      message: 'Tool "demo__echo": its operation "demo.echo" has been removed since the tool was made',
      details: { operationId: "demo.echo", outcome: "not_started" },
    })
    expect(log.calls()).toEqual([])
  })
})

describe("the registry's middleware", () => {
  test("applies to every tool: what it denies is not run", async () => {
    const { registry, tools, log } = await mixed()
    registry.use(filter({ deny: ["demo.*", "math.*"] }))
    for (const name of ["demo__echo", "math__add"]) expect((await callError(named(tools, name).call({ a: 1, b: 2 }))).code).toBe("ACCESS_DENIED")
    expect(log.calls()).toEqual([])
  })

  test("applies to results before a model reads them", async () => {
    const { registry, tools } = await mixed()
    registry.use(redact(["/sum"]))
    expect(await named(tools, "math__add").call({ a: 1, b: 2 })).toBe('{"sum":"[redacted]"}')
  })
})

describe("a tool of one operation, without a registry", () => {
  test("is named, described and called like any other", async () => {
    const tool = toTool(add)
    expect([tool.name, tool.description]).toEqual(["math__add", "Adds two numbers"])
    expect(await tool.call({ a: 1, b: 2 })).toBe('{"sum":3}')
    expect((await callError(tool.call({ a: "1" }))).code).toBe("VALIDATION_ERROR")
    expect(toTool(add, { name: "plus" }).name).toBe("plus")
  })

  test("runs the middleware that it is given, the first one outermost", async () => {
    const seen: string[] = []
    const mark = (name: string) => async (_call: unknown, next: () => ReturnType<Tool["execute"]>) => {
      seen.push(name)
      return next()
    }
    await toTool(add, { middleware: [mark("outer"), mark("inner")] }).call({ a: 1, b: 2 })
    expect(seen).toEqual(["outer", "inner"])
    expect((await callError(toTool(add, { middleware: [approve(() => false)] }).call({ a: 1, b: 2 }))).code).toBe("ACCESS_DENIED")
  })

  test("demands the declared scopes, and refuses what only a host's registry could decide", async () => {
    expect((await callError(toTool(secret).call())).code).toBe("ACCESS_DENIED")
    expect(await toTool(secret, { identity: { id: "ada", scopes: ["vault"] } }).call()).toBe("opened by ada")
    const asks = defineOperation({ ...secret, accessControl: { customAuth: "ask" } })
    expect((await callError(toTool(asks, { identity: { id: "ada", scopes: [] } }).call())).code).toBe("ACCESS_DENIED")
  })
})

test("an abort of the caller stops the call", async () => {
  const stop = new AbortController()
  const waits: AnyOperation = {
    ...ping,
    handler: markValidatesInput((_input: unknown, context: { signal?: AbortSignal | undefined }) => {
      stop.abort(new Error("enough"))
      return new Promise((_resolve, reject) => context.signal?.addEventListener("abort", () => reject(new CallError("ABORTED", "stopped"))))
    }),
  }
  expect((await callError(toTool(waits).call({}, { signal: stop.signal }))).code).toBe("ABORTED")
})
