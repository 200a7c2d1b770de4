/**
 * Connections that are lost in the middle of things: what is sent again, what is not, and what is left of the old one.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import type { MCPClientOptions, StatusDetail } from "../../../src/from_mcp.js"
import { holdsWithin, httpFaultServer, isRunning, stdioFaultServer, type FaultScript, type Journal } from "../../fixtures/servers/fault_servers.mjs"
import { openStream, serverByHand } from "../../fixtures/servers/http_by_hand.js"
import { BY_THE_CLOCK, callError, callerOf, connect, connectScripted, expectWithin, testFolder, timed, toolOf } from "../../fixtures/servers/scripted.js"
import { until } from "../../fixtures/servers/server_log.js"

/** Attempts for as long as a server may take to be there again on a busy machine. */
const SOON = { reconnect: { attempts: 200, firstDelayMs: 20, maxDelayMs: 200 } } satisfies MCPClientOptions

/** A client of a server that fails as the script says, over each way where that means something. */
async function faulty(way: "stdio" | "http" | "sse", script: FaultScript, options: MCPClientOptions = {}) {
  const folder = testFolder()
  const server = way === "stdio" ? stdioFaultServer(folder, script) : await httpServer(folder, script)
  const config = "config" in server ? server.config : { url: server.url(way === "sse" ? "sse" : "http"), transport: way === "sse" ? ("sse" as const) : ("http" as const) }
  const wrapper = await connect("demo", config, { ...SOON, ...options })
  return { wrapper, call: callerOf(wrapper), journal: (): Journal => server.journal(), server }
}

async function httpServer(folder: string, script: FaultScript) {
  const server = await httpFaultServer(folder, script)
  onTestFinished(() => server.stop())
  return server
}

// modelcontextprotocol/python-sdk#3556, modelcontextprotocol/rust-sdk#733, sparfenyuk/mcp-proxy#149
describe("a server that forgets its sessions", () => {
  test("gets a new handshake, without the id of the old session, and the call runs once", async () => {
    const { call, journal } = await faulty("http", { faults: [{ at: 2, do: "forget" }] })
    expect((await call("t", { n: 1 })).data).toEqual({ n: 1 })
    expect((await call("t", { n: 2 })).data).toEqual({ n: 2 })
    expect(journal().initializes).toEqual(["none", "none"])
    expect([journal().ran(1), journal().ran(2)]).toEqual([1, 1])
  })

  test("gets one for five calls at the same time", async () => {
    const { call, journal } = await faulty("http", { faults: [{ at: 2, do: "forget" }] })
    await call("t", { n: 1 })
    const answers = await Promise.all([2, 3, 4, 5, 6].map((n) => call("t", { n })))
    expect(answers.map(({ data }) => data)).toEqual([2, 3, 4, 5, 6].map((n) => ({ n })))
    expect(journal().initializes).toHaveLength(2)
    expect(journal().doubles).toEqual([])
  })

  test("and forgets the new ones too costs each call one error, not a loop", async () => {
    const { call, journal, wrapper } = await faulty("http", { faults: [{ at: [2, 100], do: "forget" }] })
    await call("t", { n: 1 })
    const error = await callError(call("t", { n: 2 }, { timeoutMs: 40_000 }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ status: 404, outcome: "not_started" })
    expect(journal().initializes.length).toBeLessThanOrEqual(3)
    expect(journal().ran(2)).toBe(0)
    await wrapper.close()
  })

  test("while its client asks for the list of tools, or whether it is alive, is greeted anew as well", async () => {
    const server = await httpServer(testFolder(), {})
    const wrapper = await connect("demo", { url: server.url("http") }, SOON)
    server.crash()
    expect(await holdsWithin(30_000, async () => server.restarts() === 1 && (await server.control()) !== undefined)).toBe(true)
    await wrapper.refresh()
    expect(server.journal().initializes).toEqual(["none", "none"])
    await wrapper.ping()
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["t", "safe"])
  })

  test.each([404, 400, 410])("is not meant by a %d where no session was given: that is the error, and no new handshake", async (status) => {
    const { call, journal } = await faulty("http", { sessions: false, faults: [{ at: 1, do: "status", status }] })
    expect(await callError(call("t", { n: 1 }))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status, outcome: "failed" } })
    expect(journal().initializes).toHaveLength(1)
    expect((await call("t", { n: 2 })).data).toEqual({ n: 2 })
  })
})

