/**
 * What no worker of this library would ever be sent: garbage on every subject that a worker listens to. It serves on.
 */
import { connect as connectSocket } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const encoder = new TextEncoder()
const request = { v: 1, t: "call.requested", requestId: "r", operationId: "t.echo", input: { tag: "poison" } }

/** Every subject that a worker named w1 listens to, and some that come near. */
const SUBJECTS = [
  "ops.v1.call.alice.t.echo",
  "ops.v1.call.alice.t.count",
  "ops.v1.call.alice.t.=ZZ",
  "ops.v1.call.alice.t.=C3=28",
  "ops.v1.call.alice.t.a.b.c.d",
  "ops.v1.call.a=62c.t.echo",
  "ops.v1.to.w1.alice.t.echo",
  "ops.v1.to.w1.alice",
  "ops.v1.to.w1.alice.t.echo.more",
  "ops.v1.ctl.w1.alice",
  "ops.v1.ctl.all.alice",
  "ops.v1.ctl.w1.a=b",
  "ops.v1.catalog.w1.alice",
  "ops.v1.catalog.w1.a=b",
  "$SRV.PING",
  "$SRV.PING.ops",
  "$SRV.INFO",
  "$SRV.STATS",
  "$SRV.STATS.ops.nobody",
]

/** What is sent to each of them. */
const BODIES: [string, unknown][] = [
  ["nothing", ""],
  ["half of a JSON text", '{"v":1,"t":"call.requ'],
  ["bytes that are no text", new Uint8Array([0, 255, 254, 192, 128, 10, 13, 0xed, 0xa0, 0x80])],
  ["null", "null"],
  ["a number", "1e999"],
  ["a list", "[[]]"],
  ["an empty object", {}],
  ["another version", { ...request, v: 2 }],
  ["a version that is no number", { ...request, v: { valueOf: 1 } }],
  ["no kind", { ...request, t: undefined }],
  ["an unknown kind", { ...request, t: "call.exploded" }],
  ["ids that are no texts", { ...request, requestId: {}, operationId: [] }],
  ["an id of Object.prototype", { ...request, requestId: "__proto__", operationId: "t.__proto__" }],
  ["members that are all wrong", { v: 1, t: "call.requested", requestId: 1, operationId: 2, deadline: "x", ttl: [], idleTimeoutMs: {}, metadata: 7, traceparent: {}, token: {}, digest: 1, parentRequestId: 1 }],
  ["an abort of nothing", { v: 1, t: "call.aborted" }],
  ["an abort of something odd", { v: 1, t: "call.aborted", reply: { a: 1 } }],
  ["a credit of nothing", { v: 1, t: "call.credit", reply: "_INBOX.alice.x.1", items: "many" }],
  ["a credit without end", { v: 1, t: "call.credit", reply: "_INBOX.alice.x.1", items: 1e308 }],
  ["a negative credit", { v: 1, t: "call.credit", reply: "_INBOX.alice.x.1", items: -5 }],
  ["a cursor that is none", { v: 1, cursor: { a: 1 }, token: [] }],
  ["a text as a cursor", { v: 1, cursor: "'; drop table" }],
  ["a discovery", { v: 1, t: "discover", more: "x".repeat(1_000) }],
  ["an own __proto__", '{"v":1,"t":"call.requested","requestId":"r","operationId":"t.echo","input":1,"__proto__":{"identity":{"id":"root"}}}'],
  ["100,000 levels", `{"v":1,"t":"call.requested","requestId":"r","operationId":"t.echo","input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
]

const HEADERS: [string, Record<string, string>][] = [
  ["a header of 900 kB", { "Op-Chunk": "9".repeat(900_000) }],
  ["a header of parts beyond number", { "Op-Chunk": "0/999999999;999999999999" }],
  ["a header of parts that is none", { "Op-Chunk": "x/y;z" }],
  ["a header of parts that is negative", { "Op-Chunk": "-1/-1;-1" }],
  ["a header of an error", { "Nats-Service-Error": "x", "Nats-Service-Error-Code": "500" }],
  ["a header that claims an identity", { "Op-Identity": "root", Caller: "root" }],
]

describeWithNATS("garbage on the subjects of a worker", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let caller: Caller
  let worker: WorkerProcess
  let journal: Journal
  let raw: RawClient
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), { name: "w1", url: server.url, journal, serve: { monitor: "monitor" } }, scope)
    caller = await startCaller({ url: server.url }, scope)
    raw = await RawClient.connect({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  const served = async () => {
    await raw.flush()
    expect(await caller.data("t.echo", { still: "here" })).toEqual({ still: "here" })
    expect(await caller.items("t.count", { to: 40 })).toEqual({ items: Array.from({ length: 40 }, (_, n) => n), error: undefined })
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    worker.expectWell()
  }

  test.each(BODIES)("%s", async (_, body) => {
    const replies = [undefined, raw.newReply(), "", "x", "_INBOX", "_INBOX.alice", "_INBOX.alicex.1", "_INBOX.bob.raw.1", "ops.v1.call.alice.t.echo", "_INBOX.alice..x"]
    for (const subject of SUBJECTS) for (const reply of replies) raw.publish(subject, body, reply === undefined || reply === "" ? {} : { reply })
    await served()
  })

  test.each(HEADERS)("%s", async (_, headers) => {
    for (const subject of SUBJECTS) {
      for (const body of [request, "", new Uint8Array([1, 2, 3])]) {
        raw.publish(subject, body, { headers, reply: raw.newReply() })
        raw.publish(subject, body, { headers })
      }
    }
    await served()
  })

  test("a body as large as the server lets through, on every subject", async () => {
    const large = encoder.encode(`"${"x".repeat(1024 * 1024 - 2)}"`)
    for (const subject of SUBJECTS) raw.publish(subject, large, { reply: `_INBOX.alice.raw.large` })
    await served()
  })

  test("another version is refused by name, with nothing started", async () => {
    const { body } = await raw.ask("ops.v1.call.alice.t.echo", { ...request, v: 2, input: { tag: "v2" } })
    expect(body).toMatchObject({ v: 1, t: "call.error", code: "FAILED_PRECONDITION", details: { outcome: "not_started" } })
    expect(journal.starts("v2")).toEqual([])
  })

  test("a request that means another definition of the operation is refused by its worker, with nothing started", async () => {
    for (const digest of ["0".repeat(64), "f", ""]) {
      const { body } = await raw.ask("ops.v1.to.w1.alice.t.echo", { ...request, input: { tag: "other-digest" }, digest })
      expect(body, JSON.stringify(digest)).toMatchObject({ t: "call.error", details: { outcome: "not_started" } })
    }
    expect(journal.starts("other-digest")).toEqual([])
  })

  test("a request that differs from its subject runs what the subject says, or nothing", async () => {
    const { body } = await raw.ask("ops.v1.call.alice.t.echo", { ...request, operationId: "t.secret", input: { tag: "differs" } })
    expect(JSON.stringify(body)).not.toContain("the secret")
    expect(journal.entries.filter(({ start, tag }) => start === "secret" && tag === "differs")).toEqual([])
  })

  test("a request without a reply subject starts nothing", async () => {
    raw.publish("ops.v1.call.alice.t.echo", { ...request, input: { tag: "no-reply" } })
    raw.publish("ops.v1.to.w1.alice.t.echo", { ...request, input: { tag: "no-reply" } })
    await served()
    expect(journal.starts("no-reply")).toEqual([])
  })

  test("the same request twice, under one reply subject, starts once", async () => {
    const reply = raw.newReply()
    const twice = { ...request, requestId: "twice", operationId: "t.slow", input: { ms: 300, tag: "twice" } }
    for (const to of ["ops.v1.call.alice.t.slow", "ops.v1.to.w1.alice.t.slow", "ops.v1.call.alice.t.slow"]) raw.publish(to, twice, { reply })
    await raw.next(({ subject, body }) => subject === reply && body?.["t"] === "call.responded")
    await served()
    expect(journal.starts("twice")).toHaveLength(1)
  })

  test("clients that speak no NATS at all, or stop in the middle, are the server's matter", async () => {
    const { port } = server
    const texts = ["\0\0\0\0", "GET / HTTP/1.1\r\n\r\n", "CONNECT {\r\n", 'CONNECT {"headers":true}\r\nHPUB ops.v1.call.alice.t.echo 999999 5\r\nxx', 'CONNECT {"headers":true}\r\nHPUB ops.v1.call.alice.t.echo _INBOX.alice.x.y 14 14\r\nNATS/9.9 1\r\n\r\n\r\n']
    for (const text of texts) {
      await new Promise<void>((resolve) => {
        const socket = connectSocket(port, "127.0.0.1", () => socket.end(text))
        socket.resume().on("close", () => resolve())
        socket.on("error", () => resolve())
      })
    }
    await served()
  })

  test("headers that only a socket can send", async () => {
    const heads = ["NATS/1.0 503\r\n\r\n", "NATS/1.0 503 No Responders\r\nOp-Chunk: 0/1;1\r\n\r\n", "NATS/1.0\r\n:\r\n\r\n", "NATS/1.0\r\nOp-Chunk\r\n\r\n", "NATS/1.0\r\n\u0000: \u0001\r\n\r\n", "\r\n\r\n", "NATS/1.0\r\nOp-Chunk:\r\nOp-Chunk: 1/2;3\r\n\r\n", "x"]
    for (const subject of SUBJECTS) {
      await new Promise<void>((resolve, reject) => {
        const socket = connectSocket(server.port, "127.0.0.1")
        socket.on("error", reject)
        socket.on("close", () => resolve())
        socket.on("data", (text: Buffer) => {
          if (text.includes("PONG")) socket.end()
        })
        socket.write('CONNECT {"verbose":false,"pedantic":false,"headers":true,"protocol":1}\r\n')
        for (const head of heads) socket.write(`HPUB ${subject} _INBOX.alice.raw.sock ${head.length} ${head.length + 2}\r\n${head}{}\r\n`)
        socket.write("PING\r\n")
      })
    }
    await served()
  })

  test("100,000 messages of garbage as fast as they go", { timeout: 120_000 }, async () => {
    const { rss } = await worker.health()
    for (let n = 0; n < 100_000; n++) {
      const subject = SUBJECTS[n % SUBJECTS.length] ?? ""
      raw.publish(subject, n % 3 === 0 ? "{" : n % 3 === 1 ? '{"v":1}' : "", { reply: "_INBOX.alice.raw.flood" })
      if (n % 2_000 === 0) await raw.flush()
    }
    await served()
    expect((await worker.health()).rss - rss).toBeLessThan(150_000_000)
  })

  test("uploads that are begun and never finished are bounded and forgotten", { timeout: 120_000 }, async () => {
    const { rss } = await worker.health()
    const part = "x".repeat(60_000)
    for (let n = 0; n < 400; n++) {
      raw.publish("ops.v1.call.alice.t.digest", { ...request, requestId: `up-${n}`, operationId: "t.digest", ttl: 1_000 }, { reply: `_INBOX.alice.raw.up.${n}`, headers: { "Op-Chunk": "0/250;15000000" } })
      for (let at = 1; at < 8; at++) raw.publish("ops.v1.ctl.w1.alice", part, { reply: `_INBOX.alice.raw.up.${n}`, headers: { "Op-Chunk": `${at}/250;15000000` } })
      if (n % 20 === 0) await raw.flush()
    }
    await served()
    // 400 of 15 MB each would be 6 GB; what was really sent is 170 MB.
    expect((await worker.health()).rss - rss).toBeLessThan(300_000_000)
    expect(journal.entries.filter(({ start }) => start === "digest")).toEqual([])
  })
})
