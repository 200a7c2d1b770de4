/**
 * Calls that meet: deadlines, odd ids, questions of the server, closing, parallel ones, large ones.
 */
import { getEventListeners } from "node:events"
import { describe, expect, onTestFinished, test } from "vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { createMCPClient, fromMCP } from "../../../src/from_mcp.js"
import { scriptedClient } from "../../fixtures/servers/in_memory.js"
import type { Script } from "../../fixtures/servers/scripted_core.mjs"
import { BY_THE_CLOCK, callError, callerOf, connect, connectScripted, expectWithin, scriptedServer, timed, toolOf } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"
import { isAlive, until } from "../../fixtures/servers/server_log.js"

const TOOL = [{ name: "t" }]

// vercel/ai#18075
describe("a tool that never answers", () => {
  const silent: Script = { tools: [{ name: "t" }, { name: "good" }], calls: { t: [[{ hang: true }], [{ echo: true }]] } }

  test.each([
    ["timeoutMs", () => ({ timeoutMs: 400 })],
    ["deadline", () => ({ deadline: Date.now() + 400 })],
    ["the earlier one of both", () => ({ timeoutMs: 400, deadline: Date.now() + 60_000 })],
    ["the earlier one of both, the other way round", () => ({ timeoutMs: 60_000, deadline: Date.now() + 400 })],
  ])("is given up by %s, the server is told, and the next call works", BY_THE_CLOCK, async (_, context) => {
    const { call, log } = await connectScripted(silent)
    const { value: error, ms } = await timed(() => callError(call("t", {}, context())))
    expect(error.code).toBe("TIMEOUT")
    expect(error.details).toMatchObject({ outcome: "unknown" })
    expect(error.message).toContain("demo")
    expect(ms).toBeGreaterThanOrEqual(398)
    expectWithin(ms, 700)
    await until(() => log.received("notifications/cancelled").length === 1, "the server is told")
    const asked = log.messages().find(({ method }) => method === "tools/call")
    expect(log.received("notifications/cancelled")[0]?.requestId).toBe(asked?.id)
    expect((await call("t", { again: true })).data).toEqual({ given: { again: true } })
  })

  test("is given up after the client's own time where the call says none", BY_THE_CLOCK, async () => {
    const { call } = await connectScripted(silent, { timeoutMs: 400 })
    const { value: error, ms } = await timed(() => callError(call("t")))
    expect(error.code).toBe("TIMEOUT")
    expectWithin(ms, 700)
  })

  test.each([
    ["a deadline that has passed", () => ({ deadline: Date.now() - 1 }), "TIMEOUT"],
    ["a timeout of nothing", () => ({ timeoutMs: 0 }), "TIMEOUT"],
    ["a signal that was given beforehand", () => ({ signal: AbortSignal.abort(new Error("private reason")) }), "ABORTED"],
  ])("is not even asked with %s", async (_, context, code) => {
    const { call, log } = await connectScripted(silent)
    const error = await callError(call("t", {}, context()))
    expect(error.code).toBe(code)
    expect(error.details).toMatchObject({ outcome: "not_started" })
    await call("good", {})
    expect(log.calls("t")).toEqual([])
  })

  // openai/openai-agents-js#1530, anomalyco/opencode#24312, googleapis/js-genai#1054, openai/codex#20925
  test("is stopped by its caller at once, and the server is told without the reason", BY_THE_CLOCK, async () => {
    const { call, log } = await connectScripted(silent)
    const stop = new AbortController()
    const calling = callError(call("t", {}, { signal: stop.signal }))
    await until(() => log.calls().length === 1, "the call has arrived")
    const { value: error, ms } = await timed(async () => {
      stop.abort(new Error("private reason"))
      return calling
    })
    expectWithin(ms, 200)
    expect(error.code).toBe("ABORTED")
    expect(error.details).toMatchObject({ outcome: "unknown" })
    expect(error.cause).toMatchObject({ message: "private reason" })
    await until(() => log.received("notifications/cancelled").length === 1, "the server is told")
    expect(JSON.stringify(log.messages())).not.toContain("private reason")
  })
})

