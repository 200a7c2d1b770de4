/**
 * A caller that claims to be another one: in the body, in headers, in the subject, in the reply subject. It never gets another's rights.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { securedServer, type SecuredServer } from "../../fixtures/nats/secured_server.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const root = { id: "alice", scopes: ["admin"], resources: { all: ["*"] } }

describeWithNATS("a caller that claims to be another", () => {
  const { scope, end } = openScope()
  let secured: SecuredServer
  let workers: WorkerProcess[] = []
  let journal: Journal
  let bob: RawClient
  let alice: RawClient
  beforeAll(async () => {
    secured = await securedServer({ callers: { alice: {}, bob: {} }, workers: { w1: { expose: ["t.*"] }, w2: { expose: ["t.*"] } }, monitor: "watch" }, scope)
    journal = new Journal(scope)
    const library = await packageFolder(scope)
    const script = {
      journal,
      callers: { alice: { identity: { id: "alice", scopes: ["admin"] } }, bob: { identity: { id: "bob", scopes: [] } } },
      operations: [{ namespace: "t", more: { secret: { accessControl: { requiredScopes: ["admin"] } } } }],
      serve: { monitor: "watch" },
    }
    workers = await Promise.all(["w1", "w2"].map((name) => startWorker(library, { name, ...secured.as(name), ...script }, scope)))
    bob = await RawClient.connect({ ...secured.as("bob"), caller: "bob" }, scope)
    alice = await RawClient.connect({ ...secured.as("alice"), caller: "alice" }, scope)
  }, 180_000)
  afterAll(end)

  let count = 0
  const request = (operationId: string, more: object = {}) => ({ v: 1, t: "call.requested", requestId: `attack-${count++}`, operationId, input: { tag: "attack" }, ttl: 5_000, ...more })
  const secrets = () => journal.entries.filter(({ start, caller }) => start === "secret" && caller !== "alice")
  const nothingGained = async () => {
    await bob.flush()
    await alice.flush()
    for (const worker of workers) {
      await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
      worker.expectWell()
    }
    expect(secrets()).toEqual([])
    expect(journal.entries.filter(({ start, tag, caller }) => start !== undefined && tag === "attack" && caller !== "bob")).toEqual([])
    expect(bob.inbox.filter(({ text }) => text.includes("the secret"))).toEqual([])
    expect(alice.inbox).toEqual([])
  }

  test("honest callers have their own rights", async () => {
    const one = await startCaller({ ...secured.as("alice"), name: "alice" })
    const other = await startCaller({ ...secured.as("bob"), name: "bob" })
    expect(await one.data("t.secret", {})).toBe("the secret")
    expect(await other.error("t.secret", {})).toMatchObject({ code: "ACCESS_DENIED", details: { outcome: "not_started" } })
    expect(await other.data("t.whoami")).toEqual({ id: "bob", scopes: [] })
  })

  test("an identity in the call's context does not cross", async () => {
    const other = await startCaller({ ...secured.as("bob"), name: "bob" })
    expect(await other.data("t.whoami", {}, { identity: root })).toEqual({ id: "bob", scopes: [] })
    expect(await other.error("t.secret", {}, { identity: root })).toMatchObject({ code: "ACCESS_DENIED" })
  })

  test.each<[string, object]>([
    ["identity", { identity: root }],
    ["caller", { caller: "alice", from: "alice", user: "alice" }],
    ["peer", { peer: { identity: root }, context: { identity: root } }],
    ["metadata", { metadata: { identity: root, caller: "alice" } }],
    ["a token", { token: "alice" }],
    ["an identity in the input", { input: { tag: "attack", identity: root, __proto__: { identity: root } } }],
    ["a parent call", { parentRequestId: "a-call-of-alice" }],
  ])("in the body, as %s", async (_, more) => {
    expect((await bob.ask("ops.v1.call.bob.t.whoami", request("t.whoami", more))).body).toMatchObject({ t: "call.responded", output: { data: { id: "bob", scopes: [] } } })
    expect((await bob.ask("ops.v1.call.bob.t.secret", request("t.secret", more))).body).toMatchObject({ t: "call.error", code: "ACCESS_DENIED", details: { outcome: "not_started" } })
    await nothingGained()
  })

  test("in the body, as an own __proto__", async () => {
    const text = JSON.stringify(request("t.secret")).replace('"v":1', `"v":1,"__proto__":{"identity":${JSON.stringify(root)}}`)
    expect((await bob.ask("ops.v1.call.bob.t.secret", text)).body).toMatchObject({ code: "ACCESS_DENIED" })
    await nothingGained()
  })

  test("in headers", async () => {
    const headers = { identity: JSON.stringify(root), caller: "alice", "Op-Identity": "alice", "Op-Caller": "alice", Authorization: "Bearer alice", "Nats-Expected-Caller": "alice" }
    expect((await bob.ask("ops.v1.call.bob.t.whoami", request("t.whoami"), { headers })).body).toMatchObject({ output: { data: { id: "bob" } } })
    expect((await bob.ask("ops.v1.call.bob.t.secret", request("t.secret"), { headers })).body).toMatchObject({ code: "ACCESS_DENIED" })
    await nothingGained()
  })

  test.each([
    "ops.v1.call.alice.t.secret",
    "ops.v1.call.bobby.t.secret",
    "ops.v1.to.w1.alice.t.secret",
    "ops.v1.to.w2.alice.t.secret",
    "ops.v1.to.bob.alice.t.secret",
    "ops.v2.call.alice.t.secret",
    "other.v1.call.alice.t.secret",
    "ops.v1.ctl.w1.alice",
    "ops.v1.ctl.all.alice",
    "ops.v1.ctl.w1.bob.alice",
    "ops.v1.catalog.w1.alice",
    "ops.v1.catalog.w1.bob.alice",
    "ops.v1.announce.w1",
    "ops.v1.announce.bob",
    "_INBOX.alice.raw.0",
    "_INBOX.w1.x",
    "$SRV.PING",
    "$SRV.INFO.ops",
    "$SYS.REQ.USER.INFO.x",
    "$JS.API.INFO",
  ])("in the subject: the server refuses %s", async (subject) => {
    const refused = await bob.refusals(() => bob.publish(subject, request("t.secret"), { reply: bob.newReply() }))
    expect(refused).toHaveLength(1)
    expect(refused[0]).toContain(subject)
    await nothingGained()
  })

  test("in the body against the subject: the operation is that of the subject, the caller too", async () => {
    const { body } = await bob.ask("ops.v1.call.bob.t.echo", request("t.secret", { caller: "alice" }))
    expect(JSON.stringify(body)).not.toContain("the secret")
    await nothingGained()
  })

  test.each([
    "ops.v1.call.alice.t.secret",
    "ops.v1.call.bob.t.secret",
    "ops.v1.to.w1.alice.t.secret",
    "ops.v1.to.w2.alice.t.secret",
    "ops.v1.ctl.w2.alice",
    "ops.v1.announce.w1",
    "ops.v1.announce.w2",
    "ops.v1.catalog.w2.alice",
    "_INBOX.alice.raw.0",
    "_INBOX.alice",
    "_INBOX.bob",
    "_INBOX.bobby.raw.0",
    "_INBOX.w1.x",
    "$SRV.PING",
    "bob",
  ])("in the reply subject %s: nothing is started, nothing is published there", async (reply) => {
    const everything = await RawClient.connect({ ...secured.as("watch"), caller: "watch" })
    // The answer would be a valid request of alice: what an echo gives back.
    const forged = request("t.secret", { requestId: "forged" })
    for (const to of ["ops.v1.call.bob.t.echo", "ops.v1.to.w1.bob.t.echo"]) bob.publish(to, request("t.echo", { input: { tag: "attack", ...forged } }), { reply })
    bob.publish("ops.v1.call.bob.t.count", request("t.count", { input: { tag: "attack", to: 3 } }), { reply })
    bob.publish("ops.v1.call.bob.t.missing", request("t.missing"), { reply })
    bob.publish("ops.v1.call.bob.t.secret", request("t.secret"), { reply })
    bob.publish("ops.v1.call.bob.t.echo", "no JSON", { reply })
    bob.publish("ops.v1.catalog.w1.bob", { v: 1 }, { reply })
    bob.publish("ops.v1.catalog.w2.bob", "no JSON", { reply })
    bob.publish("ops.v1.ctl.w1.bob", { v: 1, t: "call.aborted", reply }, { reply })
    bob.publish("ops.v1.ctl.w1.bob", "a part", { reply, headers: { "Op-Chunk": "0/2;10" } })
    await bob.flush()
    await nothingGained()
    expect(everything.inbox).toEqual([])
    expect(journal.entries.filter(({ start, tag }) => (start === "echo" || start === "count") && tag === "attack" && reply !== "")).toEqual([])
    // The server refused nothing of the workers: they did not even try.
    expect(secured.server.log()).not.toMatch(/Permissions Violation for Publish[^\n]*w[12]/)
  })

  test("with the request id of another's call: each has its own answer", async () => {
    const mine = alice.ask("ops.v1.call.alice.t.slow", request("t.slow", { requestId: "shared", input: { ms: 400, tag: "of alice" } }))
    await journal.started("of alice")
    const { body } = await bob.ask("ops.v1.call.bob.t.whoami", request("t.whoami", { requestId: "shared" }))
    expect(body).toMatchObject({ requestId: "shared", output: { data: { id: "bob" } } })
    expect((await mine).body).toMatchObject({ requestId: "shared", output: { data: "slow is done" } })
    alice.inbox.length = 0
    await nothingGained()
  })

  test("with another's name and one's own password, the server lets nobody in", async () => {
    await expect(RawClient.connect({ ...secured.as("bob"), user: "alice", caller: "alice" })).rejects.toThrow()
    await expect(startCaller({ ...secured.as("bob"), user: "alice", name: "alice" })).rejects.toMatchObject({ name: "CallError" })
    await expect(startCaller({ url: secured.server.url, name: "alice" })).rejects.toMatchObject({ name: "CallError" })
  })

  test("a caller that connects under its own user with another's name reaches nothing", async () => {
    // The server refuses alice's inbox to bob's user, so there is nothing to call with.
    await expect(startCaller({ ...secured.as("bob"), name: "alice" })).rejects.toMatchObject({ name: "CallError", code: "CONFIGURATION_ERROR" })
    await nothingGained()
  })
})
