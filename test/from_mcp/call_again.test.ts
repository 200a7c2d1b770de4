/**
 * Which calls are sent a second time, and which never are. What counts is how often a call reached the server.
 */
import { describe, expect, test } from "vitest"
import type { MCPClientOptions } from "../../src/from_mcp.js"
import { echo, resultOf, serverByHand, type Received } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect, connectScripted } from "../fixtures/servers/scripted.js"

const QUICK: MCPClientOptions = { reconnect: { attempts: 5, firstDelayMs: 5, maxDelayMs: 20 }, breaker: false }

/** A server whose tool `t` has these hints, and whose n-th call is handled by the n-th function, further ones echoed. */
async function serverOf(handlers: ((request: Received) => void)[], options: MCPClientOptions = {}, annotations: object = {}) {
  let calls = 0
  const server = await serverByHand({
    call: (request) => (handlers[calls++] ?? echo)(request),
    first: ({ message, response }) => {
      if (message?.method !== "tools/list") return false
      const result = { tools: [{ name: "t", inputSchema: { type: "object" }, annotations }] }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
      return true
    },
  })
  const wrapper = await connect("demo", { url: server.url }, { ...QUICK, ...options })
  return { server, wrapper, call: callerOf(wrapper), sent: () => server.of("tools/call").length, sessions: () => server.of("initialize").length }
}

/** The tool ran, and the connection broke before its answer. */
const cut = ({ response }: Received) => void response.destroy()
const status =
  (code: number, headers: Record<string, string> = {}) =>
  ({ response }: Received) =>
    void response.writeHead(code, headers).end()

describe("a call that may have run", () => {
  test.each<[string, MCPClientOptions, object]>([
    ["by default", {}, { readOnlyHint: true, idempotentHint: true }],
    ["of a server that is not trusted", { retry: { hints: true } }, { readOnlyHint: true, idempotentHint: true }],
    ["of a trusted server that says nothing of it", { retry: { hints: true }, trusted: true }, {}],
    ["where the hint is no boolean", { retry: { hints: true }, trusted: true }, { readOnlyHint: "true" }],
    ["of a trusted server where nobody asked for it", { trusted: true }, { readOnlyHint: true }],
    ["of an operation that is not among those named", { retry: { operations: ["demo.u", "t"] } }, {}],
    ["with a status that is not among those named", { retry: { statuses: [503] } }, {}],
  ])("is not sent again %s", async (_name, options, annotations) => {
    const { call, sent, sessions } = await serverOf([cut], options, annotations)
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    expect([sent(), sessions()]).toEqual([1, 1])
    expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
  })

  test.each<[string, MCPClientOptions, object]>([
    ["a tool that only reads, of a trusted server", { retry: { hints: true }, trusted: true }, { readOnlyHint: true }],
    ["a tool that may be repeated, of a trusted server", { retry: { hints: true }, trusted: true }, { idempotentHint: true }],
    ["an operation that was named", { retry: { operations: ["demo.t"] } }, {}],
  ])("is sent again where the host allows it: %s", async (_name, options, annotations) => {
    for (const failure of [cut, status(500), status(503)]) {
      const { call, sent } = await serverOf([failure], options, annotations)
      expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
      expect(sent()).toBe(2)
    }
  })

  test("is sent again so many times and no more", async () => {
    const { call, sent } = await serverOf([cut, cut, cut, cut, cut, cut], { retry: { operations: ["demo.t"] } })
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    expect(sent()).toBe(4)
  })

  test("stays one that may have run, whatever becomes of it the second time", async () => {
    const { call } = await serverOf([cut, status(429)], { retry: { operations: ["demo.t"] } })
    expect(await callError(call("t", {}))).toMatchObject({ details: { status: 429, outcome: "unknown" } })
  })

  test("is sent to the new process where the host allows it", async () => {
    const { call, log } = await connectScripted({ tools: [{ name: "t" }], calls: { t: [{ ran: true }, { exit: 1 }] } }, { ...QUICK, retry: { operations: ["demo.t"] } })
    expect(await callError(call("t", {}))).toMatchObject({ details: { kind: "exit", outcome: "unknown" } })
    expect(log.ran("t")).toBe(4)
    expect(new Set(log.starts()).size).toBeGreaterThanOrEqual(4)
  })
})