describe("a tool that takes its time", () => {
  test("and whose caller has stopped it answers later: no error, no warning, and nobody listens any more", async () => {
    const { call, log, wrapper } = await connectScripted({ tools: TOOL, calls: { t: [[{ delay: 150 }, { echo: true }], [{ delay: 200 }, { echo: true }]] } })
    const stop = new AbortController()
    const stopped = callError(call("t", { n: 1 }, { signal: stop.signal }))
    await until(() => log.calls().length === 1, "the call has arrived")
    stop.abort()
    expect((await stopped).code).toBe("ABORTED")
    expect((await call("t", { n: 2 })).data).toEqual({ given: { n: 2 } })
    expect(wrapper.warnings).toEqual([])
    expect(getEventListeners(stop.signal, "abort").length).toBeLessThanOrEqual(1)
  })

  test("to greet is told nothing when its client gives up: initialize is never cancelled", async () => {
    const { config, log } = scriptedServer({ initialize: "never" })
    const stop = new AbortController()
    const connecting = callError(connect("demo", config, { signal: stop.signal }))
    await until(() => log.received("initialize").length === 1, "it is greeted")
    stop.abort()
    await connecting
    await until(() => !log.pids().some(isAlive), "it has read all that it will ever read")
    expect(log.received("initialize")).toHaveLength(1)
    expect(log.received("notifications/cancelled")).toEqual([])
  })
})

// radareorg/radare2-mcp#68, modelcontextprotocol/python-sdk#192, modelcontextprotocol/python-sdk#1720, helidon-io/helidon-mcp#65
describe("ids of answers", () => {
  test("a text that says the number is the number", async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ result: { content: [], structuredContent: { n: 1 } }, id: "text" }] } })
    expect((await call("t", {}, { timeoutMs: 30_000 })).data).toEqual({ n: 1 })
  })

  test.each([
    ["a number that nobody used", { result: { content: [] }, id: 987_654 }],
    ["a text that is no number", { result: { content: [] }, id: "nobody" }],
    ["an error with the id null", { error: { code: -32600, message: "which one?" }, id: null }],
    ["a result with the id null", { result: { content: [] }, id: null }],
  ])("%s is a warning; the call ends at its own time, and the connection stays", BY_THE_CLOCK, async (_, step) => {
    const { call, wrapper } = await connectScripted({ tools: [{ name: "t" }, { name: "good" }], calls: { t: [step] } })
    const { value: error, ms } = await timed(() => callError(call("t", {}, { timeoutMs: 400 })))
    expect(error.code).toBe("TIMEOUT")
    expect(error.message).toContain("demo")
    expect(error.message).toContain("t")
    expect(ms).toBeGreaterThanOrEqual(398)
    expectWithin(ms, 700)
    await until(() => wrapper.warnings.length >= 1, "the warning is there")
    expect((await call("good", { a: 1 })).data).toEqual({ given: { a: 1 } })
  })

  test("a second answer to one call changes nothing", async () => {
    const { call } = await connectScripted({
      tools: TOOL,
      calls: { t: [{ result: { content: [], structuredContent: "first" } }, { result: { content: [], structuredContent: "second" } }, { error: { code: 1, message: "third" } }] },
    })
    expect((await call("t", {})).data).toBe("first")
    expect((await call("t", {})).data).toBe("first")
  })

  test("an answer that comes after its call was given up is no error and no answer to another one", async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [[{ delay: 3_000 }, { result: { content: [], structuredContent: "late" } }], [{ delay: 3_000 }, { result: { content: [], structuredContent: "right" } }]] } })
    expect((await callError(call("t", {}, { timeoutMs: 500 }))).code).toBe("TIMEOUT")
    expect((await call("t", {})).data).toBe("right")
  })
})

