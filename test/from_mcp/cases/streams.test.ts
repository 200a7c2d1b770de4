/**
 * Streams that break in the middle of an answer.
 */
import { describe, expect, test } from "vitest"
import { openStream, resultOf, serverByHand, withCalls, type PostedMessage } from "../../fixtures/servers/http_by_hand.js"
import { BY_THE_CLOCK, callError, callerOf, connect, expectWithin, timed } from "../../fixtures/servers/scripted.js"

// modelcontextprotocol/typescript-sdk#2499, modelcontextprotocol/typescript-sdk#731
describe("a stream that breaks after an event with an id", () => {
  test("and breaks again when it is taken up: the third request carries the same id, and the call ends with the replayed answer", async () => {
    let id: PostedMessage["id"]
    let resumes = 0
    const server = await serverByHand({
      call: ({ message, response }) => {
        id = message?.id
        openStream(response)
        response.write("retry: 10\nid: e1\ndata:\n\n", () => response.destroy())
      },
      get: ({ headers, response }) => {
        if (headers["last-event-id"] === undefined) return void response.writeHead(405).end()
        openStream(response)
        if (++resumes === 1) setImmediate(() => response.destroy())
        else response.end(`id: e2\ndata: ${JSON.stringify(resultOf({ id }, { replayed: true }))}\n\n`)
      },
    })
    const wrapper = await connect("demo", { url: server.url })
    expect((await callerOf(wrapper)("t", {}, { timeoutMs: 40_000 })).data).toEqual({ replayed: true })
    expect(server.requests.flatMap(({ headers }) => headers["last-event-id"] ?? [])).toEqual(["e1", "e1"])
    expect(server.of("tools/call")).toHaveLength(1)
    expect(server.of("initialize")).toHaveLength(1)
  })

  test("and is given up by its caller in between: nothing is asked for any more", async () => {
    const server = await serverByHand({
      call: ({ message, response }) => {
        openStream(response)
        response.write(`retry: 2500\nid: ${String(message?.params?.arguments?.["id"])}\ndata:\n\n`, () => response.destroy())
      },
      get: ({ headers, response }) => {
        if (headers["last-event-id"] === undefined) return void response.writeHead(405).end()
        openStream(response)
        response.end(`data: ${JSON.stringify(resultOf(server.of("tools/call").at(-1)?.message, { taken: headers["last-event-id"] }))}\n\n`)
      },
    })
    const call = callerOf(await connect("demo", { url: server.url }))
    expect(await callError(call("t", { id: "first" }, { timeoutMs: 1_000 }))).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    // The first one would be asked for before this one: both wait for the same time.
    expect((await call("t", { id: "second" })).data).toEqual({ taken: "second" })
    expect(server.requests.flatMap(({ headers }) => headers["last-event-id"] ?? [])).toEqual(["second"])
  })
})

test.each(["destroyed", "ended"])("a stream without ids that is %s ends its call at once, outcome unknown, and the next call works", BY_THE_CLOCK, async (how) => {
  let calls = 0
  const { server, call } = await withCalls(({ message, response }) => {
    openStream(response)
    if (++calls > 1) response.end(`data: ${JSON.stringify(resultOf(message, { calls }))}\n\n`)
    else response.write('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n', () => (how === "ended" ? response.end() : response.destroy()))
  })
  const { value: error, ms } = await timed(() => callError(call("t", {})))
  expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
  expectWithin(ms, 2_000)
  expect((await call("t", {})).data).toEqual({ calls: 2 })
  expect(server.of("tools/call")).toHaveLength(2)
})
