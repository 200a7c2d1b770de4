/**
 * Answers that the SDK's message layer throws away without a word: each ends its call at once, with the result where one came.
 *
 * The same table over stdio, over Streamable HTTP in both forms of answer, and through an SDK client that the host connected.
 * Every tool of a table answers in its own way, so one connection shows that none of them harms the others.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createMCPClient, fromMCP, type MCPClientOptions, type MCPClientWrapper, type MCPWarning } from "../../../src/from_mcp.js"
import { CallError } from "../../../src/error.js"
import { scriptedClient } from "../../fixtures/servers/in_memory.js"
import { openScope, type Scope } from "../../fixtures/servers/scope.js"
import { BY_THE_CLOCK, callerOf, expectWithin, scriptedServer, timed } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"

const LONGEST_MS = 200
const kept = { content: [{ type: "text", text: "kept" }], structuredContent: { n: 1 } }

/** Answers with a result object: the caller gets it. `meta` is what of `_meta` stays. */
const RESULTS: [string, Record<string, unknown>, Record<string, unknown> | undefined][] = [
  ["_meta null", { result: { ...kept, _meta: null } }, undefined],
  ["_meta a number", { result: { ...kept, _meta: 5 } }, undefined],
  ["_meta an array", { result: { ...kept, _meta: [] } }, undefined],
  ["_meta a text", { result: { ...kept, _meta: "x" } }, undefined],
  ["_meta false", { result: { ...kept, _meta: false } }, undefined],
  ["a number beside result", { result: kept, extra: 1 }, undefined],
  ["error null beside result", { result: kept, error: null }, undefined],
  ["a method beside result", { result: kept, method: "tools/call" }, undefined],
  ["params beside result", { result: kept, params: {} }, undefined],
  ["an object as progress token", { result: { ...kept, _meta: { progressToken: {}, other: 1 } } }, { other: 1 }],
  ["null as progress token", { result: { ...kept, _meta: { progressToken: null, other: 1 } } }, { other: 1 }],
  ["a related task that is a number", { result: { ...kept, _meta: { "io.modelcontextprotocol/related-task": 5, other: 1 } } }, { other: 1 }],
  ["several of these at once", { result: { ...kept, _meta: null }, error: null, extra: 1, id2: null }, undefined],
]

/** Answers without a result object: the call rejects, and `told` is found in the details. */
const NO_RESULTS: [string, Record<string, unknown>, string | undefined][] = [
  ["result null", { result: null }, undefined],
  ["result an array", { result: [] }, undefined],
  ["result a text", { result: "text" }, undefined],
  ["result a number", { result: 5 }, undefined],
  ["result false", { result: false }, undefined],
  ["neither result nor error", {}, undefined],
  ["an error without a message", { error: { code: -32099 } }, "-32099"],
  ["an error with a text as code", { error: { code: "E_TEXT", message: "said so" } }, "E_TEXT"],
  ["an error with a fractional code", { error: { code: 1.5, message: "said so" } }, "1.5"],
  ["an error without a code", { error: { message: "only said" } }, "only said"],
  ["an error that is a text", { error: "boom" }, "boom"],
  ["an error that is a number", { error: 5 }, "5"],
  ["an error that is an array", { error: ["boom"] }, "boom"],
  ["an error that is null, and no result", { error: null }, undefined],
  ["an error with a number as message", { error: { code: -32099, message: 7 } }, "-32099"],
]

const ALL = [...RESULTS, ...NO_RESULTS].map(([name, answer]) => ({ name, answer }))
const SCRIPT = {
  tools: [...ALL.map(({ name }) => ({ name, inputSchema: { type: "object" } })), { name: "good" }],
  calls: Object.fromEntries(ALL.map(({ name, answer }) => [name, [{ answer }]])),
}

type Open = (options: MCPClientOptions, scope: Scope) => Promise<MCPClientWrapper>
const WAYS: [string, Open][] = [
  ["over stdio", async (options, scope) => createMCPClient("demo", scriptedServer(SCRIPT, scope).config, options)],
  ["over HTTP, as an event stream", async (options, scope) => createMCPClient("demo", { url: (await scriptedHTTPServer(SCRIPT, {}, scope)).url }, options)],
  ["over HTTP, as one JSON document", async (options, scope) => createMCPClient("demo", { url: (await scriptedHTTPServer(SCRIPT, { answers: "json" }, scope)).url }, options)],
  ["over the older SSE transport", async (options, scope) => createMCPClient("demo", { url: (await scriptedHTTPServer(SCRIPT, { transport: "sse" }, scope)).url, transport: "sse" }, options)],
  ["through an SDK client of the host", async (options) => fromMCP("demo", (await scriptedClient(SCRIPT)).client, options)],
]

