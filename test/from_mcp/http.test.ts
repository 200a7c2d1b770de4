/**
 * Streamable HTTP: a real server, the ways to it, and what is said where there is none.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { CallError } from "../../src/error.js"
import { createMCPClient, type MCPClientWrapper, type MCPServerConfig } from "../../src/from_mcp.js"
import { serverByHand, withCalls } from "../fixtures/servers/http_by_hand.js"
import { everythingOverHTTP } from "../fixtures/servers/http_everything.js"
import { openScope } from "../fixtures/servers/scope.js"
import { callError, callerOf, connect } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

describe("a real server over Streamable HTTP", () => {
  const { scope, end } = openScope()
  let everything: MCPClientWrapper
  beforeAll(async () => {
    const { url } = await everythingOverHTTP("streamableHttp", scope)
    everything = await createMCPClient("everything", { url })
    scope(() => everything.close())
  }, 120_000)
  afterAll(end)

  test("lists all its tools", () => {
    expect(everything.tools).toHaveLength(13)
    expect(everything.rejected).toEqual([])
    expect(everything.server.name).toBe("mcp-servers/everything")
    expect(everything.status).toBe("ready")
  })

  test.each([
    ["echo", { message: "hi" }, { isError: false, content: [{ type: "text", text: "Echo: hi" }] }],
    ["get-sum", { a: 2, b: 3 }, { isError: false, content: [{ type: "text", text: "The sum of 2 and 3 is 5." }] }],
    ["get-structured-content", { location: "Chicago" }, { isError: false, structuredContent: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 }, conformance: "exact" }],
    ["get-tiny-image", {}, { isError: false, content: [{ type: "text" }, { type: "image", mimeType: "image/png" }, { type: "text" }] }],
    ["get-resource-links", { count: 2 }, { isError: false, content: [{ type: "text" }, { type: "resource_link" }, { type: "resource_link" }] }],
  ])("answers %s", async (tool, input, meta) => {
    const envelope = await callerOf(everything)(tool, input)
    expect(envelope.meta).toMatchObject({ source: "mcp", server: "everything", tool, ...meta })
  })

  test("reports the progress of a call, all of it before the answer", async () => {
    const steps: number[] = []
    await callerOf(everything)("trigger-long-running-operation", { duration: 0.4, steps: 4 }, { onProgress: ({ progress }) => steps.push(progress) })
    expect(steps).toEqual([1, 2, 3, 4])
  })

  test("answers fifty calls at once, each with its own answer", async () => {
    const call = callerOf(everything)
    const texts = await Promise.all(Array.from({ length: 50 }, async (_, index) => (await call("echo", { message: `m${String(index)}` })).data))
    expect(texts).toEqual(Array.from({ length: 50 }, (_, index) => [{ type: "text", text: `Echo: m${String(index)}` }]))
  })
})

describe("connecting", () => {
  test.each(["not a url", "ftp://127.0.0.1/x", "file:///etc/passwd", ""])("to %j is a CONFIGURATION_ERROR", async (url) => {
    const error = await callError(createMCPClient("demo", { url }))
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR", details: { server: "demo" } })
  })

  test("by a transport that does not exist is a CONFIGURATION_ERROR", async () => {
    const config = { url: "http://127.0.0.1:9/", transport: "ws" } as unknown as MCPServerConfig
    expect(await callError(createMCPClient("demo", config))).toMatchObject({ code: "CONFIGURATION_ERROR", details: { server: "demo" } })
  })

  test("to a silent server ends at its time", async () => {
    const server = await serverByHand({ first: () => true })
    const error = await callError(createMCPClient("demo", { url: server.url }, { connectTimeoutMs: 1_500 }))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    await until(() => server.requests[0]?.cut === true, "the request is cut off")
  })

  test("can be stopped", async () => {
    const server = await serverByHand({ first: () => true })
    const abort = new AbortController()
    const result = callError(createMCPClient("demo", { url: server.url }, { signal: abort.signal }))
    await until(() => server.requests.length === 1, "the first request arrives")
    abort.abort()
    expect(await result).toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
    await until(() => server.requests[0]?.cut === true, "the request is cut off")
  })

  test("to a closed port names the server and the address, without its query", async () => {
    const closed = openScope()
    const server = await serverByHand({}, closed.scope)
    await closed.end()
    const error = await callError(createMCPClient("demo", { url: `${server.url}?key=hunter2-secret` }))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(error.message).toContain(`POST ${server.url} failed`)
    expect(everythingOf(error)).not.toContain("hunter2")
  })

  test("user info of the url is sent as basic authorization, and told in no error", async () => {
    const server = await serverByHand({ call: ({ response }) => void response.writeHead(500).end("ann:hunter2-secret") })
    const wrapper = await connect("demo", { url: server.url.replace("//", "//ann:hunter2%2Dsecret@") })
    const error = await callError(callerOf(wrapper)("t", {}))
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Basic ${Buffer.from("ann:hunter2-secret").toString("base64")}`]))
    expect(error.message).not.toContain("ann")
  })

  test("uses the fetch that the host gives, for every request", async () => {
    const server = await serverByHand({ sessions: true })
    const methods: string[] = []
    const own: typeof fetch = (url, init) => {
      methods.push(init?.method ?? "GET")
      return fetch(url, init)
    }
    const wrapper = await createMCPClient("demo", { url: server.url }, { fetch: own })
    await callerOf(wrapper)("t", {})
    await until(() => server.requests.some(({ method }) => method === "GET"), "the stream is asked for")
    await wrapper.close()
    expect(methods.filter((method) => method === "POST")).toHaveLength(4)
    expect(methods.at(-1)).toBe("DELETE")
    expect(methods).toHaveLength(server.requests.length)
  })
})

describe("redirects", () => {
  test.each([307, 308])("%d within the origin is followed, with message and headers", async (status) => {
    const server = await serverByHand({
      first: ({ path, response }) => {
        if (path !== "/old") return false
        response.writeHead(status, { location: "/mcp" }).end()
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url.replace("/mcp", "/old"), headers: { Authorization: "Bearer token-1234" } })
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer token-1234"]))
  })

  test.each([301, 302, 303])("%d would lose the message, so it is refused and named", async (status) => {
    const server = await serverByHand({
      first: ({ response }) => {
        response.writeHead(status, { location: "/elsewhere?token=hunter2-secret" }).end()
        return true
      },
    })
    const error = await callError(createMCPClient("demo", { url: server.url }))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "redirect", status, outcome: "not_started" } })
    expect(error.message).toContain("/elsewhere")
    expect(everythingOf(error)).not.toContain("hunter2")
    expect(server.requests).toHaveLength(1)
  })

  test("in a circle end", async () => {
    const server = await serverByHand({
      first: ({ response }) => {
        response.writeHead(307, { location: "/mcp" }).end()
        return true
      },
    })
    expect(await callError(createMCPClient("demo", { url: server.url }))).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "redirect" } })
    expect(server.requests.length).toBeLessThanOrEqual(6)
  })
})

describe("an HTTP status in place of an answer", () => {
  test.each([
    [400, "TRANSPORT_ERROR", "failed"],
    [401, "AUTH_REQUIRED", "not_started"],
    [403, "AUTH_REQUIRED", "not_started"],
    [404, "TRANSPORT_ERROR", "failed"],
    [408, "TRANSPORT_ERROR", "unknown"],
    [413, "TRANSPORT_ERROR", "failed"],
    [429, "TRANSPORT_ERROR", "not_started"],
    [500, "TRANSPORT_ERROR", "unknown"],
    [502, "TRANSPORT_ERROR", "unknown"],
    [503, "TRANSPORT_ERROR", "unknown"],
  ])("%d is %s, outcome %s", async (status, code, outcome) => {
    const { call, wrapper } = await withCalls(({ response }) => void response.writeHead(status, { "retry-after": "7" }).end("sorry"))
    const error = await callError(call("t", {}))
    expect(error).toMatchObject({ code, details: { server: "demo", tool: "t", kind: "http", status, retryAfter: "7", body: "sorry", outcome } })
    expect(error.message).toMatch(new RegExp(`^Server "demo", tool "t": the server answered POST http://127\\.0\\.0\\.1:\\d+/mcp with HTTP status ${String(status)}$`))
    expect(wrapper.status).toBe("ready")
  })

  test("is told although its body never ends", async () => {
    const { call } = await withCalls(({ response }) => void response.writeHead(502).write("still "))
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 502, body: "still" } })
  })

  test("404 for a session that the server gave says that the session is gone", async () => {
    const server = await serverByHand({ sessions: true, call: ({ response }) => void response.writeHead(404).end() })
    const wrapper = await connect("demo", { url: server.url })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "session_expired", status: 404, outcome: "not_started" } })
  })

  test.each(["", "Bearer realm=x, "])("401 tells where credentials are to be had (after %j)", async (before) => {
    const challenge = `${before}Bearer error="invalid_token", resource_metadata="https://h.example/.well-known/oauth-protected-resource", scope="a b"`
    const server = await serverByHand({
      first: ({ response }) => {
        response.writeHead(401, { "www-authenticate": challenge }).end()
        return true
      },
    })
    expect(await callError(createMCPClient("demo", { url: server.url }))).toMatchObject({
      code: "AUTH_REQUIRED",
      details: { status: 401, resourceMetadataUrl: "https://h.example/.well-known/oauth-protected-resource", scope: "a b", outcome: "not_started" },
    })
  })

  test("its body is told up to 500 characters, secrets of the config taken out", async () => {
    const server = await serverByHand({
      first: ({ headers, response }) => {
        response.writeHead(500).end(`you sent ${String(headers["authorization"])} ${"y".repeat(1_000_000)}`)
        return true
      },
    })
    const error = await callError(createMCPClient("demo", { url: `${server.url}?key=hunter2-in-query`, headers: { Authorization: "Bearer hunter2-in-header" } }))
    expect(error.details["body"]).toMatch(/^you sent \S*( ?\*\*\*)? y{100}/)
    expect(String(error.details["body"]).length).toBeLessThanOrEqual(500)
    expect(everythingOf(error)).not.toContain("hunter2")
  })
})

function everythingOf(error: CallError): string {
  return `${error.message} ${JSON.stringify(error)} ${String(error.stack)}`
}
