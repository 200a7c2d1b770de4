/**
 * Things that come at the worst moment: while it reconnects, while it closes, while nobody reads.
 */
import { getEventListeners } from "node:events"
import { describe, expect, test } from "vitest"
import type { MCPClientOptions } from "../../../src/from_mcp.js"
import { isRunning, stdioFaultServer } from "../../fixtures/servers/fault_servers.mjs"
import { serverByHand, echo } from "../../fixtures/servers/http_by_hand.js"
import { BY_THE_CLOCK, callError, callerOf, connect, connectScripted, expectWithin, scriptedServer, testFolder, timed, toolOf } from "../../fixtures/servers/scripted.js"
import { until } from "../../fixtures/servers/server_log.js"

/** Attempts for as long as a server may take to be there again on a busy machine. */
const SOON = { reconnect: { attempts: 200, firstDelayMs: 20, maxDelayMs: 200 } } satisfies MCPClientOptions

test("a tool that the server has no more after its restart is not called by who waited for the restart", async () => {
  const { config, journal } = stdioFaultServer(testFolder(), { faults: [{ at: 1, do: "change" }, { at: 2, do: "crash" }] })
  const wrapper = await connect("demo", config, SOON)
  await toolOf(wrapper, "t").handler({ n: 1 })
  await until(() => wrapper.getTool("extra") !== undefined, "the further tool is there")
  const extra = toolOf(wrapper, "extra")
  await callError(toolOf(wrapper, "t").handler({ n: 2 }))
  await until(() => wrapper.status !== "ready", "it reconnects")
  const error = await callError(extra.handler({ n: 3 }, { timeoutMs: 40_000 }))
  expect(error).toMatchObject({ code: "OPERATION_NOT_FOUND", details: { operationId: "demo.extra", outcome: "not_started" } })
  expect(journal().calls).toEqual([1, 2])
  expect((await toolOf(wrapper, "t").handler({ n: 4 })).data).toEqual({ n: 4 })
})

describe("closing", () => {
  test("ends a process that is stopped, and all calls that wait for it", BY_THE_CLOCK, async () => {
    const { config, journal } = stdioFaultServer(testFolder(), {})
    const wrapper = await connect("demo", config, { maxInFlight: 2 })
    const [pid = 0] = journal().starts
    process.kill(pid, "SIGSTOP")
    const calls = [1, 2, 3, 4].map((n) => callError(toolOf(wrapper).handler({ n })))
    const { ms } = await timed(() => wrapper.close())
    const errors = await Promise.all(calls)
    expect(errors.map(({ code, details }) => [code, details["outcome"]])).toEqual([
      ["TRANSPORT_ERROR", "unknown"],
      ["TRANSPORT_ERROR", "unknown"],
      ["TRANSPORT_ERROR", "not_started"],
      ["TRANSPORT_ERROR", "not_started"],
    ])
    expectWithin(ms, 4_000)
    await until(() => !isRunning(pid), "it is gone")
  })

  test("by a listener, in the moment that the loss is told, is the end: nothing is started again", async () => {
    const { config, journal } = stdioFaultServer(testFolder(), { faults: [{ at: 1, do: "crash" }] })
    const wrapper = await connect("demo", config, SOON)
    const said: string[] = []
    wrapper.onStatusChange(({ status }) => {
      said.push(status)
      if (status === "reconnecting") void wrapper.close()
    })
    await callError(toolOf(wrapper).handler({ n: 1 }))
    await until(() => wrapper.status === "closed", "it is closed")
    await wrapper.close()
    expect(said).toEqual(["reconnecting", "closed"])
    expect(journal().starts).toHaveLength(1)
    expect((await callError(toolOf(wrapper).handler({ n: 2 }))).details).toMatchObject({ kind: "closed", outcome: "not_started" })
  })

  test("while the next process greets ends that one, too", async () => {
    const { config, journal } = stdioFaultServer(testFolder(), { faults: [{ at: 1, do: "crash" }, { on: "start", at: 2, do: "hang" }] })
    const wrapper = await connect("demo", config, SOON)
    await callError(toolOf(wrapper).handler({ n: 1 }))
    await until(() => journal().starts.length === 2, "it is started again")
    await wrapper.close()
    await until(() => !journal().pids.some(isRunning), "both are gone")
    expect(journal().starts).toHaveLength(2)
  })
})

