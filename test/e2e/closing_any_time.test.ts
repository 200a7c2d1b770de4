/**
 * Clients that are closed at any moment while their servers fail: every call ends, and nothing is left.
 */
import { afterAll, expect, onTestFinished, test } from "vitest"
import { CallError } from "../../src/error.js"
import { createMCPClient } from "../../src/from_mcp.js"
import { holdsWithin, httpFaultServer, isRunning, stdioFaultServer, type Fault } from "../fixtures/servers/fault_servers.mjs"
import { testFolder } from "../fixtures/servers/scripted.js"

const folder = testFolder(afterAll)
const OPTIONS = { reconnect: { attempts: 4, firstDelayMs: 10, maxDelayMs: 50 }, connectTimeoutMs: 30_000 }
const ROUNDS = 12

/** Each round fails in another way, after another number of calls. */
function faultsOf(round: number): Fault[] {
  const fault = ["crash", "closeStdout", "half"][round % 3] ?? "crash"
  return [{ at: 1 + (round % 8), do: fault }, { on: "start", at: 2, do: round % 2 === 0 ? "hang" : "crash" }]
}

test.each(["stdio", "http", "sse"] as const)("closed at any moment over %s, a client ends all its calls and leaves nothing", { timeout: 300_000 }, async (way) => {
  const http = way === "stdio" ? undefined : await httpFaultServer(folder, { delayMs: [0, 20], faults: [{ every: 7, do: "reset" }, { every: 5, do: "cut", when: "after" }] })
  onTestFinished(() => http?.stop())
  const others: unknown[] = []
  const pids: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const name = `s${String(round)}`
    const started = http === undefined ? stdioFaultServer(folder, { delayMs: [0, 20], faults: faultsOf(round) }) : undefined
    const wrapper = await createMCPClient("demo", started?.config ?? { url: http?.url(way === "sse" ? "sse" : "http", name) ?? "", transport: way === "sse" ? "sse" : "http" }, OPTIONS)
    const stop = new AbortController()
    const handler = wrapper.getTool("t")?.handler
    const ended = Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        try {
          await handler?.({ n }, { timeoutMs: 2_000, signal: stop.signal })
        } catch (error) {
          if (!(error instanceof CallError)) others.push(error)
        }
      }),
    )
    // Moments from the sending of the calls to well behind the faults.
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 200))
    if (round % 4 === 0) stop.abort()
    await Promise.all([wrapper.close(), wrapper.close()])
    await ended
    expect(wrapper.status).toBe("closed")
    const journal = started?.journal() ?? http?.journal(name)
    expect(journal?.doubles).toEqual([])
    if (started !== undefined) pids.push(...started.journal().pids)
  }
  expect(others).toEqual([])
  expect(await holdsWithin(30_000, () => !pids.some(isRunning))).toBe(true)
  if (http !== undefined) expect(await holdsWithin(30_000, async () => (await http.control())?.streams === 0)).toBe(true)
})
