/**
 * Servers that ask their client, and servers that log: what is announced, answered, refused and told.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { CallError } from "../../src/error.js"
import { fromMCP, type ClientHandlers, type LogEntry, type MCPClientOptions } from "../../src/from_mcp.js"
import { openStream, resultOf, serverByHand } from "../fixtures/servers/http_by_hand.js"
import { BY_THE_CLOCK, callerOf, callError, connect, connectScripted, expectWithin, scriptedServer } from "../fixtures/servers/scripted.js"
import type { Script } from "../fixtures/servers/scripted_core.mjs"
import { until } from "../fixtures/servers/server_log.js"

const HOUSE = { uri: "file:///srv/house", name: "house" }
const FORM = { message: "Which colour?", requestedSchema: { type: "object", properties: { colour: { type: "string", default: "red" }, size: { type: "integer" } } } }
const PAGE = { mode: "url", message: "Please pay", url: "https://pay.example.org/7", elicitationId: "e-7" }
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5, systemPrompt: "short" }
const SAID = { role: "assistant", content: { type: "text", text: "hello" }, model: "m-1" } as const

/** A server that asks this while it is called, and answers the call with what it was told. */
function asking(method: string, params: unknown): Script {
  return { tools: [{ name: "t" }], calls: { t: [{ ask: method, params }, { asked: true }] } }
}

async function answerTo(method: string, params: unknown, options: MCPClientOptions): Promise<{ answer: unknown; warnings: string[]; afterMs: number | undefined }> {
  const { call, log, wrapper } = await connectScripted(asking(method, params), options)
  const { data } = await call("t", {})
  const { id: _id, jsonrpc: _version, ...answer } = data as Record<string, unknown>
  return { answer, warnings: wrapper.warnings.map(({ message }) => message), afterMs: log.asked()[0]?.afterMs }
}

describe("capabilities", () => {
  const cases: [string, ClientHandlers | undefined, unknown][] = [
    ["nothing without handlers", undefined, {}],
    ["nothing for empty groups", { elicitation: {} }, {}],
    ["roots", { roots: [HOUSE] }, { roots: {} }],
    ["a form alone", { elicitation: { form: () => ({ action: "decline" }) } }, { elicitation: { form: {} } }],
    ["a page alone", { elicitation: { url: () => ({ action: "decline" }) } }, { elicitation: { url: {} } }],
    [
      "all of them",
      { roots: () => [], elicitation: { form: () => ({ action: "decline" }), url: () => ({ action: "decline" }) }, sampling: () => SAID },
      { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} },
    ],
  ]
  test.each(cases)("announce %s", async (_what, handlers, expected) => {
    const { log } = await connectScripted({ tools: [] }, { handlers })
    expect(log.received("initialize")[0]?.capabilities).toEqual(expected)
  })
})

describe("an answer", () => {
  const cases: [string, string, unknown, ClientHandlers, unknown][] = [
    ["fixed roots", "roots/list", {}, { roots: [HOUSE] }, { roots: [HOUSE] }],
    ["roots that are made when they are asked for", "roots/list", {}, { roots: async () => [{ uri: "file:///b" }] }, { roots: [{ uri: "file:///b" }] }],
    [
      "a form; what was left out gets its default",
      "elicitation/create",
      FORM,
      { elicitation: { form: ({ message }) => ({ action: "accept", content: { size: message.length } }) } },
      { action: "accept", content: { size: 13, colour: "red" } },
    ],
    ["a form that is declined", "elicitation/create", { mode: "form", ...FORM }, { elicitation: { form: () => ({ action: "decline" }) } }, { action: "decline" }],
    ["a page", "elicitation/create", PAGE, { elicitation: { url: ({ url }) => ({ action: url === PAGE.url ? "accept" : "cancel" }) } }, { action: "accept" }],
    ["a sample", "sampling/createMessage", SAMPLE, { sampling: (wanted) => ({ ...SAID, model: `m-${String(wanted["maxTokens"])}` }) }, { ...SAID, model: "m-5" }],
  ]
  test.each(cases)("from a handler: %s", async (_what, method, params, handlers, result) => {
    expect(await answerTo(method, params, { handlers })).toMatchObject({ answer: { result }, warnings: [] })
  })
})