describe.each(WAYS)("%s", (_, open) => {
  // One connection for the whole table: what one answer breaks, the next one shows.
  const { scope, end } = openScope()
  const warnings: MCPWarning[] = []
  let wrapper: MCPClientWrapper
  beforeAll(async () => {
    wrapper = await open({ onWarning: (warning) => warnings.push(warning) }, scope)
    scope(() => wrapper.close())
  })
  afterAll(end)

  test.each(RESULTS)("%s: the result arrives at once, and what was taken out is told", BY_THE_CLOCK, async (name, _answer, meta) => {
    warnings.length = 0
    const { value, ms } = await timed(() => callerOf(wrapper)(name, {}, { timeoutMs: 30_000 }))
    expectWithin(ms, LONGEST_MS)
    expect(value.data).toEqual({ n: 1 })
    expect(value.meta).toMatchObject({ isError: false, content: [{ type: "text", text: "kept" }], structuredContent: { n: 1 } })
    expect((value.meta as { _meta?: unknown })._meta).toEqual(meta)
    expect(warnings.length).toBeGreaterThan(0)
    for (const { server, message } of warnings) {
      expect(server).toBe("demo")
      expect(message.length).toBeLessThanOrEqual(500)
    }
  })

  test.each(NO_RESULTS)("%s: the call ends at once with a protocol error of unknown outcome", BY_THE_CLOCK, async (name, _answer, told) => {
    const { value: error, ms } = await timed(() => callerOf(wrapper)(name, {}, { timeoutMs: 30_000 }).then(() => undefined, (thrown: unknown) => thrown))
    expectWithin(ms, LONGEST_MS)
    expect(error).toBeInstanceOf(CallError)
    const { code, details, message } = error as CallError
    expect({ code, outcome: details["outcome"] }).toEqual({ code: "PROTOCOL_ERROR", outcome: "unknown" })
    expect(message).toContain("demo")
    expect(message).toContain(name)
    if (told !== undefined) expect(JSON.stringify(details)).toContain(told)
  })

  test("after all of them the connection is the same one and usable", async () => {
    expect(wrapper.status).toBe("ready")
    expect((await callerOf(wrapper)("good", { a: 1 })).data).toEqual({ given: { a: 1 } })
  })
})

describe("a message that lies too deep costs its own call only", () => {
  test.each([600, 20_000])("%d levels", BY_THE_CLOCK, async (levels) => {
    const { config } = scriptedServer({
      tools: [{ name: "deep" }, { name: "slow" }, { name: "good" }],
      calls: { deep: [{ nested: levels }], slow: [{ delay: 100 }, { echo: true }] },
    })
    const wrapper = await createMCPClient("demo", config)
    onTestFinished(() => wrapper.close())
    const call = callerOf(wrapper)
    const slow = call("slow", { a: 1 })
    const { value: error, ms } = await timed(() => call("deep", {}, { timeoutMs: 30_000 }).then(() => undefined, (thrown: unknown) => thrown))
    expect(error).toBeInstanceOf(CallError)
    expect(error).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    expectWithin(ms, LONGEST_MS)
    expect((await slow).data).toEqual({ given: { a: 1 } })
    expect((await call("good", {})).data).toEqual({ given: {} })
    expect(wrapper.status).toBe("ready")
  })

  test("500 levels arrive", async () => {
    const { config } = scriptedServer({ tools: [{ name: "deep" }], calls: { deep: [{ nested: 500 }] } })
    const wrapper = await createMCPClient("demo", config)
    onTestFinished(() => wrapper.close())
    const { data } = await callerOf(wrapper)("deep", {}, { timeoutMs: 30_000 })
    expect(JSON.stringify(data)).toBe(`{"deep":${"[".repeat(500)}${"]".repeat(500)}}`)
  })

  test.each(["stream", "json"] as const)("the same over HTTP, answered as %s", BY_THE_CLOCK, async (answers) => {
    const server = await scriptedHTTPServer({ tools: [{ name: "deep" }, { name: "good" }], calls: { deep: [{ nested: 600 }] } }, { answers })
    const wrapper = await createMCPClient("demo", { url: server.url })
    onTestFinished(() => wrapper.close())
    const { value: error, ms } = await timed(() => callerOf(wrapper)("deep", {}, { timeoutMs: 30_000 }).then(() => undefined, (thrown: unknown) => thrown))
    expect(error).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    expectWithin(ms, LONGEST_MS)
    expect((await callerOf(wrapper)("good", {})).data).toEqual({ given: {} })
  })

  test("the same through an SDK client of the host", BY_THE_CLOCK, async () => {
    const { client } = await scriptedClient({ tools: [{ name: "deep" }, { name: "good" }], calls: { deep: [{ nested: 600 }] } })
    const wrapper = await fromMCP("demo", client)
    onTestFinished(() => wrapper.close())
    const { value: error, ms } = await timed(() => callerOf(wrapper)("deep", {}, { timeoutMs: 30_000 }).then(() => undefined, (thrown: unknown) => thrown))
    expect(error).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    expectWithin(ms, LONGEST_MS)
    expect((await callerOf(wrapper)("good", {})).data).toEqual({ given: {} })
  })
})