// odysseus-dev/odysseus#6150, zavora-ai/adk-rust#504, QwenLM/qwen-code#5381, smg-project/smg#2441
describe("a server that runs the tool and is gone before it answers", () => {
  const GONE: FaultScript = { faults: [{ at: 1, do: "crash", when: "after" }] }
  const CUT: FaultScript = { faults: [{ at: 1, do: "cut", when: "after" }] }
  const ways: ["stdio" | "http" | "sse", FaultScript][] = [
    ["stdio", GONE],
    ["http", GONE],
    ["http", CUT],
    ["sse", CUT],
  ]

  test.each(ways)("over %s: the call is unknown and ran once, the next one works (%j)", async (way, script) => {
    const { call, journal } = await faulty(way, script)
    const error = await callError(call("t", { n: 1 }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ outcome: "unknown" })
    expect((await call("t", { n: 2 }, { timeoutMs: 40_000 })).data).toEqual({ n: 2 })
    expect([journal().ran(1), journal().ran(2)]).toEqual([1, 1])
  })

  test.each(ways)("over %s: runs again where the host trusts its hints (%j)", async (way, script) => {
    const { call, journal } = await faulty(way, script, { trusted: true, retry: { hints: true } })
    expect((await call("safe", { n: 1 }, { timeoutMs: 40_000 })).data).toEqual({ n: 1 })
    expect(journal().ran(1)).toBe(2)
  })

  test.each<[string, string, MCPClientOptions]>([
    ["hints that the host does not trust", "safe", { retry: { hints: true } }],
    ["trust, but no leave to repeat", "safe", { trusted: true }],
    ["a tool without hints", "t", { trusted: true, retry: { hints: true } }],
    ["another operation's leave", "t", { retry: { operations: ["demo.safe", "other.t", "t"] } }],
    ["leave for a status", "t", { retry: { statuses: [503] } }],
  ])("%s: it does not run again", async (_, tool, options) => {
    const { call, journal } = await faulty("stdio", GONE, options)
    expect((await callError(call(tool, { n: 1 }))).details).toMatchObject({ outcome: "unknown" })
    await call("t", { n: 2 }, { timeoutMs: 40_000 })
    expect(journal().ran(1)).toBe(1)
  })

  test("a call that may be repeated still ends at its deadline", BY_THE_CLOCK, async () => {
    const { call, journal } = await faulty("stdio", { faults: [{ do: "crash", when: "after" }] }, { retry: { operations: ["demo.t"] }, reconnect: { attempts: 100, firstDelayMs: 20, maxDelayMs: 50 } })
    const { value: error, ms } = await timed(() => callError(call("t", { n: 1 }, { timeoutMs: 1_500 })))
    expectWithin(ms, 1_750)
    expect(error.details).toMatchObject({ outcome: "unknown" })
    expect(journal().ran(1)).toBeGreaterThanOrEqual(1)
  })

  test.each([
    ["a failure that the tool tells", { do: "isError" }],
    ["an error answer", { do: "error", code: -32602 }],
    ["a malformed result", { do: "result", value: null }],
    ["a result that is too large", { do: "huge", bytes: 200_000 }],
  ])("%s is no reason to connect again, nor to repeat", async (_, fault) => {
    const { call, journal, wrapper } = await faulty("stdio", { faults: [{ at: 1, ...fault }] }, { trusted: true, retry: { hints: true, operations: ["demo.safe"] }, maxResultBytes: 100_000 })
    await call("safe", { n: 1 }).catch(() => undefined)
    expect((await call("t", { n: 2 })).data).toEqual({ n: 2 })
    expect(journal().starts).toHaveLength(1)
    expect(journal().ran(1)).toBeLessThanOrEqual(1)
    expect(wrapper.status).toBe("ready")
  })
})

describe("503", () => {
  test("is unknown, and sent again where the host says that it means not now", async () => {
    const fault = { at: 1, do: "status", status: 503 }
    const { call } = await faulty("http", { faults: [fault] })
    expect(await callError(call("t", { n: 1 }))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 503, outcome: "unknown" } })
    const patient = await faulty("http", { faults: [fault] }, { retry: { statuses: [503] } })
    expect((await patient.call("t", { n: 1 }, { timeoutMs: 40_000 })).data).toEqual({ n: 1 })
    expect(patient.journal().ran(1)).toBe(1)
  })
})

describe("429", () => {
  test("is refused unstarted with its time, and later calls wait for that time", async () => {
    const { call, journal } = await faulty("http", { faults: [{ at: 1, do: "status", status: 429, headers: { "retry-after": "1" } }] })
    const since = performance.now()
    const error = await callError(call("t", { n: 1 }))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 429, retryAfterMs: 1_000, outcome: "not_started" } })
    expect((await call("t", { n: 2 }, { timeoutMs: 40_000 })).data).toEqual({ n: 2 })
    expect(performance.now() - since).toBeGreaterThanOrEqual(998)
    expect(journal().calls).toEqual([1, 2])
  })

  test("calls whose deadline comes first are refused, unstarted", async () => {
    const { call, journal } = await faulty("http", { faults: [{ at: 1, do: "status", status: 429, headers: { "retry-after": "30" } }] })
    await callError(call("t", { n: 1 }))
    const error = await callError(call("t", { n: 2 }, { timeoutMs: 500 }))
    expect(error.details).toMatchObject({ outcome: "not_started" })
    expect(journal().calls).toEqual([1])
  })
})

