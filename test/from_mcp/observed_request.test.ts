import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import type { OutgoingRequest, RequestEnd, RequestInstrument } from "../../src/operation.js"
import { connectInMemory } from "../fixtures/servers/in_memory.js"
import { callError, callerOf, connect, connectScripted } from "../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../fixtures/servers/scripted_http.js"

const script = {
  tools: [{ name: "echo", inputSchema: {} }, { name: "fail", inputSchema: {} }],
  calls: { fail: [{ error: { code: -32_602, message: "no" } }] },
}

/** An instrument that writes down what it hears. */
function recording(more: Partial<{ meta: Record<string, unknown> }> = {}) {
  const requests: OutgoingRequest[] = []
  const ids: (string | number)[] = []
  const ends: RequestEnd[] = []
  const instrument: RequestInstrument = {
    onRequest(request) {
      requests.push(request)
      return { ...more, onRequestId: (id) => ids.push(id), onEnd: (end) => ends.push(end) }
    },
  }
  return { instrument, requests, ids, ends }
}

describe("a listener to requests", () => {
  test("hears of a call over stdio: whom it goes to, its id, its result", async () => {
    const { instrument, requests, ids, ends } = recording()
    const { call, log } = await connectScripted(script, { instrument })
    const context = { requestId: "r1" }
    await call("echo", { a: 1 }, context)
    expect(requests).toEqual([
      { method: "tools/call", server: "demo", tool: "echo", operationId: "demo.echo", context, protocolVersion: "2025-11-25", sessionId: undefined, network: { transport: "pipe" } },
    ])
    expect(requests[0]?.context).toBe(context)
    expect(ends).toMatchObject([{ result: { structuredContent: { given: { a: 1 } } } }])
    expect(ids).toEqual(log.messages().flatMap(({ id, method }) => (method === "tools/call" ? [id] : [])))
  })

  test("hears over HTTP the session and the address, and nothing of headers", async () => {
    const { instrument, requests } = recording()
    const server = await scriptedHTTPServer(script, { sessions: true })
    const wrapper = await connect("web", { url: server.url, headers: { authorization: "Bearer very-secret-token" } }, { instrument })
    await callerOf(wrapper)("echo")
    const session = server.requests.find(({ message }) => message?.method === "tools/call")?.headers["mcp-session-id"]
    expect(session).toBeDefined()
    expect(requests).toMatchObject([{ sessionId: session, network: { transport: "tcp", protocol: "http", address: "127.0.0.1", port: Number(new URL(server.url).port) } }])
    expect(JSON.stringify(requests)).not.toContain("very-secret-token")
  })

  test("hears the error of a call that has no result", async () => {
    const { instrument, ends } = recording()
    const { call } = await connectInMemory(script, { instrument })
    const error = await callError(call("fail"))
    expect(ends).toEqual([{ error }])
  })

  test("adds members to _meta, beside those of the call", async () => {
    const { instrument } = recording({ meta: { traceparent: "new", "example.com/x": 1 } })
    const { call, log } = await connectInMemory(script, { instrument })
    await call("echo", { a: 1 }, { traceparent: "old" })
    expect(log.received("tools/call")[0]).toEqual({ name: "echo", arguments: { a: 1 }, _meta: { traceparent: "new", "example.com/x": 1 } })
  })

  test("may answer later, or with nothing", async () => {
    for (const answer of [Promise.resolve(undefined), undefined]) {
      const { call } = await connectInMemory(script, { instrument: { onRequest: () => answer } })
      expect((await call("echo", { a: 1 })).data).toEqual({ given: { a: 1 } })
    }
  })

  test("that fails changes nothing, at any moment", async () => {
    const fault = () => {
      throw new Error("a fault of the listener")
    }
    for (const onRequest of [fault, () => Promise.reject(new Error("later")), () => ({ onRequestId: fault, onEnd: fault })]) {
      const { call } = await connectInMemory(script, { instrument: { onRequest } })
      expect((await call("echo", { a: 1 })).data).toEqual({ given: { a: 1 } })
      expect((await callError(call("fail"))).code).toBe("PROTOCOL_ERROR")
    }
  })

  test("may refuse with a CallError, and nothing is sent", async () => {
    const refusal = new CallError("CONFIGURATION_ERROR", "not set up")
    const { call, log } = await connectInMemory(script, { instrument: { onRequest: () => Promise.reject(refusal) } })
    expect(await callError(call("echo"))).toBe(refusal)
    expect(log.received("tools/call")).toEqual([])
  })
})
