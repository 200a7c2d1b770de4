/**
 * A caller that wants to read what it may not see: catalogues, hidden names, calls and answers of others, the services protocol.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { securedServer, type SecuredServer } from "../../fixtures/nats/secured_server.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("a caller that reads what it may not see", () => {
  const { scope, end } = openScope()
  let secured: SecuredServer
  let worker: WorkerProcess
  let journal: Journal
  let bob: RawClient
  beforeAll(async () => {
    secured = await securedServer({ callers: { alice: {}, bob: {}, nobody: {}, narrow: { operations: ["t.echo"] } }, workers: { w1: { expose: ["t.*"] } }, monitor: "watch" }, scope)
    journal = new Journal(scope)
    const admin = { accessControl: { requiredScopes: ["admin"] }, description: "a description that is secret" }
    worker = await startWorker(
      await packageFolder(scope),
      {
        name: "w1",
        ...secured.as("w1"),
        journal,
        // Exposed: not all of the namespace, and nothing of the other one.
        expose: ["t.echo", "t.secret", "t.slow", "t.endless", "t.throwing"],
        operations: [{ namespace: "t", more: { secret: admin } }, { namespace: "private", only: ["hidden"] }],
        callers: { alice: { identity: { id: "alice", scopes: ["admin"] } }, bob: { identity: { id: "bob", scopes: [] } }, narrow: { identity: { id: "narrow", scopes: [] } } },
        serve: { monitor: "watch", announceEveryMs: 300 },
      },
      scope,
    )
    bob = await RawClient.connect({ ...secured.as("bob"), caller: "bob" }, scope)
  }, 180_000)
  afterAll(end)

  const request = (operationId: string) => ({ v: 1, t: "call.requested", requestId: "r", operationId, input: { tag: "reading" }, ttl: 3_000 })
  const namesIn = (text: string) => [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name).sort()

  test.each<[string, string?]>([
    [">"],
    ["*.>"],
    ["ops.>"],
    ["ops.v1.>"],
    ["ops.v1.call.>"],
    ["ops.v1.call.alice.>"],
    ["ops.v1.call.bob.>"],
    ["ops.v1.call.*.t.>", "ops"],
    ["ops.v1.to.>"],
    ["ops.v1.to.w1.>", "ops"],
    ["ops.v1.ctl.>"],
    ["ops.v1.catalog.>"],
    ["ops.v1.catalog.w1.*", "ops"],
    ["_INBOX.>"],
    ["_INBOX.*.>"],
    ["_INBOX.alice.>"],
    ["_INBOX.alice.>", "q"],
    ["_INBOX.w1.>"],
    ["$SRV.>"],
    ["$SYS.>"],
    ["$JS.>"],
  ])("the server refuses that it listens to %s in the queue %s", async (subject, queue) => {
    expect(await bob.refusals(() => bob.listen(subject, queue))).toHaveLength(1)
  })

  test("its catalogue holds what it may run, and neither name, description nor schema of anything else", async () => {
    const { text, body } = await bob.ask("ops.v1.catalog.w1.bob", { v: 1 })
    expect(body).toMatchObject({ v: 1, worker: "w1" })
    expect(namesIn(text)).toEqual(["echo", "endless", "slow", "throwing"])
    for (const hidden of ["secret", "hidden", "private", "whoami"]) expect(text).not.toContain(hidden)
  })

  test("the catalogue of the one who may run more holds more, and still nothing that is not exposed", async () => {
    const alice = await RawClient.connect({ ...secured.as("alice"), caller: "alice" })
    const { text } = await alice.ask("ops.v1.catalog.w1.alice", { v: 1 })
    expect(namesIn(text)).toEqual(["echo", "endless", "secret", "slow", "throwing"])
    for (const hidden of ["hidden", "private", "whoami"]) expect(text).not.toContain(hidden)
  })

  test("a caller that `identify` does not know gets no catalogue and no answer but ACCESS_DENIED", async () => {
    const nobody = await RawClient.connect({ ...secured.as("nobody"), caller: "nobody" })
    const { body, text } = await nobody.ask("ops.v1.catalog.w1.nobody", { v: 1 })
    expect(body?.["operations"] ?? []).toEqual([])
    expect(text).not.toContain("echo")
    expect((await nobody.ask("ops.v1.call.nobody.t.echo", request("t.echo"))).body).toMatchObject({ code: "ACCESS_DENIED", details: { outcome: "not_started" } })
    expect(journal.entries.filter(({ start, caller }) => start !== undefined && caller === "nobody")).toEqual([])
  })

  test("cursors do not open another's catalogue", async () => {
    const alice = await RawClient.connect({ ...secured.as("alice"), caller: "alice" })
    const { body } = await alice.ask("ops.v1.catalog.w1.alice", { v: 1 })
    for (const cursor of [body?.["next"], "0", "1", 0, 1, -1, "3", "alice", "t.secret", "t.s", 1e9]) {
      expect((await bob.ask("ops.v1.catalog.w1.bob", { v: 1, cursor })).text).not.toContain("secret")
    }
  })

  test.each(["t.secre", "t.secrets", "t.whoam", "t.hidde", "t.hidden2", "secret", "t.Secret"])("the error for %s names no operation that it may not see", async (id) => {
    const name = id.includes(".") ? id.slice(2) : id
    const { text } = await bob.ask(`ops.v1.call.bob.t.${name}`, request(`t.${name}`))
    for (const hidden of ["t.secret", "t.whoami", "t.hidden", "private.hidden"]) expect(text.replaceAll(`"t.${name}"`, "").replaceAll(`t.${name}\\"`, "")).not.toContain(hidden)
  })

  test("an operation that is not exposed cannot be told from one that is not there", async () => {
    const caller = await startCaller({ ...secured.as("bob"), name: "bob" })
    for (const id of ["t.whoami", "t.sum"]) {
      const error = await caller.error(id, {})
      const missing = await caller.error("t.zzzzzzzzzzzz", {})
      expect(error.code).toBe("OPERATION_NOT_FOUND")
      expect(error.message.replace(id, "*")).toBe(missing.message.replace("t.zzzzzzzzzzzz", "*"))
      expect({ ...error.details, operationId: "*" }).toEqual({ ...missing.details, operationId: "*" })
    }
  })

  test("announcements tell no names of operations", async () => {
    const heard = bob.listen("ops.v1.announce.*")
    await bob.flush()
    for (const lastTry = Date.now() + 5_000; heard.length < 2; await new Promise((resolve) => setTimeout(resolve, 20))) expect(Date.now()).toBeLessThan(lastTry)
    for (const { text } of heard) for (const name of ["echo", "secret", "hidden", "private"]) expect(text).not.toContain(name)
  })

  test("the monitor sees services, and neither schemas nor calls", async () => {
    const watch = await RawClient.connect({ ...secured.as("watch"), caller: "watch" })
    for (const verb of ["PING", "INFO", "STATS"]) {
      const { text } = await watch.ask(`$SRV.${verb}`, "")
      expect(text).toContain("w1")
      for (const name of ["secret", "hidden", "private", "inputSchema"]) expect(text).not.toContain(name)
    }
    for (const subject of ["ops.v1.call.watch.t.echo", "ops.v1.call.alice.t.secret", "ops.v1.catalog.w1.watch", "ops.v1.ctl.w1.watch", "ops.v1.announce.w1"]) {
      expect(await watch.refusals(() => watch.publish(subject, request("t.echo"), { reply: watch.newReply() })), subject).toHaveLength(1)
    }
    for (const subject of [">", "ops.>", "_INBOX.alice.>", "ops.v1.call.>"]) expect(await watch.refusals(() => watch.listen(subject)), subject).toHaveLength(1)
  })

  test("what the error of one caller's call says is shown to nobody else, not to the monitor either", async () => {
    const watch = await RawClient.connect({ ...secured.as("watch"), caller: "watch" })
    const said = await bob.ask("ops.v1.call.bob.t.throwing", { ...request("t.throwing"), input: { how: "sync" } })
    expect(said.body).toMatchObject({ message: "thrown at once" })
    for (const verb of ["INFO", "STATS"]) expect((await watch.ask(`$SRV.${verb}`, "")).text).not.toContain("thrown")
  })

  test("a caller that was given some operations only is stopped by the server at the others", async () => {
    const narrow = await RawClient.connect({ ...secured.as("narrow"), caller: "narrow" })
    expect((await narrow.ask("ops.v1.call.narrow.t.echo", request("t.echo"))).body).toMatchObject({ t: "call.responded" })
    for (const subject of ["ops.v1.call.narrow.t.slow", "ops.v1.to.w1.narrow.t.slow", "ops.v1.call.narrow.t.echo.more"]) {
      expect(await narrow.refusals(() => narrow.publish(subject, request("t.slow"), { reply: narrow.newReply() })), subject).toHaveLength(1)
    }
  })

  test("a token that was sent stands in no answer, error or log", async () => {
    const token = "a-token-that-nobody-may-see"
    for (const [subject, body] of [
      ["ops.v1.call.bob.t.echo", { ...request("t.echo"), token }],
      ["ops.v1.call.bob.t.secret", { ...request("t.secret"), token }],
      ["ops.v1.call.bob.t.missing", { ...request("t.missing"), token }],
      ["ops.v1.catalog.w1.bob", { v: 1, token }],
    ] as const) {
      expect((await bob.ask(subject, body)).text).not.toContain(token)
    }
    expect(journal.entries.some((entry) => entry.identify === "bob" && entry.token === token)).toBe(true)
    expect(worker.stderr).not.toContain(token)
    worker.expectWell()
  })
})
