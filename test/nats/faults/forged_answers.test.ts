/**
 * Answers that come twice, late, out of order, to the wrong place, or that are none: each call still ends once, in time, with what is true.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { envelopeOf, fakeWorker, RawClient, type FakeReply } from "../../fixtures/nats/raw_client.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const answered = (data: unknown) => ({ t: "call.responded", output: envelopeOf(data) })
const item = (seq: unknown) => ({ t: "call.responded", seq, output: envelopeOf(seq) })

describeWithNATS("answers that are not as they should be", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let caller: Caller
  let answer: (reply: FakeReply) => void = () => undefined
  /** The last requests, so that a test can answer one in the place of another. */
  const seen: FakeReply[] = []
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    await fakeWorker(
      { url: server.url },
      (reply) => {
        seen.push(reply)
        if (reply.request["operationId"] === "fake.fine") reply.frame(answered("fine"))
        else answer(reply)
      },
      scope,
    )
    caller = await startCaller({ url: server.url, transport: { keepAliveMs: 1_500 } }, scope)
  }, 180_000)
  afterAll(end)

  const fine = async () => {
    expect(await caller.data("fake.fine")).toBe("fine")
    expect(caller.map.pendingCount).toBe(0)
    expect(caller.transport.status).toBe("up")
  }

  test("three answers: the first one counts", async () => {
    answer = ({ frame }) => {
      for (const n of [1, 2, 3]) frame(answered(n))
    }
    for (let n = 0; n < 20; n++) expect(await caller.data("fake.thrice")).toBe(1)
    await fine()
  })

  test("an answer and an error, an error and an answer: the first one counts", async () => {
    answer = ({ frame }) => {
      frame(answered(1))
      frame({ t: "call.error", code: "INTERNAL", message: "too late" })
    }
    expect(await caller.data("fake.both")).toBe(1)
    answer = ({ frame }) => {
      frame({ t: "call.error", code: "INTERNAL", message: "it broke" })
      frame(answered(1))
    }
    expect(await caller.error("fake.both")).toMatchObject({ code: "EXECUTION_ERROR", message: "it broke" })
    await fine()
  })

  test("an answer with another call's id settles neither of both", async () => {
    const replies: FakeReply[] = []
    answer = (reply) => {
      replies.push(reply)
      const [one, two] = replies
      if (one === undefined || two === undefined) return
      // Each into the other's inbox, and each with the other's id.
      one.frame({ ...answered("forged"), requestId: two.request.requestId })
      two.frame({ ...answered("forged"), requestId: one.request.requestId })
      one.frame({ ...answered("forged") }, two.inbox)
      two.frame({ ...answered("forged") }, one.inbox)
      one.frame(answered("one"))
      two.frame(answered("two"))
    }
    const calls = [caller.data("fake.a"), caller.data("fake.b")]
    expect(await Promise.all(calls)).toEqual(["one", "two"])
    await fine()
  })

  test.each<[string, (reply: FakeReply) => void]>([
    ["an unknown id", ({ frame }) => frame({ ...answered("forged"), requestId: "nobody" })],
    ["the id of an object's own members", ({ frame }) => frame({ ...answered("forged"), requestId: "__proto__" })],
    ["a subject nobody waits at", ({ frame, inbox }) => frame(answered("forged"), `${inbox}zzz`)],
    ["a subject further down", ({ frame, inbox }) => frame(answered("forged"), `${inbox}.deeper`)],
  ])("an answer to %s is nobody's; the true one is taken", async (_, forge) => {
    answer = (reply) => {
      forge(reply)
      reply.frame(answered("true"))
    }
    expect(await caller.data("fake.any")).toBe("true")
    await fine()
  })

  test("answers that come after the end settle nothing, not even a call with the same id", async () => {
    answer = () => undefined
    expect(await caller.error("fake.silent", null, { timeoutMs: 300, requestId: "same" })).toMatchObject({ details: { outcome: "unknown" } })
    const late = seen.at(-1)
    answer = ({ frame }) => {
      late?.frame(answered("late"))
      frame(answered("own"))
    }
    expect(await caller.data("fake.next", null, { requestId: "same" })).toBe("own")
    await fine()
  })

  test.each<[string, (reply: FakeReply) => void]>([
    ["nothing", ({ raw }) => raw("")],
    ["half of a JSON text", ({ raw }) => raw('{"v":1,"t":"call.resp')],
    ["bytes that are no text", ({ raw }) => raw(new Uint8Array([0, 255, 254, 192, 128, 10, 13]))],
    ["null", ({ raw }) => raw("null")],
    ["a number", ({ raw }) => raw("7")],
    ["a list", ({ raw }) => raw("[]")],
    ["an unknown kind", ({ frame }) => frame({ t: "call.exploded" })],
    ["a kind that is no text", ({ frame }) => frame({ t: 1 })],
    ["no kind", ({ frame }) => frame({})],
    ["a kind of Object.prototype", ({ frame }) => frame({ t: "constructor" })],
    ["another version", ({ frame }) => frame({ ...answered(1), v: 2 })],
    ["no version", ({ frame }) => frame({ ...answered(1), v: undefined })],
    ["an answer with no id", ({ frame }) => frame({ ...answered("forged"), requestId: undefined })],
    ["an answer with an id that is no text", ({ frame }) => frame({ ...answered("forged"), requestId: { toString: "x" } })],
    ["an answer without output", ({ frame }) => frame({ t: "call.responded" })],
    ["an output that is no envelope", ({ frame }) => frame({ t: "call.responded", output: 5 })],
    ["an envelope without meta", ({ frame }) => frame({ t: "call.responded", output: { data: 1 } })],
    ["an envelope of an unknown source", ({ frame }) => frame({ t: "call.responded", output: { data: 1, meta: { source: "elsewhere" } } })],
    ["an error without a code", ({ frame }) => frame({ t: "call.error", message: "?" })],
    ["an error whose code is no text", ({ frame }) => frame({ t: "call.error", code: {}, message: [] })],
    ["an error whose details are no object", ({ frame }) => frame({ t: "call.error", code: "INTERNAL", message: "x", details: 5 })],
    ["an end of a stream that is none", ({ frame }) => frame({ t: "call.completed" })],
    ["a step of progress that is none", ({ frame }) => frame({ t: "call.progress", progress: "much" })],
    ["an acceptance without a worker", ({ frame }) => frame({ t: "call.accepted" })],
    ["an acceptance by a worker that no subject can name", ({ frame }) => frame({ t: "call.accepted", worker: "a.b.>" })],
    ["100,000 levels", ({ raw }) => raw(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
  ])("%s instead of an answer: the call ends by its deadline, and the caller hears on", async (_, forge) => {
    answer = forge
    const { value, error } = await caller.end("fake.odd", null, { timeoutMs: 700 })
    expect(value).toBeUndefined()
    expect(["PROTOCOL_ERROR", "TIMEOUT", "TRANSPORT_ERROR", "EXECUTION_ERROR", "UNKNOWN_ERROR"]).toContain(error?.code)
    // Something may have run, whatever the worker says in a form that nobody knows.
    expect(error?.details["outcome"]).not.toBe("not_started")
    await fine()
  })

  test("unknown members of a frame are ignored", async () => {
    answer = ({ frame }) => frame({ ...answered("yes"), more: { of: "it" }, identity: { id: "root", scopes: ["*"] } })
    expect(await caller.data("fake.more")).toBe("yes")
  })

  test("no gRPC name leaves the room, and a code of the operation's own stays what it is", async () => {
    const table: [Record<string, unknown>, string][] = [
      [{ code: "UNAVAILABLE" }, "TRANSPORT_ERROR"],
      [{ code: "DEADLINE_EXCEEDED" }, "TIMEOUT"],
      [{ code: "CANCELLED" }, "ABORTED"],
      [{ code: "INTERNAL" }, "EXECUTION_ERROR"],
      [{ code: "PAYLOAD_TOO_LARGE" }, "RESOURCE_EXHAUSTED"],
      [{ code: "FAILED_PRECONDITION" }, "PROTOCOL_ERROR"],
      [{ code: "INTERNAL", declared: true }, "INTERNAL"],
      [{ code: "ACCESS_DENIED" }, "ACCESS_DENIED"],
    ]
    for (const [wire, code] of table) {
      answer = ({ frame }) => frame({ t: "call.error", message: "said so", details: { outcome: "failed" }, ...wire })
      expect(await caller.error("fake.code")).toMatchObject({ code, message: "said so", details: { outcome: "failed" } })
    }
  })

  test.each<[string, unknown[], unknown[]]>([
    ["a gap", [0, 1, 3], [0, 1]],
    ["a beginning that is not 0", [5], []],
    ["one that is no number", [0, "1"], [0]],
    ["one that is missing", [0, undefined], [0]],
  ])("numbers of a stream with %s: what was in order is given, then PROTOCOL_ERROR", async (_, numbers, expected) => {
    answer = ({ frame }) => {
      frame({ t: "call.accepted", worker: "fake" })
      for (const n of numbers) frame(item(n))
      frame({ t: "call.completed" })
    }
    const { items, error } = await caller.items("fake.stream")
    expect(items).toEqual(expected)
    expect(error).toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    await fine()
  })

  test.each<[string, unknown[], unknown[]]>([
    ["one twice", [0, 1, 1, 2], [0, 1, 2]],
    ["one again, much later", [0, 1, 2, 0, 3], [0, 1, 2, 3]],
    ["a negative one", [-1, 0], [0]],
  ])("items of a stream with %s: what was there already is ignored", async (_, numbers, expected) => {
    answer = ({ frame }) => {
      for (const n of numbers) frame(item(n))
      frame({ t: "call.completed" })
    }
    expect(await caller.items("fake.stream")).toEqual({ items: expected, error: undefined })
    await fine()
  })

  test("a worker that sends more than it was granted does not fill the caller's memory: the stream ends there", async () => {
    answer = ({ frame }) => {
      frame({ t: "call.accepted", worker: "fake" })
      for (let n = 0; n < 500; n++) frame(item(n))
    }
    const items = caller.map.subscribe("fake.stream", null, { timeoutMs: 5_000 })
    const taken = [(await items.next()).value?.data]
    // 499 have come meanwhile, and nobody asked for them.
    expect(await caller.data("fake.fine")).toBe("fine")
    const rest = async () => {
      for await (const { data } of items) taken.push(data)
    }
    await expect(rest()).rejects.toMatchObject({ code: expect.stringMatching(/^(PROTOCOL_ERROR|RESOURCE_EXHAUSTED)$/), details: { outcome: "unknown" } })
    expect(taken).toEqual(taken.map((_, n) => n))
    expect(taken.length).toBeLessThanOrEqual(64)
    await fine()
  })

  test.each<[string, string]>([
    ["a number of parts that is too large", "0/1000000000;8"],
    ["a length that is too large", "0/2;999999999999"],
    ["a part beyond the last", "5/2;8"],
    ["no parts", "0/0;8"],
    ["negative numbers", "-1/-2;-8"],
    ["no numbers", "a/b;c"],
    ["an empty text", ""],
    ["a number without end", `0/${"9".repeat(400)};8`],
  ])("a part whose header tells %s: the call ends by its deadline, and the caller hears on", async (_, header) => {
    answer = ({ raw }) => {
      for (let n = 0; n < 5; n++) raw("x".repeat(1_000), { "Op-Chunk": header })
    }
    const before = process.memoryUsage().rss
    const { value, error } = await caller.end("fake.parts", null, { timeoutMs: 700 })
    expect(value).toBeUndefined()
    expect(error?.details["outcome"]).not.toBe("not_started")
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    await fine()
  })

  test("parts of an answer that never becomes whole end with the call", async () => {
    answer = ({ raw }) => raw("x".repeat(60_000), { "Op-Chunk": "0/3;180000" })
    expect(await caller.error("fake.parts", null, { timeoutMs: 700 })).toMatchObject({ details: { outcome: "unknown" } })
    await fine()
  })

  test("another client on the server that sends to the caller's whole inbox settles nothing", async () => {
    answer = () => undefined
    const call = caller.end("fake.silent", null, { timeoutMs: 1_000 })
    const raw = await RawClient.connect({ url: server.url, caller: "mallory" })
    const guesses = ["_INBOX.alice.x", "_INBOX.alice.0.0", "_INBOX.alice.x.1", "_INBOX.alice", "_INBOX.alice.a.b.c.d"]
    for (const subject of guesses) for (const body of [answered("forged"), { t: "call.error", code: "INTERNAL", message: "forged" }]) raw.publish(subject, { v: 1, requestId: "x", ...body })
    await raw.flush()
    const { value, error } = await call
    expect(value).toBeUndefined()
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    await fine()
  })
})