// modelcontextprotocol/python-sdk#1097, KlaatAI/klaatcode#59
describe("a refusal", () => {
  const form = () => ({ action: "cancel" as const })
  const cases: [string, string, unknown, ClientHandlers, number][] = [
    ["for what has no handler", "sampling/createMessage", SAMPLE, { roots: [] }, -32601],
    ["for a page where only forms are answered", "elicitation/create", PAGE, { elicitation: { form } }, -32602],
    ["for a form without a schema", "elicitation/create", { message: "?" }, { elicitation: { form } }, -32602],
    ["for a page that is no web page", "elicitation/create", { ...PAGE, url: "file:///etc/passwd" }, { elicitation: { url: form } }, -32602],
    ["for a sample of no messages", "sampling/createMessage", {}, { sampling: () => SAID }, -32602],
    ["where the person refuses", "sampling/createMessage", SAMPLE, { sampling: () => Promise.reject(new CallError("ACCESS_DENIED", "not today")) }, -1],
    // A host without types may give anything.
    ["for an answer of no known action", "elicitation/create", FORM, { elicitation: { form: () => ({ action: "maybe" }) as never } }, -32603],
    ["for a root that is no file", "roots/list", {}, { roots: [{ uri: "https://x.org" }] }, -32603],
  ]
  test.each(cases)("%s comes at once, and the call goes on", BY_THE_CLOCK, async (_what, method, params, handlers, code) => {
    const { answer, afterMs } = await answerTo(method, params, { handlers })
    expect(answer).toMatchObject({ error: { code } })
    expectWithin(afterMs, 100)
  })

  test("says nothing of what a handler threw; the host reads it in the warnings", async () => {
    const roots = () => Promise.reject(Object.assign(new Error("password hunter2-hunter2 is wrong"), { code: -32000, data: { token: "hunter2-hunter2" } }))
    const { answer, warnings } = await answerTo("roots/list", {}, { handlers: { roots } })
    expect(answer).toEqual({ error: { code: -32603, message: "The client has no answer" } })
    expect(warnings).toEqual(["The handler for roots/list failed: password hunter2-hunter2 is wrong"])
  })
})

describe("a handler that takes long", () => {
  test("hears that the connection was closed", async () => {
    let signal: AbortSignal | undefined
    const handlers: ClientHandlers = {
      sampling: (_wanted, request) => {
        signal = request.signal
        return new Promise(() => undefined)
      },
    }
    const { call, wrapper } = await connectScripted(asking("sampling/createMessage", SAMPLE), { handlers })
    const ended = callError(call("t", {}))
    await until(() => signal !== undefined, "the handler is asked")
    expect(signal?.aborted).toBe(false)
    await wrapper.close()
    expect(signal?.aborted).toBe(true)
    expect((await ended).code).toBe("TRANSPORT_ERROR")
  })

  test("hears that the server took its request back", async () => {
    let signal: AbortSignal | undefined
    const script: Script = {
      tools: [{ name: "t" }],
      calls: {
        t: [
          { raw: `{"jsonrpc":"2.0","id":"q","method":"roots/list"}\n` },
          { delay: 50 },
          { notify: "notifications/cancelled", params: { requestId: "q" } },
          { echo: true },
        ],
      },
    }
    const roots = (request: { signal: AbortSignal }) => {
      signal = request.signal
      return new Promise<never>(() => undefined)
    }
    const { call } = await connectScripted(script, { handlers: { roots } })
    await call("t", {})
    await until(() => signal?.aborted === true, "the handler hears it")
  })
})

test("a client that the host has connected answers with the same handlers", async () => {
  const { config } = scriptedServer(asking("roots/list", {}))
  const client = new Client({ name: "host", version: "1" }, { capabilities: { roots: {} } })
  await client.connect(new StdioClientTransport(config))
  const wrapper = await fromMCP("demo", client, { handlers: { roots: [HOUSE] } })
  onTestFinished(() => wrapper.close())
  expect((await callerOf(wrapper)("t", {})).data).toMatchObject({ result: { roots: [HOUSE] } })
})

