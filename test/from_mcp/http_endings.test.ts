/**
 * What ends over HTTP, and how: a call that is given up, a stream that breaks off, a session.
 */
import { describe, expect, test } from "vitest"
import { createMCPClient, type MCPWarning } from "../../src/from_mcp.js"
import { echo, openStream, resultOf, serverByHand, withCalls, type PostedMessage } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

describe("a call that is given up", () => {
  const endings: [string, (abort: AbortController) => void, { timeoutMs?: number }, string][] = [
    ["stopped by its caller", (abort) => abort.abort(new Error("private reason")), {}, "ABORTED"],
    ["over its deadline", () => undefined, { timeoutMs: 1_500 }, "TIMEOUT"],
  ]
  for (const when of ["before the server has answered", "in the stream of its answer", "in a stream that could be taken up again"] as const) {
    test.each(endings)(`%s ${when}: the request ends and the server is told`, async (_name, stop, context, code) => {
      const abort = new AbortController()
      const { server, wrapper, call } = await withCalls(({ response }) => {
        if (when !== "before the server has answered") openStream(response)
        if (when === "in a stream that could be taken up again") response.write("id: e1\ndata:\n\n")
      })
      const result = callError(call("t", {}, { signal: abort.signal, ...context }))
      await until(() => server.of("tools/call").length === 1, "the call arrives")
      stop(abort)
      expect(await result).toMatchObject({ code, details: { outcome: "unknown" } })
      await until(() => server.of("tools/call")[0]?.cut === true, "the request is cut off")
      await until(() => server.of("notifications/cancelled").length === 1, "the server is told")
      const [cancelled] = server.of("notifications/cancelled")
      expect(cancelled?.message?.params).toEqual({ requestId: server.of("tools/call")[0]?.message?.id })
      await wrapper.close()
      expect(server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([])
    })
  }

  test("is not sent where the signal was aborted before", async () => {
    const { server, call } = await withCalls(echo)
    expect(await callError(call("t", {}, { signal: AbortSignal.abort() }))).toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
    expect(server.of("tools/call")).toEqual([])
  })
})

describe("a stream that breaks off after an event with an id", () => {
  test("is taken up from that event, once, and the call gets its answer", async () => {
    let id: PostedMessage["id"]
    const server = await serverByHand({
      call: ({ message, response }) => {
        id = message?.id
        openStream(response)
        response.write("retry: 0\nid: e1\ndata:\n\n", () => response.destroy())
      },
      get: ({ headers, response }) => {
        if (headers["last-event-id"] === undefined) return response.writeHead(405).end()
        openStream(response)
        return response.end(`id: e2\ndata: ${JSON.stringify(resultOf({ id }, { late: true }))}\n\n`)
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", {})).data).toEqual({ late: true })
    const resumed = server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined)
    expect(resumed.map(({ headers }) => headers["last-event-id"])).toEqual(["e1"])
    expect(server.of("tools/call")).toHaveLength(1)
  })

  test.each(["given up", "answered", "answered with an error"])("is left alone where its call is %s", async (how) => {
    const abort = new AbortController()
    let second: PostedMessage["id"]
    const server = await serverByHand({
      call: ({ message, response }) => {
        openStream(response)
        if (message?.params?.arguments?.["first"] !== true) {
          second = message?.id
          response.write("retry: 0\nid: second\ndata:\n\n", () => response.destroy())
        } else if (how === "given up") {
          response.write("retry: 0\nid: first\ndata:\n\n")
        } else {
          const answer = how === "answered" ? resultOf(message, 1) : { jsonrpc: "2.0", id: message.id, error: { code: 1, message: "no" } }
          response.write(`retry: 0\nid: first\ndata: ${JSON.stringify(answer)}\n\n`, () => response.destroy())
        }
      },
      get: ({ headers, response }) => {
        if (headers["last-event-id"] === undefined) return response.writeHead(405).end()
        openStream(response)
        return response.end(`data: ${JSON.stringify(resultOf({ id: second }, { late: true }))}\n\n`)
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    const call = callerOf(wrapper)
    const first = call("t", { first: true }, { signal: abort.signal }).catch(() => undefined)
    await until(() => server.of("tools/call").length === 1, "the first call arrives")
    if (how === "given up") abort.abort()
    await first
    // Taken up, the first stream would be asked for before this one: both wait for the same time.
    expect((await call("t", {})).data).toEqual({ late: true })
    expect(server.requests.flatMap(({ headers }) => headers["last-event-id"] ?? [])).toEqual(["second"])
  })

  test("and cannot be taken up ends its call, outcome unknown", async () => {
    const server = await serverByHand({
      call: ({ response }) => {
        openStream(response)
        response.end("retry: 0\nid: e1\ndata:\n\n")
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { tool: "t", kind: "stream", outcome: "unknown" } })
    expect(server.of("tools/call")).toHaveLength(1)
  })
})

describe("closing", () => {
  test.each([200, 204, 405, 404])("ends the session; the server's %d costs nothing", async (status) => {
    const server = await serverByHand({ sessions: true, delete: ({ response }) => void response.writeHead(status).end() })
    const warnings: MCPWarning[] = []
    const wrapper = await createMCPClient("demo", { url: server.url }, { onWarning: (warning) => warnings.push(warning) })
    await wrapper.close()
    const deletes = server.requests.filter(({ method }) => method === "DELETE")
    expect(deletes.map(({ headers }) => headers["mcp-session-id"])).toEqual(["session-1"])
    expect(warnings).toEqual([])
    expect(wrapper.status).toBe("closed")
  })

  test("sends nothing where the server gave no session", async () => {
    const server = await serverByHand()
    const wrapper = await createMCPClient("demo", { url: server.url })
    await wrapper.close()
    expect(server.requests.filter(({ method }) => method === "DELETE")).toEqual([])
  })

  test("does not wait for a server that never answers, and ends the stream", async () => {
    const server = await serverByHand({ sessions: true, get: ({ response }) => openStream(response), delete: () => undefined })
    const wrapper = await createMCPClient("demo", { url: server.url })
    await until(() => server.requests.some(({ method }) => method === "GET"), "the stream is open")
    await wrapper.close()
    await until(() => server.requests.filter(({ method }) => method !== "POST").every(({ cut }) => cut), "nothing is left open")
  })

  test("rejects the calls in flight and cuts them off", async () => {
    const server = await serverByHand({ call: () => undefined })
    const wrapper = await createMCPClient("demo", { url: server.url })
    const result = callError(callerOf(wrapper)("t", {}))
    await until(() => server.of("tools/call").length === 1, "the call arrives")
    await wrapper.close()
    expect(await result).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "unknown" } })
    await until(() => server.of("tools/call")[0]?.cut === true, "it is cut off")
  })

  test("happens to a session whose listing fails", async () => {
    const server = await serverByHand({
      sessions: true,
      first: ({ message, response }) => {
        if (message?.method !== "tools/list") return false
        response.writeHead(500).end()
        return true
      },
    })
    expect(await callError(createMCPClient("demo", { url: server.url }))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 500 } })
    // The stream takes a road of its own: it may have been asked for at any time.
    expect(server.requests.filter(({ method }) => method !== "GET").at(-1)?.method).toBe("DELETE")
  })
})
