/**
 * The older transport: one stream of events, and a POST for each message.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createMCPClient, type MCPClientOptions, type MCPClientWrapper, type MCPWarning } from "../../src/from_mcp.js"
import { openStream, resultOf, serverByHand, type PostedMessage, type Received, type Rules, type ServerByHand } from "../fixtures/servers/http_by_hand.js"
import { everythingOverHTTP } from "../fixtures/servers/http_everything.js"
import { openScope } from "../fixtures/servers/scope.js"
import { callError, callerOf, connect } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

describe("a real server over SSE", () => {
  const { scope, end } = openScope()
  let url: string
  let everything: MCPClientWrapper
  beforeAll(async () => {
    ;({ url } = await everythingOverHTTP("sse", scope))
    everything = await createMCPClient("everything", { url, transport: "sse" })
    scope(() => everything.close())
  }, 120_000)
  afterAll(end)

  test("lists all its tools and answers calls", async () => {
    expect(everything.tools).toHaveLength(13)
    const call = callerOf(everything)
    expect((await call("get-sum", { a: 2, b: 3 })).data).toEqual([{ type: "text", text: "The sum of 2 and 3 is 5." }])
    expect((await call("get-structured-content", { location: "Chicago" })).data).toEqual({ temperature: 36, conditions: "Light rain / drizzle", humidity: 82 })
    expect((await call("get-sum", { a: 2, b: 3 })).meta).toMatchObject({ source: "mcp", isError: false })
  })

  test("is found by the fall-back where no transport is said", async () => {
    const wrapper = await connect("found", { url })
    expect((await callerOf(wrapper)("echo", { message: "hi" })).data).toEqual([{ type: "text", text: "Echo: hi" }])
  })
})

/** A server of the older transport whose answers the test writes into the one stream. */
async function older(answer: (message: PostedMessage, stream: Received["response"], received: Received) => void, options?: MCPClientOptions, rules: Rules = {}) {
  let stream: Received["response"] | undefined
  const server = await serverByHand({
    get: ({ response }) => {
      stream = response
      openStream(response)
      response.write("event: endpoint\ndata: /messages?session=1\n\n")
    },
    ...rules,
    first: (received) => {
      if (rules.first?.(received) === true) return true
      const { message, response } = received
      if (message === undefined || stream === undefined) return false
      response.writeHead(202).end()
      if (message.method === "tools/call") answer(message, stream, received)
      else if (message.id !== undefined) stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: handshakeOf(message) })}\n\n`)
      return true
    },
  })
  const wrapper = await connect("demo", { url: server.url, transport: "sse" }, options)
  return { server, wrapper, call: callerOf(wrapper), stream: () => stream }
}

function handshakeOf(message: PostedMessage): unknown {
  if (message.method === "tools/list") return { tools: [{ name: "t", inputSchema: { type: "object" } }] }
  return { protocolVersion: message.params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "older", version: "1" } }
}

const echoInto = (message: PostedMessage, stream: Received["response"]) => void stream.write(`event: message\ndata: ${JSON.stringify(resultOf(message, message.params?.arguments))}\n\n`)
const gets = (server: ServerByHand) => server.requests.filter(({ method }) => method === "GET")

describe("the older transport", () => {
  test("posts to the endpoint that the stream names, and matches answers that come in another order", async () => {
    const held: [PostedMessage, Received["response"]][] = []
    const { server, call } = await older((message, stream) => {
      held.push([message, stream])
      if (held.length === 10) for (const [one, into] of held.reverse()) echoInto(one, into)
    })
    const results = await Promise.all(Array.from({ length: 10 }, async (_, index) => (await call("t", { index })).data))
    expect(results).toEqual(Array.from({ length: 10 }, (_, index) => ({ index })))
    expect(new Set(server.of("tools/call").map(({ path }) => path))).toEqual(new Set(["/messages?session=1"]))
  })

  test.each([
    ["result: null", '{"jsonrpc":"2.0","id":ID,"result":null}'],
    ["error: a text", '{"jsonrpc":"2.0","id":ID,"error":"boom"}'],
  ])("a malformed answer (%s) ends its call at once", async (_name, answer) => {
    const { call } = await older((message, stream) => void stream.write(`data: ${answer.replace("ID", String(message.id))}\n\n`))
    expect(await callError(call("t", {}))).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
  })

  test.each([
    ["in front of the result", (message: PostedMessage) => JSON.stringify(resultOf(message, "x".repeat(200_000)))],
    ["behind the result", (message: PostedMessage) => JSON.stringify({ result: { structuredContent: { id: 99, deep: [{ id: 98 }], text: `"id":97 \\" ${"x".repeat(200_000)}` } }, jsonrpc: "2.0", id: message.id })],
  ])("an answer above maxResultBytes, its id %s, ends its call only", async (_where, large) => {
    const { wrapper, call } = await older((message, stream) => (message.params?.arguments?.large === true ? void stream.write(`data: ${large(message)}\n\n`) : echoInto(message, stream)), {
      maxResultBytes: 100_000,
    })
    const [error, other] = await Promise.all([callError(call("t", { large: true })), call("t", { a: 1 })])
    expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { tool: "t", limit: 100_000, outcome: "unknown" } })
    expect(other.data).toEqual({ a: 1 })
    expect((await call("t", { a: 2 })).data).toEqual({ a: 2 })
    expect(wrapper.status).toBe("ready")
  })

  test("a large message that answers nobody is dropped with a warning", async () => {
    const warnings: MCPWarning[] = []
    const { call } = await older(
      (message, stream) => {
        stream.write(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"id":${String(message.id)},"data":"${"x".repeat(200_000)}"}}\n\n`)
        echoInto(message, stream)
      },
      { maxResultBytes: 100_000, onWarning: (warning) => warnings.push(warning) },
    )
    expect((await call("t", { a: 1 })).data).toEqual({ a: 1 })
    expect(warnings).toMatchObject([{ message: expect.stringContaining("100000 bytes") }])
  })

  test("the end of its stream ends the connection: calls in flight have the outcome unknown, later ones were not started", async () => {
    const { server, wrapper, call } = await older((_message, stream) => void stream.end(), { reconnect: false })
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    expect(wrapper.status).toBe("failed")
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(gets(server)).toHaveLength(1)
  })

  test("a POST that is refused ends its call with that status", async () => {
    const { call } = await older(echoInto, undefined, {
      first: ({ message, response }) => {
        if (message?.method !== "tools/call") return false
        response.writeHead(413).end("too much")
        return true
      },
    })
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { tool: "t", status: 413, body: "too much", outcome: "failed" } })
  })

  test("closing ends the stream", async () => {
    const { server, wrapper } = await older(echoInto)
    await wrapper.close()
    await until(() => gets(server)[0]?.cut === true, "the stream is closed")
  })
})

describe("connecting by the older transport", () => {
  test.each([
    [401, "AUTH_REQUIRED"],
    [404, "TRANSPORT_ERROR"],
    [500, "TRANSPORT_ERROR"],
  ])("where the stream is refused with %d is %s, and not tried again", async (status, code) => {
    const server = await serverByHand({ get: ({ response }) => void response.writeHead(status).end() })
    expect(await callError(createMCPClient("demo", { url: server.url, transport: "sse" }))).toMatchObject({ code, details: { status, outcome: "not_started" } })
    expect(server.requests).toHaveLength(1)
  })

  test("where GET answers a document is a PROTOCOL_ERROR", async () => {
    const server = await serverByHand({ get: ({ response }) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>hello") })
    expect(await callError(createMCPClient("demo", { url: server.url, transport: "sse" }))).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "not_started" } })
  })

  test("where the stream names no endpoint ends at its time", async () => {
    const server = await serverByHand({ get: ({ response }) => openStream(response) })
    const error = await callError(createMCPClient("demo", { url: server.url, transport: "sse" }, { connectTimeoutMs: 1_500 }))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    await until(() => gets(server)[0]?.cut === true, "the stream is closed")
  })

  test.each(["http://localhost:9/x?token=hunter2", "https://127.0.0.1/x", "//elsewhere.example/x"])("where the stream names an endpoint elsewhere (%s) sends nothing there", async (endpoint) => {
    const server = await serverByHand({
      get: ({ response }) => {
        openStream(response)
        response.write(`event: endpoint\ndata: ${endpoint}\n\n`)
      },
    })
    const asked: string[] = []
    const own: typeof fetch = (url, init) => {
      asked.push(new URL(url instanceof Request ? url.url : url).origin)
      return fetch(url, init)
    }
    const error = await callError(createMCPClient("demo", { url: server.url, transport: "sse", headers: { Authorization: "Bearer t" } }, { fetch: own }))
    expect(error).toMatchObject({ code: "PROTOCOL_ERROR", details: { kind: "endpoint" } })
    expect(error.message).toContain("not on its own origin")
    expect(error.message).not.toContain("hunter2")
    expect(asked).toEqual([new URL(server.url).origin])
  })
})