describe("a status of which the host says that nothing was started", () => {
  const options: MCPClientOptions = { retry: { statuses: [503] } }

  test("lets the call be sent again, after the time that the server asked for", async () => {
    const { call, sent } = await serverOf([status(503, { "retry-after": "0" }), status(503)], options)
    expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
    expect(sent()).toBe(3)
  })

  test("is the end, as not started, where that time lies behind the deadline", async () => {
    const { call, sent } = await serverOf([status(503, { "retry-after": "60" })], options)
    expect(await callError(call("t", {}, { timeoutMs: 40_000 }))).toMatchObject({ details: { status: 503, retryAfterMs: 60_000, outcome: "not_started" } })
    expect(sent()).toBe(1)
  })

  test("and a status of which nobody says so leaves it unknown", async () => {
    const { call, sent } = await serverOf([status(503)])
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 503, outcome: "unknown" } })
    expect(sent()).toBe(1)
  })
})

describe("an answer is an answer: nothing is sent again and nothing is connected again", () => {
  test.each<[string, unknown]>([
    ["a tool that failed", { result: { isError: true, content: [] } }],
    ["an error answer", { error: { code: -32602, message: "bad params" } }],
    ["an internal error", { error: { code: -32603, message: "oops" } }],
    ["an answer that nobody can read", { result: 5 }],
  ])("%s", async (_name, answer) => {
    const say = ({ message, response }: Received) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message?.id, ...(answer as object) }))
    const { call, sent, sessions, wrapper } = await serverOf([say, say, say, say, say, say], { retry: { operations: ["demo.t"], hints: true }, trusted: true, breaker: { failures: 1 } })
    for (let time = 0; time < 5; time++) await call("t", {}).catch(() => undefined)
    expect([sent(), sessions(), wrapper.status]).toEqual([5, 1, "ready"])
  })

  test("a result above the limit is refused by name, and the connection goes on", async () => {
    const large = ({ message, response }: Received) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(resultOf(message, "x".repeat(100_000))))
    const { call, sent, sessions } = await serverOf([large], { maxResultBytes: 50_000, retry: { operations: ["demo.t"] } })
    expect(await callError(call("t", {}))).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { limit: 50_000, outcome: "unknown" } })
    expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
    expect([sent(), sessions()]).toEqual([2, 1])
  })
})

describe("429", () => {
  test("refuses the call unstarted, once; later calls keep the rest that the server asked for", async () => {
    const { call, sent } = await serverOf([status(429, { "retry-after": "3" })])
    const since = performance.now()
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 429, retryAfterMs: 3_000, outcome: "not_started" } })
    const hasty = await callError(call("t", {}, { timeoutMs: 200 }))
    expect(hasty).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "http", status: 429, outcome: "not_started" } })
    expect(hasty.details["retryAfterMs"]).toBeGreaterThan(0)
    expect(sent()).toBe(1)
    const patient = [1, 2, 3].map((n) => call("t", { n }))
    const abort = new AbortController()
    const stopped = callError(call("t", {}, { signal: abort.signal }))
    abort.abort()
    expect(await stopped).toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
    expect((await Promise.all(patient)).map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(performance.now() - since).toBeGreaterThanOrEqual(2_998)
    expect(sent()).toBe(4)
  })

  test("with a date says the same", async () => {
    const { call } = await serverOf([status(429, { "retry-after": new Date(Date.now() + 90_000).toUTCString() })])
    const { details } = await callError(call("t", {}))
    expect(details["retryAfterMs"]).toBeGreaterThan(80_000)
    expect(details["retryAfterMs"]).toBeLessThanOrEqual(90_000)
  })

  test("during which the client is closed ends the waiting", async () => {
    const { call, wrapper } = await serverOf([status(429, { "retry-after": "30" })])
    await callError(call("t", {}))
    const waiting = callError(call("t", {}))
    await wrapper.close()
    expect(await waiting).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
  })
})
