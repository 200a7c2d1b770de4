/**
 * A connection that is lost and comes back: what callers, listeners and the server see of it.
 */
import { describe, expect, test } from "vitest"
import type { CallError } from "../../src/error.js"
import { createMCPClient, type MCPClientOptions, type MCPClientWrapper, type ToolsChange } from "../../src/from_mcp.js"
import { pendingDeadlines } from "../../src/operation.js"
import { echo, openStream, resultOf, serverByHand, type Received, type Rules } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect, connectScripted, toolOf } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"

const QUICK: MCPClientOptions = { reconnect: { attempts: 5, firstDelayMs: 10, maxDelayMs: 50 } }
const OBJECT = { inputSchema: { type: "object" } }

function statusesOf(wrapper: MCPClientWrapper): string[] {
  const names: string[] = []
  wrapper.onStatusChange(({ status }) => names.push(status))
  return names
}

describe("a process that dies", () => {
  test("is started again by itself; its calls end as unknown, later ones wait and run in the new process", async () => {
    const { wrapper, log, call } = await connectScripted({ tools: [{ name: "t" }, { name: "die" }], calls: { die: [{ ran: true }, { exit: 3 }] } }, QUICK)
    const statuses = statusesOf(wrapper)
    expect(wrapper.statusDetail).toMatchObject({ status: "ready" })
    const error = await callError(call("die", {}))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "exit", exitCode: 3, outcome: "unknown" } })
    expect(wrapper.statusDetail).toMatchObject({ status: "reconnecting", reason: { details: { exitCode: 3 } } })
    const answers = await Promise.all([call("t", { n: 1 }), call("t", { n: 2 })])
    expect(answers.map(({ data }) => data)).toEqual([{ given: { n: 1 } }, { given: { n: 2 } }])
    expect(statuses).toEqual(["reconnecting", "ready"])
    expect([log.ran("die"), log.starts().length]).toEqual([1, 2])
    expect(isAlive(log.starts()[0] ?? 0)).toBe(false)
  })

  test("a call that is waiting for it ends at its deadline, as not started", async () => {
    const { call, log } = await connectScripted({ tools: [{ name: "t" }, { name: "die" }], calls: { die: [{ exit: 3 }] } }, { reconnect: { firstDelayMs: 1e12, maxDelayMs: 1e12 } })
    await callError(call("die", {}))
    const error = await callError(call("t", {}, { timeoutMs: 50 }))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    const abort = new AbortController()
    const stopped = callError(call("t", {}, { signal: abort.signal }))
    abort.abort()
    expect(await stopped).toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
    expect(log.calls("t")).toEqual([])
  })

  test("closing while it is started again leaves no process, no timer and no call behind", async () => {
    const { wrapper, log, call } = await connectScripted({ tools: [{ name: "t" }, { name: "die" }], calls: { die: [{ exit: 3 }] }, initialize: [[{ result: GREETING }], [{ hang: true }]] }, QUICK)
    await callError(call("die", {}))
    const waiting = callError(call("t", {}))
    await wrapper.close()
    expect(await waiting).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
    await until(() => !log.pids().some(isAlive), "no process is left")
    expect([wrapper.status, pendingDeadlines()]).toEqual(["closed", 0])
    expect(await callError(toolOf(wrapper, "t").handler({}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
  })

  test("and leaves another one behind is started again when that one is gone, too", async () => {
    const { call, log } = await connectScripted({ tools: [{ name: "t" }, { name: "die" }], calls: { die: [{ child: true }, { exit: 1 }] } }, QUICK)
    await callError(call("die", {}))
    await call("t", {})
    const [first = 0, child = 0, second = 0] = log.pids()
    // What was killed is a zombie until somebody takes it away.
    await until(() => ![first, child].some(isAlive), "both of the old ones are gone")
    expect(isAlive(second)).toBe(true)
  })

  test("list_changed of the new process is followed, too", async () => {
    const { wrapper, call } = await connectScripted(
      {
        listings: [[{ tools: [{ name: "die" }, { name: "change" }] }], [{ tools: [{ name: "die" }, { name: "change" }, { name: "more" }] }]],
        calls: { die: [{ exit: 1 }], change: [{ notify: "notifications/tools/list_changed" }, { echo: true }] },
      },
      QUICK,
    )
    await callError(call("die", {}))
    await call("change", {})
    await until(() => wrapper.getTool("more") !== undefined, "the new tool is listed")
  })

  test("twice as many times as attempts are allowed, but answers calls in between, is started each time", async () => {
    const { call, log } = await connectScripted({ tools: [{ name: "t" }, { name: "die" }], calls: { die: [{ exit: 1 }] } }, { ...QUICK, breaker: false, reconnect: { attempts: 2, firstDelayMs: 1, maxDelayMs: 5 } })
    for (let time = 0; time < 4; time++) {
      await callError(call("die", {}))
      expect((await call("t", { time })).data).toEqual({ given: { time } })
    }
    expect(log.starts()).toHaveLength(5)
  })
})

const GREETING = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "scripted", version: "1" } }

