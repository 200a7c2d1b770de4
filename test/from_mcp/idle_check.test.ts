/**
 * Silence: of a call that reports no progress, and of a server that nobody calls.
 */
import { describe, expect, test } from "vitest"
import { createMCPClient } from "../../src/from_mcp.js"
import { pendingDeadlines } from "../../src/operation.js"
import { callError, callerOf, connectScripted } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"
import { serverByHand, type Received } from "../fixtures/servers/http_by_hand.js"

const TOOL = [{ name: "t" }]
describe("the idle limit of a client", () => {
  test("ends a call that is silent, and holds for calls that say nothing of it; those that do decide for themselves", async () => {
    const { call, log } = await connectScripted({ tools: TOOL, calls: { t: [{ hang: true }] } }, { idleTimeoutMs: 60 })
    const error = await callError(call("t", {}))
    expect(error).toMatchObject({ code: "TIMEOUT", details: { idleTimeoutMs: 60, outcome: "unknown" } })
    expect(await callError(call("t", {}, { idleTimeoutMs: 30 }))).toMatchObject({ details: { idleTimeoutMs: 30 } })
    expect(await callError(call("t", {}, { idleTimeoutMs: 60_000, timeoutMs: 100 }))).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    for (const params of log.calls("t")) expect(params._meta).toMatchObject({ progressToken: expect.any(String) })
    await until(() => log.received("notifications/cancelled").length === 3, "the server is told of each")
    for (const told of log.received("notifications/cancelled")) expect(Object.keys(told)).toEqual(["requestId"])
  })

  test("is extended by progress, which the deadline is not", async () => {
    const answering = ({ message, response }: Received) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const { progressToken } = (message?.params as { _meta: { progressToken: string } })._meta
      let step = 0
      const timer = setInterval(() => {
        if (++step <= 8) response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: step } })}\n\n`)
        else {
          clearInterval(timer)
          response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message?.id, result: { content: [] } })}\n\n`)
        }
      }, 400)
      response.on("close", () => clearInterval(timer))
    }
    const server = await serverByHand({ call: answering })
    const wrapper = await createMCPClient("demo", { url: server.url }, { idleTimeoutMs: 2_500 })
    const call = callerOf(wrapper)
    const seen: number[] = []
    await call("t", {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await callError(call("t", {}, { timeoutMs: 200 }))).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    await wrapper.close()
    expect(pendingDeadlines()).toBe(0)
  })
})

describe("a server that nobody calls", () => {
  test("and that does not answer a ping is connected anew, before anybody finds out", async () => {
    const { wrapper, log, call } = await connectScripted({ tools: TOOL }, { pingIntervalMs: 1_000, reconnect: { firstDelayMs: 1, maxDelayMs: 5 } })
    const reasons: unknown[] = []
    wrapper.onStatusChange(({ status, reason }) => reasons.push([status, reason?.code]))
    const [pid = 0] = log.starts()
    process.kill(pid, "SIGSTOP")
    await until(() => log.starts().length >= 2, "another process is started")
    await until(() => wrapper.status === "ready", "it is ready")
    expect(reasons.slice(0, 2)).toEqual([
      ["reconnecting", "TIMEOUT"],
      ["ready", undefined],
    ])
    await until(() => !isAlive(pid), "the first one is gone")
    expect((await call("t", { n: 1 })).data).toEqual({ given: { n: 1 } })
  })

  test("that does not know the question is there all the same", async () => {
    const { wrapper, log } = await connectScripted({ tools: TOOL, ping: [{ error: { code: -32601, message: "Method not found" } }] }, { pingIntervalMs: 600 })
    await until(() => log.received("ping").length >= 3, "it is asked again and again")
    await wrapper.ping()
    expect([wrapper.status, log.starts().length]).toEqual(["ready", 1])
  })

  test("is not asked while a call is under way, and no more once the client is closed", async () => {
    const { wrapper, log, call } = await connectScripted({ tools: TOOL, calls: { t: [{ delay: 3_000 }, { echo: true }] }, ping: [{ hang: true }] }, { pingIntervalMs: 1_000 })
    await call("t", {})
    expect(log.received("ping")).toEqual([])
    await wrapper.close()
    expect(log.starts()).toHaveLength(1)
  })
})

test("ping by hand rejects where no sign of life comes, and leaves the connection as it is", async () => {
  const { wrapper } = await connectScripted({ tools: TOOL, ping: [{ hang: true }] })
  expect(await callError(wrapper.ping({ timeoutMs: 30 }))).toMatchObject({ code: "TIMEOUT" })
  expect(wrapper.status).toBe("ready")
  await wrapper.close()
  expect(await callError(wrapper.ping())).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
  expect(await callError(wrapper.refresh())).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
})
