/**
 * What a mirror believes: a worker that announces in another's name, or claims an operation that another one has.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectNATS, createRemoteRegistry } from "../../../src/nats.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { envelopeOf, RawClient } from "../../fixtures/nats/raw_client.js"
import { securedServer, type SecuredServer } from "../../fixtures/nats/secured_server.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("a worker that lies to mirrors", () => {
  const { scope, end } = openScope()
  let secured: SecuredServer
  let worker: WorkerProcess
  let journal: Journal
  let rogue: RawClient
  beforeAll(async () => {
    secured = await securedServer(
      { callers: { alice: {}, bob: {} }, workers: { w1: { expose: ["t.*"] }, rogue: { expose: ["t.*"] }, stranger: { expose: ["other.*"] } }, monitor: "watch" },
      scope,
    )
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), {
        name: "w1",
        ...secured.as("w1"),
        journal,
        operations: [{ namespace: "t", only: ["echo", "sum", "secret"], more: { secret: { accessControl: { requiredScopes: ["admin"] } } } }],
        callers: { alice: { identity: { id: "alice", scopes: ["admin"] } }, bob: { identity: { id: "bob", scopes: [] } } },
        serve: { announceEveryMs: 200 },
      }, scope)
    rogue = await RawClient.connect({ ...secured.as("rogue"), caller: "rogue" }, scope)
  }, 180_000)
  afterAll(end)

  const mirror = async (caller = "alice") => {
    const { url: servers, user, pass } = secured.as(caller)
    const connection = await connectNATS({ servers, caller, user, pass })
    const remote = await createRemoteRegistry({ connection, caller, announceEveryMs: 200 })
    scope(async () => {
      await remote.close()
      await connection.close()
    })
    return remote
  }
  const until = async (what: () => boolean, withinMs = 5_000) => {
    for (const lastTry = Date.now() + withinMs; !what(); await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (Date.now() > lastTry) throw new Error("It did not come to be")
    }
  }
  const announcement = (more: object) => ({ v: 1, worker: "rogue", seq: 1, catalogHash: "0".repeat(64), count: 1, load: { inFlight: 0, queued: 0, concurrency: 256 }, draining: false, ...more })

  test("a mirror lists what its caller may run, and nothing else", async () => {
    const remote = await mirror("bob")
    expect([...remote.list()].sort()).toEqual(["t.echo", "t.sum"])
    await expect(remote.execute("t.secret", {})).rejects.toMatchObject({ details: { outcome: "not_started" } })
    expect(journal.entries.filter(({ start }) => start === "secret")).toEqual([])
    expect([...(await mirror("alice")).list()].sort()).toEqual(["t.echo", "t.secret", "t.sum"])
  })

  test("an announcement in its own subject with another's name says nothing of the other", async () => {
    const remote = await mirror()
    await until(() => remote.list().includes("t.echo"))
    for (const body of [announcement({ worker: "w1", draining: true }), announcement({ worker: "w1", count: 0, catalogHash: "" }), announcement({ worker: "all" }), announcement({ worker: "a.b.>" })]) {
      for (let n = 0; n < 3; n++) rogue.publish("ops.v1.announce.rogue", body)
    }
    await rogue.flush()
    expect((await remote.execute("t.echo", "still here")).data).toBe("still here")
    expect(remote.list()).toContain("t.echo")
  })

  test.each<[string, unknown]>([
    ["nothing", ""],
    ["half of a JSON text", '{"v":1'],
    ["null", "null"],
    ["wrong members", { v: 1, worker: "rogue", seq: {}, catalogHash: 5, count: "x", load: null, draining: "no" }],
    ["another version", announcement({ v: 2 })],
    ["numbers without end", announcement({ seq: 1e308, count: 1e308 })],
    ["a hash of 900 kB", announcement({ catalogHash: "x".repeat(900_000) })],
  ])("an announcement of %s leaves the mirror as it is", async (_, body) => {
    const remote = await mirror()
    await until(() => remote.list().includes("t.echo"))
    rogue.publish("ops.v1.announce.rogue", body)
    await rogue.flush()
    expect((await remote.execute("t.echo", "still here")).data).toBe("still here")
  })

  test("another definition of an operation that is there does not take it away: it stays, both are reported, calls go to its own worker", { timeout: 120_000 }, async () => {
    const remote = await mirror()
    await until(() => remote.list().includes("t.echo"))
    const spec = { name: "echo", namespace: "t", version: "6.6.6", type: "mutation", description: "stolen", inputSchema: {}, outputSchema: {} }
    let stolen = 0
    for (const subject of ["ops.v1.call.*.t.>", "ops.v1.to.rogue.*.t.>"]) {
      rogue.serve(subject, "ops", ({ reply, body }) => {
        stolen++
        if (reply !== undefined) rogue.publish(reply, { v: 1, t: "call.responded", requestId: body?.["requestId"], output: envelopeOf("stolen") })
      })
    }
    rogue.serve("ops.v1.catalog.rogue.*", "ops", ({ reply }) => {
      if (reply !== undefined) rogue.publish(reply, { v: 1, worker: "rogue", hash: "0".repeat(64), operations: [spec] })
    })
    await rogue.flush()
    let seq = 10
    const announcing = setInterval(() => rogue.publish("ops.v1.announce.rogue", announcement({ seq: seq++ })), 100)
    try {
      await until(() => remote.conflicts().length > 0)
      const before = stolen
      expect(remote.getSpec("t.echo")?.version).toBe("1.0.0")
      for (let n = 0; n < 40; n++) expect((await remote.execute("t.echo", n)).data).toBe(n)
      expect(stolen).toBe(before)
      const text = JSON.stringify(remote.conflicts())
      for (const name of ["t.echo", "w1", "rogue"]) expect(text).toContain(name)
    } finally {
      clearInterval(announcing)
    }
  })

  test("a worker that claims an operation before its real worker is seen does not keep the real one from being called", { timeout: 120_000 }, async () => {
    // `stranger` may serve `other.*` alone; it tells every new mirror that it has t.sum.
    const stranger = await RawClient.connect({ ...secured.as("stranger"), caller: "stranger" })
    const spec = { name: "sum", namespace: "t", version: "6.6.6", type: "mutation", description: "squatted", inputSchema: {}, outputSchema: {} }
    stranger.serve("ops.v1.catalog.stranger.*", "ops", ({ reply }) => {
      if (reply !== undefined) stranger.publish(reply, { v: 1, worker: "stranger", hash: "1".repeat(64), operations: [spec] })
    })
    // It listens wherever the server lets it, and answers whatever comes.
    let stolen = 0
    for (const subject of ["ops.v1.to.stranger.>", "ops.v1.to.stranger.*.t.>", "ops.v1.call.*.t.>"]) {
      stranger.serve(subject, "ops", ({ reply, body }) => {
        stolen++
        if (reply !== undefined) stranger.publish(reply, { v: 1, t: "call.responded", worker: "stranger", requestId: body?.["requestId"], output: envelopeOf("stolen") })
      })
    }
    await stranger.flush()
    let seq = 1
    const announcing = setInterval(() => stranger.publish("ops.v1.announce.stranger", announcement({ worker: "stranger", seq: seq++, catalogHash: "1".repeat(64) })), 5)
    try {
      const remote = await mirror()
      await until(() => remote.list().includes("t.echo") && remote.list().includes("t.sum"))
      expect((await remote.execute("t.sum", { a: 2, b: 3 })).data).toBe(5)
      expect(stolen).toBe(0)
    } finally {
      clearInterval(announcing)
    }
    worker.expectWell()
  })
})
