/**
 * Progress: it extends the time that silence may take, never the deadline, and none of it is lost.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import type { Progress } from "../../../src/operation.js"
import { httpFaultServer, stdioFaultServer, type FaultScript } from "../../fixtures/servers/fault_servers.mjs"
import { BY_THE_CLOCK, callError, callerOf, connect, connectScripted, expectWithin, testFolder, timed } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"
import type { Step } from "../../fixtures/servers/scripted_core.mjs"
import type { WireParams } from "../../fixtures/servers/server_log.js"

const TOOL = [{ name: "t" }]

/** A server whose tool tells progress eight times, every 500 ms, the last time together with the answer. */
const STEPS: FaultScript = { faults: [{ do: "progress", times: 8, ms: 500 }] }

async function open(way: "stdio" | "http" | "sse", script: FaultScript) {
  const folder = testFolder()
  if (way === "stdio") return callerOf(await connect("demo", stdioFaultServer(folder, script).config))
  const server = await httpFaultServer(folder, script)
  onTestFinished(() => server.stop())
  return callerOf(await connect("demo", { url: server.url(way), transport: way }))
}

// anomalyco/opencode#24965, anomalyco/opencode#21701
describe("a tool that tells its progress every 500 ms for 4 s", () => {
  test("over each way outlasts a limit of 3 s for silence, and all of it is seen in order", async () => {
    const outlasts = async (way: "stdio" | "http" | "sse") => {
      const call = await open(way, STEPS)
      const seen: Progress[] = []
      const { data } = await call("t", { n: 1 }, { idleTimeoutMs: 3_000, timeoutMs: 30_000, onProgress: (progress) => seen.push(progress) })
      expect([way, data]).toEqual([way, { n: 1 }])
      expect(seen.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(seen.every(({ total }) => total === 8)).toBe(true)
    }
    // Side by side: most of it is waiting.
    await Promise.all([outlasts("stdio"), outlasts("http"), outlasts("sse")])
  })

  test("sends its token where only the limit asks for it", async () => {
    const { call, log } = await connectScripted({ tools: TOOL })
    await call("t", {}, { idleTimeoutMs: 30_000 })
    await call("t", {})
    const tokens = log.calls().map(({ _meta }: WireParams) => (_meta as { progressToken?: unknown } | undefined)?.progressToken)
    expect(tokens[0]).toEqual(expect.any(String))
    expect(tokens[1]).toBeUndefined()
  })

  test.each(["timeoutMs", "deadline"] as const)("ends at its %s, which nothing extends", BY_THE_CLOCK, async (kind) => {
    const call = await open("stdio", { faults: [{ do: "progress", times: 400, ms: 25 }] })
    const limit = kind === "deadline" ? { deadline: Date.now() + 1_200 } : { timeoutMs: 1_200 }
    const { value: error, ms } = await timed(() => callError(call("t", { n: 1 }, { ...limit, idleTimeoutMs: 1_000 })))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    expect(ms).toBeGreaterThanOrEqual(1_198)
    expectWithin(ms, 1_450)
  })

  test("that falls silent ends by the limit for silence", BY_THE_CLOCK, async () => {
    const call = await open("stdio", { faults: [{ do: "delay", ms: 20_000 }] })
    const { value: error, ms } = await timed(() => callError(call("t", { n: 1 }, { idleTimeoutMs: 400 })))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    expect(ms).toBeGreaterThanOrEqual(398)
    expectWithin(ms, 650)
  })
})

describe("progress of odd kinds", () => {
  const odd: Step[] = [
    { notify: "notifications/progress", params: { progressToken: "nobody", progress: 9 } },
    { notify: "notifications/progress", params: { progress: 9 } },
    { notify: "notifications/progress", params: { progressToken: null, progress: 9 } },
    { notify: "notifications/progress" },
    { echo: true },
  ]

  test("about nobody's call reaches nobody, over both ways", async () => {
    const script = { tools: TOOL, calls: { t: odd } }
    const server = await scriptedHTTPServer(script)
    for (const call of [(await connectScripted(script)).call, callerOf(await connect("demo", { url: server.url }))]) {
      const seen: Progress[] = []
      await call("t", {}, { onProgress: (progress) => seen.push(progress) })
      expect(seen).toEqual([])
    }
  })

  test("heard by a listener that throws costs nothing", async () => {
    const call = await open("stdio", { faults: [{ do: "progress", times: 2, ms: 5 }] })
    const heard: number[] = []
    const { data } = await call("t", { n: 1 }, {
      onProgress: ({ progress }) => {
        heard.push(progress)
        throw new Error("listener")
      },
    })
    expect(data).toEqual({ n: 1 })
    expect(heard).toEqual([1, 2])
  })
})