describe("listeners", () => {
  test("of the status that throw are nobody's trouble", async () => {
    const { config } = stdioFaultServer(testFolder(), { faults: [{ at: 1, do: "crash" }] })
    const wrapper = await connect("demo", config, SOON)
    const heard: string[] = []
    wrapper.onStatusChange(() => {
      throw new Error("listener")
    })
    wrapper.onStatusChange(({ status }) => heard.push(status))
    wrapper.onToolsChange(() => {
      throw new Error("listener")
    })
    await callError(toolOf(wrapper).handler({ n: 1 }))
    expect((await toolOf(wrapper).handler({ n: 2 }, { timeoutMs: 40_000 })).data).toEqual({ n: 2 })
    expect(heard).toEqual(["reconnecting", "ready"])
  })

  test.each(["stdio", "http"])("on one signal of 64 calls are few, and no warning is printed, over %s", async (way) => {
    const warnings: string[] = []
    const hear = ({ name }: Error) => warnings.push(name)
    process.on("warning", hear)
    try {
      const server = way === "http" ? await serverByHand({ call: (request) => void setTimeout(() => echo(request), 30) }) : undefined
      const config = server === undefined ? scriptedServer({ tools: [{ name: "t" }], calls: { t: [{ delay: 30 }, { echo: true }] } }).config : { url: server.url }
      const wrapper = await connect("demo", config)
      const { signal } = new AbortController()
      const calls = Array.from({ length: 64 }, (_, n) => callerOf(wrapper)("t", { n }, { signal }))
      expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(2)
      await Promise.all(calls)
      expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1)
      await new Promise(setImmediate)
      expect(warnings).toEqual([])
    } finally {
      process.off("warning", hear)
    }
  })
})

describe("a server that asks for a rest", () => {
  const refusing = (rest: () => string | undefined) => {
    let calls = 0
    return serverByHand({
      call: (request) => {
        if (++calls > 1) return echo(request)
        const retryAfter = rest()
        request.response.writeHead(429, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end()
      },
    })
  }

  test.each<[string, string | undefined]>([
    ["no time", undefined],
    ["a time that is none", "soon"],
    ["a time that has passed", "Wed, 21 Oct 2015 07:28:00 GMT"],
    ["a negative time", "-5"],
    ["nothing", "0"],
  ])("for %s is refused once, and the next call goes at once", BY_THE_CLOCK, async (_, retryAfter) => {
    const server = await refusing(() => retryAfter)
    const call = callerOf(await connect("demo", { url: server.url }))
    expect(await callError(call("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 429, outcome: "not_started" } })
    const { value, ms } = await timed(() => call("t", { a: 1 }))
    expect(value.data).toEqual({ a: 1 })
    expectWithin(ms, 1_000)
  })

  test("until a date is waited for", async () => {
    let date = 0
    // A date has whole seconds.
    const server = await refusing(() => new Date((date = Math.ceil(Date.now() / 1_000) * 1_000 + 3_000)).toUTCString())
    const call = callerOf(await connect("demo", { url: server.url }))
    const error = await callError(call("t", {}))
    expect(error.details["retryAfterMs"]).toBeGreaterThan(0)
    expect(error.details["retryAfterMs"]).toBeLessThanOrEqual(4_000)
    expect((await call("t", { a: 1 }, { timeoutMs: 40_000 })).data).toEqual({ a: 1 })
    expect(Date.now()).toBeGreaterThanOrEqual(date)
  })
})

test("large arguments for a process that does not read end at their deadline, and closing is quick", BY_THE_CLOCK, async () => {
  const { wrapper, call } = await connectScripted({ tools: [{ name: "t" }], readSlowly: { bytes: 1_024, everyMs: 200 } })
  const text = "x".repeat(1_000_000)
  const { value: errors, ms } = await timed(() => Promise.all(Array.from({ length: 16 }, () => callError(call("t", { text }, { timeoutMs: 2_000 })))))
  expectWithin(ms, 2_500)
  for (const error of errors) expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
  const { ms: closeMs } = await timed(() => wrapper.close())
  expectWithin(closeMs, 4_000)
})