// modelcontextprotocol/python-sdk#1097, KlaatAI/klaatcode#59, ChromeDevTools/chrome-devtools-mcp#2476
describe("a server that asks the client", () => {
  test.each(["roots/list", "sampling/createMessage", "elicitation/create", "vendor/unknown"])("%s is refused at once, and the call goes on", BY_THE_CLOCK, async (method) => {
    const { call, log } = await connectScripted({ tools: TOOL, calls: { t: [{ ask: method, params: {} }, { asked: true }] } })
    const { data } = await call("t", {})
    expect(data).toMatchObject({ error: { code: -32601 } })
    expect(log.asked()).toHaveLength(1)
    expectWithin(log.asked()[0]?.afterMs, 100)
  })

  test("a question with the id of our own call is still a question", async () => {
    const ask = '{"jsonrpc":"2.0","id":$ID,"method":"roots/list"}\n'
    const { call, log } = await connectScripted({ tools: TOOL, calls: { t: [{ raw: ask }, { delay: 50 }, { echo: true }] } })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    const refusals = () => log.messages().filter(({ error }) => error?.code === -32601)
    await until(() => refusals().length > 0, "the refusal arrives")
    expect(refusals()).toHaveLength(1)
  })

  test("announces no ability that has no handler", async () => {
    const { log } = await connectScripted({ tools: TOOL })
    expect(log.received("initialize")[0]?.capabilities).toEqual({})
  })

  test("a ping is answered", async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ ask: "ping" }, { asked: true }] } })
    expect((await call("t", {})).data).toMatchObject({ result: {} })
  })

  test("notifications that nobody knows, or that are malformed, are ignored", async () => {
    const { call } = await connectScripted({
      tools: TOOL,
      calls: {
        t: [
          { notify: "notifications/vendor", params: { a: 1 } },
          { notify: "notifications/progress", params: { progressToken: "nobody", progress: 1 } },
          { notify: "notifications/progress", params: {} },
          { notify: "notifications/cancelled", params: { requestId: 12345 } },
          { notify: "notifications/message", params: { level: "nonsense" } },
          { raw: '{"jsonrpc":"2.0","method":"notifications/odd","params":[1]}\n' },
          { raw: '{"jsonrpc":"2.0","method":"notifications/odd","params":null}\n' },
          { echo: true },
        ],
      },
    })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    expect((await call("t", { a: 2 })).data).toEqual({ given: { a: 2 } })
  })
})

describe("times and signals of odd kinds", () => {
  test.each([{ timeoutMs: Infinity }, { deadline: Infinity }, { timeoutMs: 1e12 }, { deadline: 8.64e15 }])("%j is a very long time", async (context) => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ delay: 60 }, { echo: true }] } })
    expect((await call("t", {}, context)).data).toEqual({ given: {} })
  })

  test("a signal that many calls share does not keep a listener of each", async () => {
    const { call } = await connectScripted({ tools: TOOL })
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 60 }, (_, index) => call("t", { index }, { signal })))
    expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1)
  })
})

// vercel/ai#5365
describe("closing", () => {
  test("a call after it is refused and starts nothing", async () => {
    const { wrapper, log } = await connectScripted({ tools: TOOL })
    const held = toolOf(wrapper)
    await wrapper.close()
    const error = await callError(held.handler({}))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ kind: "closed", outcome: "not_started" })
    expect(log.calls()).toEqual([])
    expect(log.starts()).toHaveLength(1)
  })

  test("a call during it is refused, a call before it ends, both with the one error class", async () => {
    const { wrapper, log } = await connectScripted({ tools: TOOL, calls: { t: [{ hang: true }] } })
    const held = toolOf(wrapper)
    const before = callError(held.handler({}))
    await until(() => log.calls().length === 1, "the call has arrived")
    const closing = wrapper.close()
    const during = callError(held.handler({}))
    expect(await before).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    expect(await during).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    await closing
    expect(log.calls()).toHaveLength(1)
  })

  test("refreshing after it is refused", async () => {
    const { wrapper } = await connectScripted({ tools: TOOL })
    await wrapper.close()
    await callError(wrapper.refresh())
  })

  test("a client of the SDK that was never connected is refused, and so is one that is gone", async () => {
    const error = await callError(fromMCP("demo", new Client({ name: "host", version: "0" })))
    expect(error.message).toContain("demo")
    const { client } = await scriptedClient({ tools: TOOL })
    await client.close()
    await callError(fromMCP("demo", client))
  })
})