test("over HTTP, a question in the stream of a call is answered while the call is open", async () => {
  const server = await serverByHand({
    first: ({ message, response }) => {
      if (message?.id !== "q-1") return false
      response.writeHead(202).end()
      const call = server.of("tools/call")[0]
      call?.response.end(`data: ${JSON.stringify(resultOf(call.message, { told: (message as { result?: unknown }).result }))}\n\n`)
      return true
    },
    call: ({ response }) => {
      openStream(response)
      response.write(`data: {"jsonrpc":"2.0","id":"q-1","method":"roots/list"}\n\n`)
    },
  })
  const wrapper = await connect("demo", { url: server.url }, { handlers: { roots: [HOUSE] } })
  expect((await callerOf(wrapper)("t", {})).data).toEqual({ told: { roots: [HOUSE] } })
})

describe("server-everything", () => {
  const folder = dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json"))
  const config = { command: process.execPath, args: [join(folder, "dist/index.js"), "stdio"] }
  const cases: [string, ClientHandlers, number][] = [
    ["13 tools to a client that answers nothing", {}, 13],
    ["14 tools to one with roots", { roots: [HOUSE] }, 14],
    ["16 tools to one that answers everything", { roots: [HOUSE], sampling: () => SAID, elicitation: { form: () => ({ action: "decline" }) } }, 16],
  ]
  test.each(cases)("shows %s", { timeout: 120_000 }, async (_what, handlers, count) => {
    const wrapper = await connect("everything", config, { handlers })
    await until(() => wrapper.tools.length === count, `${String(count)} tools`)
    if (handlers.sampling === undefined) return
    const { data } = await callerOf(wrapper)("trigger-sampling-request", { prompt: "hi" })
    expect(JSON.stringify(data)).toContain("hello")
  })
})

describe("what a server logs", () => {
  const entry = { level: "warning", logger: "db", data: { text: "key sk-0123456789abcdef0123" } }
  const logging: Script = {
    initialize: { capabilities: { tools: {}, logging: {} } },
    tools: [{ name: "t" }],
    calls: { t: [{ notify: "notifications/message", params: entry }, { notify: "notifications/message", params: 5 }, { echo: true }] },
  }

  test("reaches the host, secrets masked", async () => {
    const heard: LogEntry[] = []
    const { call } = await connectScripted(logging, { onLog: (one) => heard.push(one) })
    await call("t", {})
    expect(heard[0]).toEqual({ server: "demo", level: "warning", logger: "db", data: { text: "key ***" } })
  })

  test("cannot break the call where the listener throws", async () => {
    const { call } = await connectScripted(logging, {
      onLog: () => {
        throw new Error("full")
      },
    })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
  })

  test("is as much as the host asked for", async () => {
    const { wrapper, log } = await connectScripted({ ...logging, initialize: { capabilities: { logging: {} } } })
    // The scripted server knows no such method; what counts is that it was asked.
    expect((await callError(wrapper.setLoggingLevel("error"))).details).toMatchObject({ rpcCode: -32601, outcome: "failed" })
    expect(log.received("logging/setLevel")).toEqual([{ level: "error" }])
  })

  test("is as much in the session that takes the place of a lost one", async () => {
    const levels: string[] = []
    const server = await serverByHand({
      sessions: true,
      first: ({ message, headers, response }) => {
        const answer = (result: unknown) => {
          response.writeHead(200, { "content-type": "application/json", ...(message?.method === "initialize" && { "mcp-session-id": `s${String(server.of("initialize").length)}` }) })
          response.end(JSON.stringify({ jsonrpc: "2.0", id: message?.id, result }))
          return true
        }
        if (message?.method === "initialize") return answer({ protocolVersion: "2025-11-25", capabilities: { tools: {}, logging: {} }, serverInfo: { name: "x", version: "1" } })
        if (message?.method === "logging/setLevel") {
          levels.push(`${String(headers["mcp-session-id"])} ${String((message.params as { level?: string } | undefined)?.level)}`)
          return answer({})
        }
        if (message?.method !== "tools/call" || headers["mcp-session-id"] !== "s1") return false
        response.writeHead(404).end()
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    await wrapper.setLoggingLevel("error")
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    await until(() => levels.length === 2, "the new session is told")
    expect(levels).toEqual(["s1 error", "s2 error"])
  })

  test("cannot be set where the server offers no logging; nothing is sent", async () => {
    const { wrapper, log } = await connectScripted({ tools: [] })
    expect(await callError(wrapper.setLoggingLevel("debug"))).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "not_started" } })
    expect(log.received("logging/setLevel")).toEqual([])
  })
})