/** A server by hand that can forget its sessions: each request of a forgotten one is answered by 404. */
async function forgetful(rules: Rules = {}, forgets: (request: Received) => boolean = () => false) {
  const known = new Set<string>()
  let issued = 0
  const server = await serverByHand({
    ...rules,
    first: (request) => {
      const session = request.headers["mcp-session-id"]
      if (request.message?.method === "initialize") {
        const id = `session-${String(++issued)}`
        known.add(id)
        request.response.writeHead(200, { "content-type": "application/json", "mcp-session-id": id })
        request.response.end(JSON.stringify({ jsonrpc: "2.0", id: request.message.id, result: { ...GREETING, serverInfo: { name: "by-hand", version: String(issued) } } }))
        return true
      }
      if (forgets(request) || !known.has(String(session))) {
        request.response.writeHead(404).end()
        return true
      }
      return rules.first?.(request) ?? false
    },
  })
  return { server, forget: () => known.clear(), initializes: () => server.of("initialize") }
}

describe("a session that the server has forgotten", () => {
  test("is renewed once for calls side by side, and each of them runs once", async () => {
    const { server, forget, initializes } = await forgetful()
    const wrapper = await connect("demo", { url: server.url })
    const call = callerOf(wrapper)
    await call("t", { n: 0 })
    expect(wrapper.server.version).toBe("1")
    forget()
    const ran = server.of("tools/call").length
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => call("t", { n })))
    expect(answers.map(({ data }) => data)).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })))
    expect(initializes().map(({ headers }) => headers["mcp-session-id"])).toEqual([undefined, undefined])
    const later = server.of("tools/call").slice(ran)
    expect(later.filter(({ headers }) => headers["mcp-session-id"] === "session-2")).toHaveLength(5)
    expect([wrapper.server.version, wrapper.status, wrapper.tools[0]?.version]).toEqual(["2", "ready", "2"])
  })

  test("and whose successor is forgotten at once ends the call with one error, without a loop", async () => {
    const { server, initializes } = await forgetful({}, ({ message }) => message?.method === "tools/call")
    const wrapper = await connect("demo", { url: server.url })
    const error = await callError(callerOf(wrapper)("t", {}))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "session_expired", outcome: "not_started" } })
    expect(initializes()).toHaveLength(2)
  })

  test("is renewed for a listing and for a ping as well", async () => {
    const { server, forget, initializes } = await forgetful()
    const wrapper = await connect("demo", { url: server.url })
    forget()
    await wrapper.refresh()
    forget()
    await wrapper.ping()
    expect(initializes()).toHaveLength(3)
  })

  test("is renewed for its own callers only, where callers have sessions of their own", async () => {
    const { server, forget, initializes } = await forgetful()
    const wrapper = await connect("demo", { url: server.url, headers: () => ({}), sessionFor: ({ identity }) => identity?.id ?? "main" })
    const call = callerOf(wrapper)
    const a = { identity: { id: "a", scopes: [] } }
    await call("t", { n: 1 }, a)
    forget()
    expect((await call("t", { n: 2 }, a)).data).toEqual({ n: 2 })
    // The main one, that of a, and the one that took its place.
    expect(initializes()).toHaveLength(3)
    expect(wrapper.status).toBe("ready")
  })

  test("calls that are under way in the old session get their answers, then the old one is closed", async () => {
    let held: Received | undefined
    const { server, forget } = await forgetful({ call: (request) => (request.message?.params?.arguments?.["hold"] === true ? void (held = request) : echo(request)) })
    const wrapper = await connect("demo", { url: server.url })
    const call = callerOf(wrapper)
    const waiting = call("t", { hold: true })
    await until(() => held !== undefined, "the call arrives")
    forget()
    expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
    held?.response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(resultOf(held.message, "late")))
    expect((await waiting).data).toBe("late")
    await until(() => server.requests.some(({ method, headers }) => method === "DELETE" && headers["mcp-session-id"] === "session-1"), "the old session is ended")
  })

  test("404 about anything else is an answer like any other: nothing is renewed", async () => {
    const server = await serverByHand({ call: ({ response }) => void response.writeHead(404).end() })
    const wrapper = await connect("demo", { url: server.url })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ details: { kind: "http", status: 404, outcome: "failed" } })
    expect(server.of("initialize")).toHaveLength(1)
  })
})

