/**
 * Abort, credit and parts of a request for a call of somebody else: they do nothing, whoever is named in them.
 */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { securedServer, type SecuredServer } from "../../fixtures/nats/secured_server.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("control messages for another caller's call", () => {
  const { scope, end } = openScope()
  let secured: SecuredServer
  let worker: WorkerProcess
  let journal: Journal
  let alice: RawClient
  let bob: RawClient
  beforeAll(async () => {
    secured = await securedServer({ callers: { alice: {}, bob: {} }, workers: { w1: { expose: ["t.*"] } } }, scope)
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), { name: "w1", ...secured.as("w1"), journal, serve: { keepAliveMs: 5_000 } }, scope)
    alice = await RawClient.connect({ ...secured.as("alice"), caller: "alice" }, scope)
    bob = await RawClient.connect({ ...secured.as("bob"), caller: "bob" }, scope)
  }, 180_000)
  afterAll(end)

  const request = (operationId: string, input: unknown, requestId: string) => ({ v: 1, t: "call.requested", requestId, operationId, input, ttl: 8_000 })
  const mine = ["ops.v1.ctl.w1.bob", "ops.v1.ctl.all.bob"]
  const hers = ["ops.v1.ctl.w1.alice", "ops.v1.ctl.all.alice"]
  const itemsAt = (reply: string) => alice.inbox.filter(({ subject, body }) => subject === reply && body?.["t"] === "call.responded").length
  const atRest = async () => {
    for (const client of [bob, alice]) await client.flush()
    // A question to the worker that is answered after everything before it.
    await bob.ask("ops.v1.to.w1.bob.t.echo", request("t.echo", 1, "rest"))
  }

  test.each(hers)("the server refuses that bob publishes to %s", async (subject) => {
    expect(await bob.refusals(() => bob.publish(subject, { v: 1, t: "call.aborted", reply: "_INBOX.alice.raw.0" }))).toHaveLength(1)
  })

  test("an abort by bob that names alice's reply subject does not stop her call; her own does", async () => {
    const reply = alice.newReply()
    alice.publish("ops.v1.call.alice.t.slow", request("t.slow", { ms: 6_000, tag: "abort" }, "a1"), { reply })
    await journal.started("abort")
    for (const subject of mine) {
      bob.publish(subject, { v: 1, t: "call.aborted", reply })
      bob.publish(subject, { v: 1, t: "call.aborted", reply, caller: "alice", requestId: "a1" })
      bob.publish(subject, { v: 1, t: "call.aborted", requestId: "a1" }, { reply })
    }
    await atRest()
    expect(journal.entries.filter(({ abort, tag }) => abort !== undefined && tag === "abort")).toEqual([])
    expect((await worker.health()).health["inFlight"]).toBe(1)
    alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.aborted", reply })
    await journal.entry(({ abort, tag }) => abort === "slow" && tag === "abort")
  })

  test("a credit by bob lets nothing flow to alice, and takes nothing from her", async () => {
    const reply = alice.newReply()
    alice.publish("ops.v1.call.alice.t.endless", request("t.endless", { tag: "credit" }, "a2"), { reply })
    await journal.started("credit").catch(() => undefined)
    alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.credit", reply, items: 3 })
    await alice.next(() => itemsAt(reply) === 3)
    for (const subject of mine) for (const items of [5, 1e6, -100, "9", null]) bob.publish(subject, { v: 1, t: "call.credit", reply, items })
    await atRest()
    expect(itemsAt(reply)).toBe(3)
    alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.credit", reply, items: 2 })
    await alice.next(() => itemsAt(reply) === 5)
    alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.aborted", reply })
    await journal.entry(({ end: name, tag }) => name === "endless" && tag === "credit")
  })

  test("credits of odd sizes give neither more than they say nor an endless stream", async () => {
    const reply = alice.newReply()
    alice.publish("ops.v1.call.alice.t.endless", request("t.endless", { tag: "odd" }, "a3"), { reply })
    for (const items of [-1, 0.5, "7", null, {}, [], true, NaN]) alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.credit", reply, items })
    await atRest()
    await alice.flush()
    expect(itemsAt(reply)).toBeLessThanOrEqual(1)
    alice.publish("ops.v1.ctl.w1.alice", { v: 1, t: "call.aborted", reply })
    await worker.healthThat(({ inFlight }) => inFlight === 0)
  })

  test("parts by bob do not become parts of alice's request", async () => {
    const reply = alice.newReply()
    const text = "of alice ".repeat(20_000)
    const body = new TextEncoder().encode(JSON.stringify(request("t.digest", { text, tag: "parts" }, "a4")))
    const size = 60_000
    const parts = Math.ceil(body.length / size)
    const part = (n: number) => body.subarray(n * size, (n + 1) * size)
    const chunk = (n: number) => ({ "Op-Chunk": `${n}/${parts};${body.length}` })
    alice.publish("ops.v1.call.alice.t.digest", part(0), { reply, headers: chunk(0) })
    await alice.next(({ subject, body: frame }) => subject === reply && frame?.["t"] === "call.accepted")
    const evil = new TextEncoder().encode("evil".repeat(size / 4))
    for (const subject of mine) for (let n = 0; n < parts; n++) bob.publish(subject, evil.subarray(0, part(n).length), { reply, headers: chunk(n) })
    await atRest()
    for (let n = 1; n < parts; n++) alice.publish("ops.v1.ctl.w1.alice", part(n), { reply, headers: chunk(n) })
    const { body: answer } = await alice.next(({ subject, body: frame }) => subject === reply && (frame?.["t"] === "call.responded" || frame?.["t"] === "call.error"))
    expect(answer).toMatchObject({ t: "call.responded", output: { data: { length: text.length, sha256: createHash("sha256").update(text).digest("hex") } } })
  })

  test("a call of bob with the id of alice's is another call: to stop it stops nothing of hers", async () => {
    const reply = alice.newReply()
    alice.publish("ops.v1.call.alice.t.slow", request("t.slow", { ms: 1_500, tag: "hers" }, "same"), { reply })
    await journal.started("hers")
    const own = bob.newReply()
    bob.publish("ops.v1.call.bob.t.slow", request("t.slow", { ms: 6_000, tag: "his" }, "same"), { reply: own })
    await journal.started("his")
    bob.publish("ops.v1.ctl.w1.bob", { v: 1, t: "call.aborted", reply: own })
    await journal.entry(({ abort, tag }) => abort === "slow" && tag === "his")
    expect((await alice.next(({ subject, body }) => subject === reply && body?.["t"] === "call.responded")).body).toMatchObject({ output: { data: "slow is done" } })
  })

  test("1,000 requests for discovery are answered by a few announcements", async () => {
    const heard = bob.listen("ops.v1.announce.*")
    await bob.flush()
    const beganAt = performance.now()
    for (let n = 0; n < 1_000; n++) bob.publish("ops.v1.ctl.all.bob", { v: 1, t: "discover" })
    await atRest()
    await new Promise((resolve) => setTimeout(resolve, 600))
    await bob.flush()
    expect(heard.length).toBeGreaterThanOrEqual(1)
    // At most one in 250 ms, however long the machine took, and those of the clock.
    expect(heard.length).toBeLessThanOrEqual(5 + (performance.now() - beganAt) / 250)
    worker.expectWell()
  })

  test("aborts for calls that are not there, 10,000 of them, and aborts that come before their call", async () => {
    for (let n = 0; n < 10_000; n++) {
      bob.publish("ops.v1.ctl.w1.bob", { v: 1, t: "call.aborted", reply: `_INBOX.bob.raw.none.${n}` })
      if (n % 1_000 === 0) await bob.flush()
    }
    const reply = bob.newReply()
    bob.publish("ops.v1.ctl.all.bob", { v: 1, t: "call.aborted", reply })
    expect((await bob.ask("ops.v1.call.bob.t.echo", request("t.echo", "later", "later"))).body).toMatchObject({ output: { data: "later" } })
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    worker.expectWell()
  })
})
