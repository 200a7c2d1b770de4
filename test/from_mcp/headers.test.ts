/**
 * Headers made for each request: for whom, in which session, and what happens where the host gives none.
 */
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { createMCPClient, type HeadersContext, type HTTPServerConfig } from "../../src/from_mcp.js"
import { echo, openStream, resultOf, serverByHand, type Received, type Rules } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

const who = (id: string) => ({ identity: { id, scopes: [] } })
const byIdentity = (context: HeadersContext) => ({ Authorization: `Bearer ${context.identity?.id ?? "host"}-token` })
const sessionOfIdentity = (context: HeadersContext) => context.identity?.id ?? "host"
const sender = ({ headers }: Received) => headers.authorization
const call = (received: Received) => received.message?.method === "tools/call"

/** A server with sessions, and a client whose headers follow the caller. */
async function perCaller(rules: Rules = {}, config: Partial<HTTPServerConfig> = {}) {
  const server = await serverByHand({ sessions: true, ...rules })
  const wrapper = await connect("demo", { url: server.url, headers: byIdentity, sessionFor: sessionOfIdentity, ...config })
  return { server, wrapper, call: callerOf(wrapper) }
}

describe("a headers function", () => {
  test("is told the purpose, the server, and for calls the caller, the operation and the metadata", async () => {
    const asked: HeadersContext[] = []
    const server = await serverByHand({ sessions: true })
    const wrapper = await createMCPClient("demo", {
      url: server.url,
      headers: async (context) => {
        asked.push(context)
        return {}
      },
      sessionFor: sessionOfIdentity,
    })
    await until(() => server.requests.some(({ method }) => method === "GET"), "the stream is asked for")
    await callerOf(wrapper)("t", {}, { ...who("ann"), metadata: { tenant: 7 } })
    await until(() => server.requests.filter(({ method }) => method === "GET").length === 2, "the stream of the other session is asked for")
    await wrapper.close()
    expect(asked.every(({ server: name }) => name === "demo")).toBe(true)
    const purposes = (id: string | undefined) => asked.filter(({ identity }) => identity?.id === id).map(({ purpose }) => purpose)
    expect(new Set(purposes(undefined))).toEqual(new Set(["connect", "stream", "list", "close"]))
    expect(new Set(purposes("ann"))).toEqual(new Set(["connect", "stream", "call", "close"]))
    expect(asked.filter(({ purpose }) => purpose === "call")).toEqual(
      expect.arrayContaining([{ purpose: "call", server: "demo", operationId: "demo.t", identity: { id: "ann", scopes: [] }, metadata: { tenant: 7 } }]),
    )
  })

  test("gives each call its own headers, also where callers share a session and call at the same time", async () => {
    const { server, call: callAs } = await perCaller(
      { call: (received) => void setTimeout(() => echo(received), Math.random() * 10) },
      {
        headers: async (context) => {
          // The slower a header is made, the more calls overlap while it is.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
          return byIdentity(context)
        },
        sessionFor: () => "one for all",
      },
    )
    await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const id = ["ann", "bob", "cid"][index % 3] ?? ""
        expect((await callAs("t", { id, index }, who(id))).data).toEqual({ id, index })
      }),
    )
    const calls = server.requests.filter(call)
    expect(calls).toHaveLength(90)
    expect(calls.filter((received) => sender(received) !== `Bearer ${String(received.message?.params?.arguments?.id)}-token`)).toEqual([])
    expect(server.of("initialize")).toHaveLength(1)
    expect(new Set(calls.map(({ headers }) => headers["mcp-session-id"]))).toEqual(new Set(["session-1"]))
  })

  test("opens one session for each key, shared by calls that ask for it at the same time", async () => {
    const { server, wrapper, call: callAs } = await perCaller()
    await Promise.all(["ann", "bob", "ann", "bob", "ann"].map((id) => callAs("t", {}, who(id))))
    const [first, ...others] = server.of("initialize").map(sender)
    // Two connections: which one arrives first is not said.
    expect([first, ...others.sort()]).toEqual(["Bearer host-token", "Bearer ann-token", "Bearer bob-token"])
    const pairs = new Set(server.requests.filter(call).map((received) => `${String(sender(received))} ${String(received.headers["mcp-session-id"])}`))
    expect(pairs.size).toBe(2)
    await wrapper.close()
    const ended = server.requests.filter(({ method }) => method === "DELETE").map((received) => `${String(sender(received))} ${String(received.headers["mcp-session-id"])}`)
    expect(ended).toHaveLength(3)
    expect(ended).toEqual(expect.arrayContaining(["Bearer host-token session-1", ...pairs]))
  })

  test("that throws for a caller ends the call before anything is sent, not even a session is opened", async () => {
    const { server, call: callAs } = await perCaller(
      {},
      {
        headers: (context) => {
          if (context.purpose === "call" && context.identity?.id !== "ann") throw new Error("no token for hunter2-secret")
          return byIdentity(context)
        },
      },
    )
    const before = server.requests.filter(({ method }) => method === "POST").length
    for (const context of [who("bob"), undefined]) {
      const error = await callError(callAs("t", {}, context))
      expect(error).toMatchObject({ code: "AUTH_REQUIRED", details: { server: "demo", operationId: "demo.t", outcome: "not_started" } })
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2")
      expect(error.cause).toMatchObject({ message: "no token for hunter2-secret" })
    }
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(before)
    expect((await callAs("t", { a: 1 }, who("ann"))).data).toEqual({ a: 1 })
  })

  test("may choose the error itself", async () => {
    const refusal = new CallError("ACCESS_DENIED", "not on Sundays")
    const { call: callAs } = await perCaller(
      {},
      {
        headers: (context) => {
          if (context.purpose === "call") throw refusal
          return {}
        },
      },
    )
    expect(await callError(callAs("t", {}, who("ann")))).toBe(refusal)
  })

  test("that throws while connecting ends the connecting, and nothing is sent", async () => {
    const server = await serverByHand()
    const config: HTTPServerConfig = { url: server.url, headers: () => Promise.reject(new Error("vault is sealed")), sessionFor: () => "" }
    expect(await callError(createMCPClient("demo", config))).toMatchObject({ code: "AUTH_REQUIRED", details: { outcome: "not_started" } })
    expect(server.requests).toEqual([])
  })

  test("what it makes is taken out of whatever the server quotes", async () => {
    const { call: callAs } = await perCaller({ call: ({ headers, response }) => void response.writeHead(500).end(`bad token: ${String(headers.authorization).slice(7)}`) })
    const error = await callError(callAs("t", {}, who("hunter2-ann")))
    expect(error.details["body"]).toBe("bad token: ***")
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2")
  })

  test("the end of a call is told with the headers of the call", async () => {
    const abort = new AbortController()
    const { server, call: callAs } = await perCaller({ call: () => undefined }, { sessionFor: () => "one for all" })
    const result = callError(callAs("t", {}, { ...who("ann"), signal: abort.signal }))
    await until(() => server.of("tools/call").length === 1, "the call arrives")
    abort.abort()
    expect(await result).toMatchObject({ code: "ABORTED" })
    await until(() => server.of("notifications/cancelled").length === 1, "the server is told")
    expect(server.of("notifications/cancelled").map(sender)).toEqual(["Bearer ann-token"])
  })

  test("a request of the server inside a call is answered with the headers of the call", async () => {
    let waiting: Received | undefined
    const { server, call: callAs } = await perCaller(
      {
        first: (received) => {
          if (received.message?.id !== "ask-1" || received.message.method !== undefined) return false
          received.response.writeHead(202).end()
          waiting?.response.end(`data: ${JSON.stringify(resultOf(waiting.message, received.message.error?.code))}\n\n`)
          return true
        },
        call: (received) => {
          waiting = received
          openStream(received.response)
          received.response.write(`data: {"jsonrpc":"2.0","id":"ask-1","method":"roots/list"}\n\n`)
        },
      },
      { sessionFor: () => "one for all" },
    )
    expect((await callAs("t", {}, who("ann"))).data).toBe(-32601)
    const answers = server.requests.filter(({ message }) => message?.id === "ask-1")
    expect(answers.map(sender)).toEqual(["Bearer ann-token"])
  })
})