describe("a server over HTTP that is down for a while", () => {
  const down = () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }))

  test("calls wait for it, go out once in the same session and are answered; the tools are listed again", async () => {
    let refusals = 0
    let listed = [{ name: "t", ...OBJECT }, { name: "old", ...OBJECT }]
    const server = await serverByHand({
      first: ({ message, response }) => {
        if (message?.method !== "tools/list") return false
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools: listed } }))
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url }, { ...QUICK, fetch: (url, init) => (refusals-- > 0 ? down() : fetch(url, init)) })
    const changes: ToolsChange[] = []
    wrapper.onToolsChange((change) => changes.push(change))
    const old = toolOf(wrapper, "old")
    listed = [{ name: "t", ...OBJECT, description: "new" } as (typeof listed)[number], { name: "fresh", ...OBJECT }]
    refusals = 3
    const [answer, gone] = await Promise.all([callerOf(wrapper)("t", { n: 1 }), callError(old.handler({}))])
    expect(answer.data).toEqual({ n: 1 })
    expect(gone).toMatchObject({ code: "OPERATION_NOT_FOUND" })
    expect([server.of("tools/call").length, server.of("initialize").length]).toEqual([1, 1])
    expect(changes).toEqual([{ added: ["demo.fresh"], removed: ["demo.old"], changed: ["demo.t"] }])
  })

  test.each([
    ["write", "ECONNRESET", "goes out once more: the end of the message was never sent", 1],
    ["write", "EPIPE", "goes out once more: the end of the message was never sent", 1],
    ["read", "ECONNRESET", "is not sent again: it may have run", 0],
  ])("a call that meets a kept connection which has died (%s %s) %s", async (syscall, code, _what, answers) => {
    let isDead = false
    const server = await serverByHand()
    const wrapper = await connect("demo", { url: server.url }, {
      ...QUICK,
      fetch: (url, init) => {
        if (!isDead) return fetch(url, init)
        isDead = false
        return Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) }))
      },
    })
    isDead = true
    const answer = await callerOf(wrapper)("t", {}).then(
      () => "answered",
      ({ details }: CallError) => details["outcome"],
    )
    expect([answer, server.of("tools/call").length]).toEqual([answers === 1 ? "answered" : "unknown", answers])
  })

  test("and comes back without its sessions gets a new one", async () => {
    let refusals = 0
    const { server, forget, initializes } = await forgetful()
    const wrapper = await connect("demo", { url: server.url }, { ...QUICK, fetch: (url, init) => (refusals-- > 0 ? down() : fetch(url, init)) })
    refusals = 2
    forget()
    expect((await callerOf(wrapper)("t", { n: 1 })).data).toEqual({ n: 1 })
    expect([server.of("tools/call").length, initializes().length, wrapper.server.version]).toEqual([1, 2, "2"])
    await until(() => server.requests.some(({ method, headers }) => method === "DELETE" && headers["mcp-session-id"] === "session-1"), "the old session is ended")
  })

  test("costs callers with sessions of their own no session", async () => {
    let refusals = 0
    const { server, initializes } = await forgetful()
    const options = { ...QUICK, fetch: (url: Parameters<typeof fetch>[0], init?: RequestInit) => (refusals-- > 0 ? down() : fetch(url, init)) }
    const wrapper = await connect("demo", { url: server.url, headers: () => ({}), sessionFor: ({ identity }) => identity?.id ?? "main" }, options)
    const a = { identity: { id: "a", scopes: [] } }
    await callerOf(wrapper)("t", {}, a)
    refusals = 2
    expect((await callerOf(wrapper)("t", { n: 1 }, a)).data).toEqual({ n: 1 })
    expect(initializes()).toHaveLength(2)
  })

  test("and does not come back fails the call as not started, and the client is usable as soon as it is up", async () => {
    let isDown = false
    const server = await serverByHand()
    const wrapper = await connect("demo", { url: server.url }, { reconnect: { attempts: 2, firstDelayMs: 1, maxDelayMs: 2 }, fetch: (url, init) => (isDown ? down() : fetch(url, init)) })
    const statuses = statusesOf(wrapper)
    isDown = true
    const error = await callError(callerOf(wrapper)("t", {}))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { systemCode: "ECONNREFUSED", outcome: "not_started" } })
    expect(wrapper.status).toBe("failed")
    isDown = false
    expect((await callerOf(wrapper)("t", { n: 1 })).data).toEqual({ n: 1 })
    expect(statuses).toEqual(["reconnecting", "failed", "connecting", "ready"])
  })
})

