/**
 * HTTP: when the older transport is tried, where headers go, and that callers never share a session.
 */
import { describe, expect, test } from "vitest"
import { createMCPClient, type HeadersContext } from "../../../src/from_mcp.js"
import { CallError } from "../../../src/error.js"
import { callError, callerOf, connect, toolOf } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer, type HTTPRecord } from "../../fixtures/servers/scripted_http.js"
import { until } from "../../fixtures/servers/server_log.js"

const TOOLS = { tools: [{ name: "t" }] }
const GETS = (requests: HTTPRecord[]) => requests.filter(({ method }) => method === "GET").length

// labring/FastGPT#7047, mastra-ai/mastra#10803
describe("the older SSE transport", () => {
  test.each([
    [401, "AUTH_REQUIRED"],
    [403, "AUTH_REQUIRED"],
    [500, "TRANSPORT_ERROR"],
    [502, "TRANSPORT_ERROR"],
    [429, "TRANSPORT_ERROR"],
  ])("is not tried where the first POST is answered by %d: that status is the error", async (status, code) => {
    const server = await scriptedHTTPServer(TOOLS, { intercept: () => ({ status, body: "no" }) })
    const error = await callError(connect("demo", { url: server.url }))
    expect(error.code).toBe(code)
    expect(error.details["status"]).toBe(status)
    expect(error.message).toContain("demo")
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"])
  })

  test.each([400, 404, 405])("is tried where the first POST is answered by %d", async (status) => {
    const server = await scriptedHTTPServer(TOOLS, {
      transport: "sse",
      intercept: ({ method, path }) => (method === "POST" && path === "/mcp" ? { status } : undefined),
    })
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    expect(GETS(server.requests)).toBe(1)
  })

  test("that fails as well tells both causes", async () => {
    const server = await scriptedHTTPServer(TOOLS, { intercept: ({ method }) => ({ status: method === "POST" ? 405 : 418, body: "no" }) })
    const error = await callError(connect("demo", { url: server.url }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    const told = `${error.message} ${JSON.stringify(error.details)}`
    expect(told).toContain("405")
    expect(told).toContain("418")
  })

  test("is not tried where Streamable HTTP is asked for", async () => {
    const server = await scriptedHTTPServer(TOOLS, { transport: "sse", intercept: ({ method }) => (method === "POST" ? { status: 405 } : undefined) })
    expect((await callError(connect("demo", { url: server.url, transport: "http" }))).details["status"]).toBe(405)
    expect(GETS(server.requests)).toBe(0)
  })

  test("is not tried where nothing listens", async () => {
    const error = await callError(connect("demo", { url: "http://127.0.0.1:1/mcp?key=hunter2" }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ outcome: "not_started" })
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain("hunter2")
  })
})

// modelcontextprotocol/typescript-sdk#317, modelcontextprotocol/typescript-sdk#436
describe("headers", () => {
  const headers = { Authorization: "Bearer token-hunter2", "X-Org": "o" }
  const lacking = (requests: HTTPRecord[]) => requests.filter((request) => request.headers["authorization"] !== headers.Authorization || request.headers["x-org"] !== "o")

  test.each(["http", "sse"] as const)("stand on every request over %s", async (transport) => {
    const server = await scriptedHTTPServer(TOOLS, {
      transport,
      sessions: true,
      intercept: (request) => (lacking([request]).length > 0 ? { status: 401 } : undefined),
    })
    const wrapper = await createMCPClient("demo", { url: server.url, transport, headers })
    await callerOf(wrapper)("t", {})
    if (transport === "http") await until(() => GETS(server.requests) === 1, "the stream is asked for")
    await wrapper.close()
    const methods = new Set(server.requests.map(({ method }) => method))
    expect([...methods].sort()).toEqual(transport === "http" ? ["DELETE", "GET", "POST"] : ["GET", "POST"])
    expect(lacking(server.requests)).toEqual([])
  })

  test.each([301, 302, 307, 308])("do not follow a redirect (%d) to another origin", async (status) => {
    const foreign = await scriptedHTTPServer(TOOLS)
    const server = await scriptedHTTPServer(TOOLS, { intercept: () => ({ status, headers: { location: foreign.url } }) })
    await callError(connect("demo", { url: server.url, headers }))
    for (const request of foreign.requests) {
      expect(request.headers["authorization"]).toBeUndefined()
      expect(request.headers["x-org"]).toBeUndefined()
    }
  })

  test("do not go to an endpoint that the SSE stream names on another origin", async () => {
    const foreign = await scriptedHTTPServer(TOOLS)
    const server = await scriptedHTTPServer(TOOLS, { transport: "sse", endpoint: foreign.url })
    await callError(connect("demo", { url: server.url, transport: "sse", headers }, { connectTimeoutMs: 2_000 }))
    for (const request of foreign.requests) expect(request.headers["authorization"]).toBeUndefined()
  })

  test("are told in no error", async () => {
    const server = await scriptedHTTPServer(TOOLS, { intercept: ({ headers: sent }) => ({ status: 500, body: `you sent ${String(sent["authorization"])}` }) })
    const error = await callError(connect("demo", { url: `${server.url}?api_key=hunter2-query`, headers }))
    expect(`${error.message} ${JSON.stringify(error.details)} ${JSON.stringify(error)}`).not.toContain("hunter2")
  })
})

// PrefectHQ/fastmcp#511, CherryHQ/cherry-studio#5240
describe("headers made for each call", () => {
  const identity = (id: string) => ({ id, scopes: [] })
  const forCaller = (context: HeadersContext): Record<string, string> => {
    if (context.purpose === "call" && context.identity === undefined) throw new Error("nobody calls")
    return { Authorization: `Bearer ${context.identity?.id ?? "host"}` }
  }
  const sessionFor = (context: HeadersContext) => context.identity?.id ?? "host"

  test("two callers, fifty calls each at the same time, are never mixed up and never share a session", async () => {
    const server = await scriptedHTTPServer({ tools: [{ name: "t" }], calls: { t: [{ delay: [0, 20] }, { echo: true }] } }, { sessions: true })
    const wrapper = await connect("demo", { url: server.url, headers: forCaller, sessionFor })
    const operation = toolOf(wrapper)
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const who = index % 2 === 0 ? "ann" : "bob"
        const { data } = await operation.handler({ who, index }, { identity: identity(who) })
        expect(data).toEqual({ given: { who, index } })
      }),
    )
    const calls = server.requests.filter(({ message }) => message?.method === "tools/call")
    expect(calls).toHaveLength(100)
    expect(calls.filter(({ headers, message }) => headers["authorization"] !== `Bearer ${String(message?.params?.arguments?.["who"])}`)).toEqual([])
    const sessions = (who: string) => new Set(calls.filter(({ headers }) => headers["authorization"] === `Bearer ${who}`).map(({ headers }) => headers["mcp-session-id"]))
    expect(sessions("ann").size).toBe(1)
    expect(sessions("bob").size).toBe(1)
    expect(sessions("ann")).not.toEqual(sessions("bob"))
  })

  test("a call without the identity that they need is refused before anything of it is sent", async () => {
    const server = await scriptedHTTPServer(TOOLS, { sessions: true })
    const wrapper = await connect("demo", { url: server.url, headers: forCaller, sessionFor })
    const error = await callError(toolOf(wrapper).handler({}))
    expect(error).toBeInstanceOf(CallError)
    expect(error.details["outcome"]).toBe("not_started")
    expect(server.log.calls()).toEqual([])
    expect((await toolOf(wrapper).handler({ a: 1 }, { identity: identity("ann") })).data).toEqual({ given: { a: 1 } })
  })

  test("need sessionFor, and nothing is sent without it", async () => {
    const server = await scriptedHTTPServer(TOOLS)
    const error = await callError(connect("demo", { url: server.url, headers: forCaller }))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.message).toContain("sessionFor")
    expect(server.requests).toEqual([])
  })
})