describe("a server that fails each call", () => {
  test("is left alone after five failures in a row, then tried with one call, and used again when that one works", async () => {
    const { call, journal } = await faulty("http", { faults: [{ at: [1, 5], do: "status", status: 500 }] }, { breaker: { probeAfterMs: 3_000 } })
    for (const n of [1, 2, 3, 4, 5]) expect((await callError(call("t", { n }))).details).toMatchObject({ status: 500 })
    const refused = await callError(call("t", { n: 6 }))
    expect(refused).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "breaker_open", outcome: "not_started" } })
    expect(refused.details["retryAfterMs"]).toBeGreaterThan(0)
    expect(refused.details["retryAfterMs"]).toBeLessThanOrEqual(3_000)
    expect(journal().calls).toEqual([1, 2, 3, 4, 5])
    const refusals: unknown[] = []
    const isBack = await holdsWithin(30_000, () =>
      call("t", { n: 7 }).then(
        ({ data }) => data !== undefined,
        (error: unknown) => refusals.push(error) < 0,
      ),
    )
    expect(isBack).toBe(true)
    for (const error of refusals) expect(error).toMatchObject({ details: { kind: "breaker_open", outcome: "not_started" } })
    expect((await call("t", { n: 8 })).data).toEqual({ n: 8 })
    expect(journal().calls).toEqual([1, 2, 3, 4, 5, 7, 8])
  })

  test("answers in between, errors and failures of tools among them, start the count anew", async () => {
    const failing = [1, 2, 3, 4, 6, 7, 8, 9].map((at) => ({ at, do: "status", status: 500 }))
    const { call } = await faulty("http", { faults: [...failing, { at: 5, do: "error" }] })
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) expect((await callError(call("t", { n }))).details["kind"]).not.toBe("breaker_open")
    expect((await call("t", { n: 10 })).data).toEqual({ n: 10 })
  })

  test("one lost process is one failure, however many calls it takes along", async () => {
    const { call } = await faulty("stdio", { delayMs: 50, faults: [{ at: 20, do: "crash" }] })
    await Promise.allSettled(Array.from({ length: 40 }, (_, index) => call("t", { n: index + 1 })))
    expect((await call("t", { n: 100 }, { timeoutMs: 40_000 })).data).toEqual({ n: 100 })
  })

  test("and so is one HTTP server that ends with all its connections", async () => {
    const { call } = await faulty("http", { delayMs: 50, faults: [{ at: 20, do: "crash" }] })
    await Promise.allSettled(Array.from({ length: 40 }, (_, index) => call("t", { n: index + 1 })))
    expect((await call("t", { n: 100 }, { timeoutMs: 40_000 })).data).toEqual({ n: 100 })
  })
})

describe("what the client says about itself", () => {
  test("ready, reconnecting with the reason, ready again, closed; each once, with its time", async () => {
    const before = Date.now()
    const { wrapper, call } = await faulty("stdio", { faults: [{ at: 1, do: "crash", exit: 5 }] })
    const said: StatusDetail[] = []
    expect(wrapper.statusDetail).toMatchObject({ status: "ready" })
    const unlisten = wrapper.onStatusChange((detail) => said.push(detail))
    await callError(call("t", { n: 1 }))
    await call("t", { n: 2 }, { timeoutMs: 40_000 })
    await wrapper.close()
    expect(said.map(({ status }) => status)).toEqual(["reconnecting", "ready", "closed"])
    expect(said[0]?.reason).toMatchObject({ code: "TRANSPORT_ERROR", details: { exitCode: 5 } })
    for (const { since } of said) expect(since).toBeGreaterThanOrEqual(before)
    unlisten()
  })

  test("failed with the reason when it has tried in vain, and a later call finds the server that is back", async () => {
    const faults = [{ at: 1, do: "crash" }, { on: "start" as const, at: [2, 3] as const, do: "crash", exit: 9 }]
    const { wrapper, call } = await faulty("stdio", { faults }, { reconnect: { attempts: 2, firstDelayMs: 10, maxDelayMs: 20 } })
    await callError(call("t", { n: 1 }))
    const waiting = await callError(call("t", { n: 2 }, { timeoutMs: 40_000 }))
    expect(waiting).toMatchObject({ code: "TRANSPORT_ERROR", details: { exitCode: 9, outcome: "not_started" } })
    expect(wrapper.statusDetail).toMatchObject({ status: "failed", reason: { details: { exitCode: 9 } } })
    expect((await call("t", { n: 3 }, { timeoutMs: 40_000 })).data).toEqual({ n: 3 })
    expect(wrapper.status).toBe("ready")
  })

  test("with reconnect: false it fails and starts nothing", async () => {
    const { wrapper, call, journal } = await faulty("stdio", { faults: [{ at: 1, do: "crash" }] }, { reconnect: false })
    await callError(call("t", { n: 1 }))
    await until(() => wrapper.status === "failed", "it has failed")
    expect((await callError(call("t", { n: 2 }))).details).toMatchObject({ outcome: "not_started" })
    expect(journal().starts).toHaveLength(1)
  })

  test("closing while it waits for its next attempt ends at once, rejects who waits, and leaves no timer", BY_THE_CLOCK, async () => {
    const { wrapper, call, journal } = await faulty("stdio", { faults: [{ at: 1, do: "crash" }] }, { reconnect: { attempts: 5, firstDelayMs: 60_000, maxDelayMs: 60_000 } })
    await callError(call("t", { n: 1 }))
    const waiting = callError(call("t", { n: 2 }))
    const { ms } = await timed(() => wrapper.close())
    expect(await waiting).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expectWithin(ms, 2_000)
    expect(wrapper.status).toBe("closed")
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length).toBeLessThanOrEqual(2)
    expect(journal().pids.filter(isRunning)).toEqual([])
  })
})