describe("the stream that belongs to no request", () => {
  /** A server whose n-th GET is answered by the n-th function, further ones by a stream that stays. */
  async function streaming(gets: ((request: Received) => void)[]) {
    let listed = 0
    let opened = 0
    const streams: Received[] = []
    const stay = (request: Received) => {
      streams.push(request)
      openStream(request.response)
      request.response.write(": here\n\n")
    }
    const { server, initializes } = await forgetful({
      get: (request) => (gets[opened++] ?? stay)(request),
      first: ({ message, response }) => {
        if (message?.method !== "tools/list") return false
        const tools = Array.from({ length: ++listed }, (_, index) => ({ name: `t${index + 1}`, ...OBJECT }))
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools } }))
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url }, QUICK)
    return { server, wrapper, initializes, streams }
  }
  const brief = ({ response }: Received) => {
    openStream(response)
    response.end("retry: 500\n\n")
  }
  const refuse =
    (status: number) =>
    ({ response }: Received) =>
      void response.writeHead(status).end()

  test("and whose session is gone when it is taken up again leads to a new session, without any call", async () => {
    const { wrapper, initializes, streams } = await streaming([brief, refuse(404)])
    await until(() => wrapper.getTool("t2") !== undefined, "the tools are listed in a new session")
    await until(() => streams.length === 1, "it is open in the new session")
    expect(initializes()).toHaveLength(2)
    expect(wrapper.status).toBe("ready")
  })

  test("but was refused from the beginning is not needed", async () => {
    const { wrapper, initializes, server } = await streaming([refuse(404), refuse(404), refuse(404)])
    await until(() => server.requests.some(({ method }) => method === "GET"), "the stream is asked for")
    expect((await callerOf(wrapper)("t1", { n: 1 })).data).toEqual({ n: 1 })
    expect([initializes().length, server.requests.filter(({ method }) => method === "GET").length, wrapper.status]).toEqual([1, 1, "ready"])
  })
})

describe("the one stream of the older transport", () => {
  test("is opened again when it ends, twenty times, and one is open at the end", async () => {
    const streams: Received[] = []
    const server = await serverByHand({
      get: (request) => {
        streams.push(request)
        openStream(request.response)
        request.response.write("event: endpoint\ndata: /messages\n\n")
      },
      first: ({ message, method, response }) => {
        if (method !== "POST") return false
        response.writeHead(202).end()
        if (message?.id === undefined) return true
        const result = message.method === "initialize" ? GREETING : message.method === "tools/list" ? { tools: [{ name: "t", ...OBJECT }] } : { content: [], structuredContent: message.params?.arguments }
        streams.at(-1)?.response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`)
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url, transport: "sse" }, QUICK)
    for (let time = 1; time <= 20; time++) {
      streams.at(-1)?.response.end()
      await until(() => streams.length === time + 1, "the stream is opened again")
      expect((await callerOf(wrapper)("t", { time })).data).toEqual({ time })
    }
    expect(streams.filter(({ response }) => !response.writableEnded)).toHaveLength(1)
  })
})

test("close is done once, however often and at the same time it is asked for", async () => {
  const server = await serverByHand({ sessions: true, call: () => undefined })
  const wrapper = await createMCPClient("demo", { url: server.url })
  const statuses = statusesOf(wrapper)
  const calls = [callError(callerOf(wrapper)("t", {})), callError(callerOf(wrapper)("t", {}))]
  await until(() => server.of("tools/call").length === 2, "the calls arrive")
  await Promise.all([wrapper.close(), wrapper.close(), wrapper[Symbol.asyncDispose]()])
  await wrapper.close()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "unknown" } })
  expect(statuses).toEqual(["closed"])
  expect(server.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1)
  expect(pendingDeadlines()).toBe(0)
})
