/**
 * Streams of events that break: the one that answers a call, and the one that belongs to none.
 */
import { describe, expect, test } from "vitest"
import { createMCPClient } from "../../src/from_mcp.js"
import { openStream, resultOf, serverByHand, type Received, type Rules, type ServerByHand } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

const resumed = ({ requests }: ServerByHand): Received[] => requests.filter(({ method, headers }) => method === "GET" && headers["last-event-id"] !== undefined)
const eventIds = (server: ServerByHand) => resumed(server).map(({ headers }) => headers["last-event-id"])

/** Answers a call with an event that has an id, and cuts the stream. */
const cutAfterEvent: NonNullable<Rules["call"]> = ({ response }) => {
  openStream(response)
  response.write("retry: 100\nid: e1\ndata:\n\n", () => response.destroy())
}

/** A server whose call is cut off, and which answers the n-th attempt to go on as the n-th step says. */
async function cutServer(steps: ((request: Received, answer: string) => void)[]): Promise<ServerByHand> {
  const server = await serverByHand({
    call: cutAfterEvent,
    get: (request) => {
      if (request.headers["last-event-id"] === undefined) request.response.writeHead(405).end()
      else steps[Math.min(resumed(server).length, steps.length) - 1]?.(request, JSON.stringify(resultOf(server.of("tools/call")[0]?.message, "late")))
    },
  })
  return server
}

const cutAtOnce = ({ response }: Received): void => {
  openStream(response)
  response.destroy()
}
const answers = ({ response }: Received, answer: string): void => {
  openStream(response)
  response.end(`id: e2\ndata: ${answer}\n\n`)
}

// modelcontextprotocol/typescript-sdk#2499, #731
describe("the stream of a call", () => {
  test("is taken up from the same event each time that it breaks, and the call gets its answer", async () => {
    const server = await cutServer([cutAtOnce, ({ response }) => response.writeHead(503).end(), answers])
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", {})).data).toBe("late")
    expect(eventIds(server)).toEqual(["e1", "e1", "e1"])
    expect(server.of("tools/call")).toHaveLength(1)
  })

  test("is taken up from the last event that came", async () => {
    const server = await cutServer([
      ({ response }) => {
        openStream(response)
        response.write("id: e7\ndata:\n\n", () => response.destroy())
      },
      answers,
    ])
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", {})).data).toBe("late")
    expect(eventIds(server)).toEqual(["e1", "e7"])
  })

  test("carries the headers of the host, the session and the revision when it is taken up", async () => {
    const server = await serverByHand({
      sessions: true,
      call: cutAfterEvent,
      get: (request) => {
        if (request.headers["last-event-id"] === undefined) request.response.writeHead(405).end()
        else answers(request, JSON.stringify(resultOf(server.of("tools/call")[0]?.message, "late")))
      },
    })
    const wrapper = await connect("demo", { url: server.url, headers: { "x-team": "blue" } })
    await callerOf(wrapper)("t", {})
    expect(resumed(server)[0]?.headers).toMatchObject({ "x-team": "blue", "mcp-session-id": "session-1", "mcp-protocol-version": "2025-11-25", accept: "text/event-stream" })
    expect(resumed(server)[0]?.headers["content-type"]).toBeUndefined()
  })

  test("is waited for as long as the server asked", async () => {
    let cutAt = 0
    const server = await serverByHand({
      call: ({ response }) => {
        openStream(response)
        response.write("retry: 700\nid: e1\ndata:\n\n", () => {
          cutAt = performance.now()
          response.destroy()
        })
      },
      get: (request) => {
        if (request.headers["last-event-id"] === undefined) return request.response.writeHead(405).end()
        return answers(request, JSON.stringify(resultOf(server.of("tools/call")[0]?.message, performance.now() - cutAt)))
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    const { data } = await callerOf(wrapper)("t", {})
    // A millisecond for the timer's own grain.
    expect(data).toBeGreaterThanOrEqual(699)
  })

  test("that never brings another event is given up, and the call may have run", async () => {
    const server = await cutServer([cutAtOnce])
    const wrapper = await connect("demo", { url: server.url })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "stream", outcome: "unknown" } })
    expect(eventIds(server)).toEqual(["e1", "e1", "e1", "e1", "e1"])
    expect(server.of("tools/call")).toHaveLength(1)
  })

  test.each([
    ["a status", 404],
    ["no stream", 200],
  ])("that the server answers with %s is given up at once", async (_what, status) => {
    const server = await cutServer([({ response }) => response.writeHead(status).end()])
    const wrapper = await connect("demo", { url: server.url })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ details: { kind: "stream", outcome: "unknown" } })
    expect(eventIds(server)).toEqual(["e1"])
  })

  test("that the server leaves open after the answer is closed from this side", async () => {
    const server = await serverByHand({
      call: ({ message, response }) => {
        openStream(response)
        response.write(`data: ${JSON.stringify(resultOf(message, "here"))}\n\n`)
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", {})).data).toBe("here")
    await until(() => server.of("tools/call")[0]?.cut === true, "the stream is closed")
  })
})

// mastra-ai/mastra#16693, anomalyco/opencode#8257
describe("the stream that belongs to no call", () => {
  const streams = ({ requests }: ServerByHand) => requests.filter(({ method }) => method === "GET")

  test("is opened again quietly behind its last event; the old ones are closed, and so is the last with the client", async () => {
    const server = await serverByHand({
      get: ({ response }) => {
        const count = streams(server).length
        openStream(response)
        response.write(`retry: 100\nid: n${String(count)}\ndata:\n\n`, () => {
          if (count <= 20) response.destroy()
        })
      },
    })
    const wrapper = await createMCPClient("demo", { url: server.url })
    await until(() => streams(server).length === 21, "it is opened 21 times")
    expect(streams(server).filter(({ cut }) => !cut)).toHaveLength(1)
    expect(streams(server).map(({ headers }) => headers["last-event-id"])).toEqual([undefined, ...Array.from({ length: 20 }, (_none, at) => `n${String(at + 1)}`)])
    expect(wrapper.warnings).toEqual([])
    await wrapper.close()
    await until(() => streams(server).every(({ cut }) => cut), "the last one is closed")
    expect(streams(server)).toHaveLength(21)
  })

  test("is not asked for again where the server has none", async () => {
    const server = await serverByHand({ call: ({ message, response }) => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(resultOf(message, 1))) })
    const wrapper = await connect("demo", { url: server.url })
    await until(() => streams(server).length === 1, "it is asked for")
    await callerOf(wrapper)("t", {})
    expect(streams(server)).toHaveLength(1)
    expect(wrapper.warnings).toEqual([])
  })

  test("that is refused is one warning, and calls go on", async () => {
    const server = await serverByHand({ get: ({ response }) => void response.writeHead(403).end() })
    const wrapper = await connect("demo", { url: server.url })
    await until(() => wrapper.warnings.length > 0, "the warning")
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    expect(wrapper.warnings).toHaveLength(1)
    expect(wrapper.warnings[0]).toMatchObject({ kind: "connection" })
  })
})