// modelcontextprotocol/typescript-sdk#1405, modelcontextprotocol/typescript-sdk#742, modelcontextprotocol/csharp-sdk#88
test("two hundred calls at once to two servers each get their own answer", async () => {
  const script = { tools: TOOL, calls: { t: [{ delay: [0, 60] as [number, number] }, { echo: true as const }] } }
  const [one, two] = await Promise.all([connectScripted(script), connectScripted(script)])
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? one : two).call("t", { index })))
  expect(answers.map(({ data }) => data)).toEqual(Array.from({ length: 200 }, (_, index) => ({ given: { index } })))
  expect(one.log.calls()).toHaveLength(100)
  expect(two.log.calls()).toHaveLength(100)
})

test("more calls at once than are let through wait, and all are answered", async () => {
  const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ delay: [0, 10] }, { echo: true }] } }, { maxInFlight: 3 })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => call("t", { index })))
  expect(answers.map(({ data }) => data)).toEqual(Array.from({ length: 50 }, (_, index) => ({ given: { index } })))
})

test("a call that waits for its turn ends at its deadline, unstarted", async () => {
  const { call, log } = await connectScripted({ tools: TOOL, calls: { t: [{ hang: true }] } }, { maxInFlight: 1 })
  const stop = new AbortController()
  const first = callError(call("t", {}, { signal: stop.signal }))
  await until(() => log.calls().length === 1, "the first one arrives")
  const second = await callError(call("t", {}, { timeoutMs: 100 }))
  expect(second.details).toMatchObject({ outcome: "not_started" })
  expect(["TIMEOUT", "RESOURCE_EXHAUSTED"]).toContain(second.code)
  stop.abort()
  expect((await first).code).toBe("ABORTED")
  await until(() => log.received("notifications/cancelled").length === 1, "the server is told of the first one")
  expect(log.calls()).toHaveLength(1)
})

// anthropics/claude-code#53527
describe("large arguments and results", () => {
  const ECHO = { tools: TOOL, calls: { t: [{ echo: "text" as const }] } }
  const ways: [string, () => ReturnType<typeof createMCPClient>][] = [
    ["stdio", () => createMCPClient("demo", scriptedServer(ECHO).config)],
    ["stdio with a server that reads slowly", () => createMCPClient("demo", scriptedServer({ ...ECHO, readSlowly: { bytes: 65_536, everyMs: 5 } }).config)],
    ["HTTP", async () => createMCPClient("demo", { url: (await scriptedHTTPServer(ECHO)).url })],
  ]

  describe.each(ways)("over %s", (_, open) => {
    test.each([27_000, 1_000_000, 8_000_000])("%d characters come back equal within five seconds", BY_THE_CLOCK, async (length) => {
      const wrapper = await open()
      onTestFinished(() => wrapper.close())
      const text = `${"0123456789abcdef".repeat(length / 16)}é🎉`
      const { value, ms } = await timed(() => callerOf(wrapper)("t", { text }))
      expect((value.data as { text: string }[])[0]?.text === text).toBe(true)
      expectWithin(ms, 5_000)
    })
  })

  test("a result over the limit ends its own call only, with the limit", async () => {
    const script = { tools: [{ name: "big" }, { name: "t" }], calls: { big: [{ result: { content: [{ type: "text", text: "x".repeat(50_000) }] } }] } }
    const { config } = scriptedServer(script)
    const server = await scriptedHTTPServer(script)
    for (const to of [config, { url: server.url }]) {
      const wrapper = await connect("demo", to, { maxResultBytes: 20_000 })
      const error = await callError(callerOf(wrapper)("big", {}))
      expect(error.code).toBe("RESOURCE_EXHAUSTED")
      expect(error.details).toMatchObject({ outcome: "unknown" })
      expect(Object.values(error.details)).toContain(20_000)
      expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    }
  })
})