describe("a session of a key", () => {
  test("that could not be opened is tried again by the next call", async () => {
    let refuse = true
    const { server, call: callAs } = await perCaller({
      first: ({ message, headers, response }) => {
        if (!refuse || message?.method !== "initialize" || headers.authorization !== "Bearer ann-token") return false
        response.writeHead(503).end()
        return true
      },
    })
    const errors = await Promise.all([callError(callAs("t", {}, who("ann"))), callError(callAs("t", {}, who("ann")))])
    for (const error of errors) expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 503, outcome: "not_started" } })
    expect(server.of("initialize").map(sender)).toEqual(["Bearer host-token", "Bearer ann-token"])
    refuse = false
    expect((await callAs("t", { a: 1 }, who("ann"))).data).toEqual({ a: 1 })
  })

  test("holds a call no longer than its deadline while it is opened, and serves the next one", async () => {
    let opening: Received | undefined
    const { server, call: callAs } = await perCaller({
      first: (received) => {
        if (received.message?.method !== "initialize" || sender(received) !== "Bearer ann-token") return false
        opening = received
        return true
      },
    })
    expect(await callError(callAs("t", {}, { ...who("ann"), timeoutMs: 1_000 }))).toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    const second = callAs("t", { a: 1 }, who("ann"))
    await until(() => opening !== undefined, "the session is being opened")
    opening?.response.writeHead(200, { "content-type": "application/json" })
    opening?.response.end(JSON.stringify({ jsonrpc: "2.0", id: opening.message?.id, result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } } }))
    expect((await second).data).toEqual({ a: 1 })
    expect(server.of("initialize").filter((received) => sender(received) === "Bearer ann-token")).toHaveLength(1)
  })

  test("that is being opened when the client closes is given up", async () => {
    const { server, wrapper, call: callAs } = await perCaller({
      first: (received) => received.message?.method === "initialize" && sender(received) === "Bearer ann-token",
    })
    const result = callError(callAs("t", {}, who("ann")))
    await until(() => server.of("initialize").length === 2, "the session is being opened")
    await wrapper.close()
    expect((await result).details).toMatchObject({ outcome: "not_started" })
    await until(() => server.of("initialize")[1]?.cut === true, "the request is cut off")
  })

  test("is kept apart also where the headers are the same for all", async () => {
    const { server, call: callAs } = await perCaller({}, { headers: { "X-Org": "o" } })
    await callAs("t", {}, who("ann"))
    await callAs("t", {}, who("bob"))
    const calls = server.requests.filter(call)
    expect(new Set(calls.map(({ headers }) => headers["mcp-session-id"])).size).toBe(2)
    expect(server.requests.every(({ headers }) => headers["x-org"] === "o")).toBe(true)
  })

  test.each([
    ["throws", () => Promise.reject(new Error("who?")) as never, "AUTH_REQUIRED"],
    ["gives no text", () => undefined as never, "CONFIGURATION_ERROR"],
  ])("needs a key: a sessionFor that %s ends the call before anything is sent", async (_name, sessionFor, code) => {
    const { server, call: callAs } = await perCaller({}, { sessionFor: (context) => (context.purpose === "call" ? sessionFor() : "host") })
    expect(await callError(callAs("t", {}, who("ann")))).toMatchObject({ code, details: { outcome: "not_started" } })
    expect(server.requests.filter(call)).toEqual([])
  })
})

describe("headers of a config", () => {
  test("do not displace those of the protocol", async () => {
    const server = await serverByHand({ sessions: true })
    const wrapper = await connect("demo", {
      url: server.url,
      headers: { "Content-Type": "text/plain", accept: "image/png", "Mcp-Session-Id": "mine", "MCP-Protocol-Version": "1", Cookie: "a=b" },
    })
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    const [received] = server.of("tools/call")
    expect(received?.headers).toMatchObject({ "content-type": "application/json", "mcp-session-id": "session-1", cookie: "a=b" })
    expect(received?.headers["accept"]).toContain("text/event-stream")
    expect(received?.headers["mcp-protocol-version"]).not.toBe("1")
  })

  test.each([
    ["value", { "X-Key": "hunter2\nsecret" }],
    ["name", { "X Key": "hunter2-secret" }],
  ])("with a %s that HTTP does not allow are a CONFIGURATION_ERROR that tells no value", async (_what, headers) => {
    const error = await callError(createMCPClient("demo", { url: "http://127.0.0.1:9/", headers }))
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR", details: { header: Object.keys(headers)[0] } })
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.stack)} ${String(error.cause)}`).not.toContain("hunter2")
  })
})