// mastra-ai/mastra#16693, anomalyco/opencode#8257, modelcontextprotocol/typescript-sdk#2607
describe("a connection that is made again and again", () => {
  test("twenty times over Streamable HTTP: one stream is open at the end, and nothing more keeps the host alive", async () => {
    const server = await serverByHand({
      sessions: true,
      get: ({ response }) => {
        openStream(response)
        response.write("retry: 5\n\n")
      },
    })
    const gets = () => server.requests.filter(({ method }) => method === "GET")
    const wrapper = await connect("demo", { url: server.url }, SOON)
    await until(() => gets().length === 1, "the first stream is open")
    const before = process.getActiveResourcesInfo().length
    for (let time = 1; time <= 20; time++) {
      const opened = gets().length
      gets().at(-1)?.response.destroy()
      await until(() => gets().length > opened, `stream ${String(time + 1)} is open`)
    }
    await until(() => gets().filter(({ cut }) => !cut).length === 1, "one is open")
    expect(wrapper.status).toBe("ready")
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    await until(() => process.getActiveResourcesInfo().length <= before + 4, "no more keeps the host alive")
  }, 120_000)

  test("twenty times as a new session: each replaced one is closed", async () => {
    const known = new Set<string>()
    const server = await serverByHand({
      sessions: true,
      get: ({ response }) => openStream(response),
      first: ({ message, headers, response }) => {
        const session = headers["mcp-session-id"]
        if (message?.method !== "tools/call" || typeof session !== "string" || known.has(session)) return false
        // Each session is forgotten at its first call, except that the next one may go on.
        known.add(session)
        if (known.size % 2 === 1) return false
        response.writeHead(404).end()
        return true
      },
    })
    const wrapper = await connect("demo", { url: server.url }, SOON)
    const call = callerOf(wrapper)
    for (let time = 0; time < 20; time++) expect((await call("t", { time })).data).toEqual({ time })
    const open = () => server.requests.filter(({ method, cut, response }) => method === "GET" && !cut && !response.writableFinished)
    await until(() => open().length <= 1, "the streams of the replaced ones are closed")
  })
})

test("a call that waits for a new connection ends at its deadline, and by its caller's hand", BY_THE_CLOCK, async () => {
  const { wrapper, call } = await faulty("stdio", { faults: [{ at: 1, do: "crash" }] }, { reconnect: { attempts: 5, firstDelayMs: 60_000, maxDelayMs: 60_000 } })
  await callError(call("t", { n: 1 }))
  const { value: error, ms } = await timed(() => callError(call("t", { n: 2 }, { timeoutMs: 400 })))
  expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
  expectWithin(ms, 650)
  const stop = new AbortController()
  const waiting = callError(call("t", { n: 3 }, { signal: stop.signal }))
  stop.abort()
  expect(await waiting).toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
  expect(wrapper.status).toBe("reconnecting")
})

test("a queue that is full refuses at once, unstarted", async () => {
  const { wrapper, log } = await connectScripted({ tools: [{ name: "t" }], calls: { t: [{ hang: true }] } }, { maxInFlight: 1, maxQueued: 2 })
  const { handler } = toolOf(wrapper)
  const waiting = [1, 2, 3].map((n) => callError(handler({ n })))
  const error = await callError(handler({ n: 4 }))
  expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
  await until(() => log.calls().length === 1, "the first one arrives")
  await wrapper.close()
  expect((await Promise.all(waiting)).map(({ details }) => details["outcome"])).toEqual(["unknown", "not_started", "not_started"])
  expect(log.calls()).toHaveLength(1)
})
