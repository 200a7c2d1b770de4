/**
 * What `identify` decides: tokens that are absent, wrong, stolen, and an `identify` that is itself broken. Nobody gets in by mistake.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type KnownCaller, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const DENIED = { code: "ACCESS_DENIED", details: { outcome: "not_started" } }

describeWithNATS("who a caller is", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let worker: WorkerProcess
  let journal: Journal
  beforeAll(async () => {
    // No permissions here: what is tested is the worker alone.
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    const callers: Record<string, KnownCaller> = {
      alice: { identity: { id: "alice", scopes: ["admin"] }, token: "token-of-alice" },
      bob: { identity: { id: "bob", scopes: [] }, token: "token-of-bob" },
      open: { identity: { id: "open", scopes: [] } },
      throws: { does: "throw" },
      rejects: { does: "reject" },
      hangs: { does: "hang" },
      junk: { does: "junk" },
    }
    const operations = [{ namespace: "t", more: { secret: { accessControl: { requiredScopes: ["admin"] } } } }]
    worker = await startWorker(await packageFolder(scope), { name: "w1", url: server.url, journal, callers, operations, serve: { concurrency: 8, maxPerCaller: 16 } }, scope)
  }, 180_000)
  afterAll(end)

  const as = (name: string, token?: string): Promise<Caller> => startCaller({ url: server.url, name, ...(token === undefined ? {} : { transport: { token } }) })
  const startsOf = (tag: string) => journal.starts(tag)

  test("the right token gives the rights of its caller", async () => {
    expect(await (await as("alice", "token-of-alice")).data("t.secret", {})).toBe("the secret")
    const bob = await as("bob", "token-of-bob")
    expect(await bob.data("t.whoami", {})).toEqual({ id: "bob", scopes: [] })
    expect(await bob.error("t.secret", {})).toMatchObject(DENIED)
  })

  test.each<[string, string, string | undefined]>([
    ["no token", "alice", undefined],
    ["an empty token", "alice", ""],
    ["a wrong token", "alice", "token-of-malice"],
    ["the token of another", "alice", "token-of-bob"],
    ["a stolen token under one's own name", "bob", "token-of-alice"],
    ["a stolen token under an unknown name", "carol", "token-of-alice"],
    ["an unknown name", "carol", undefined],
    ["a name of Object.prototype", "constructor", undefined],
    ["the name __proto__", "__proto__", undefined],
    ["the name hasOwnProperty", "hasOwnProperty", "token-of-alice"],
  ])("%s is ACCESS_DENIED for every operation, and starts nothing", async (what, name, token) => {
    const caller = await as(name, token)
    for (const id of ["t.echo", "t.secret", "t.whoami", "t.missing"]) expect(await caller.error(id, { tag: what }), id).toMatchObject(DENIED)
    expect(await caller.items("t.count", { to: 3, tag: what })).toMatchObject({ items: [], error: DENIED })
    expect((await caller.end("t.digest", { text: "x".repeat(3_000_000), tag: what }, { timeoutMs: 8_000 })).error).toMatchObject(DENIED)
    expect(startsOf(what)).toEqual([])
  })

  test.each(["throws", "rejects"])("an identify that %s lets nobody in", async (name) => {
    const caller = await as(name)
    const error = await caller.error("t.echo", { tag: name })
    expect(error.details).toMatchObject({ outcome: "not_started" })
    expect(["ACCESS_DENIED", "EXECUTION_ERROR"]).toContain(error.code)
    expect(startsOf(name)).toEqual([])
    worker.expectWell()
  })

  test("an identify that gives what is no identity gives no rights", async () => {
    const caller = await as("junk")
    expect((await caller.end("t.secret", { tag: "junk" })).error?.details).toMatchObject({ outcome: "not_started" })
    expect(startsOf("junk")).toEqual([])
    worker.expectWell()
  })

  test("an identify that never answers holds up its own caller only, and until the deadline", { timeout: 120_000 }, async () => {
    const caller = await as("hangs")
    const hanging = Array.from({ length: 100 }, () => caller.end("t.echo", { tag: "hangs" }, { timeoutMs: 1_500 }))
    const open = await as("open")
    for (let n = 0; n < 20; n++) expect(await open.data("t.echo", n, { timeoutMs: 1_400 })).toBe(n)
    for (const { error } of await Promise.all(hanging)) expect(["TIMEOUT", "RESOURCE_EXHAUSTED", "ACCESS_DENIED"]).toContain(error?.code)
    expect(startsOf("hangs")).toEqual([])
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    worker.expectWell()
  })

  test("a token that changes is asked for at each call", async () => {
    let token: string | undefined = "token-of-alice"
    const caller = await startCaller({ url: server.url, name: "alice", transport: { token: () => token } })
    expect(await caller.data("t.secret", {})).toBe("the secret")
    token = "expired"
    expect(await caller.error("t.secret", {})).toMatchObject(DENIED)
    token = "token-of-alice"
    expect(await caller.data("t.secret", {})).toBe("the secret")
  })

  test("names that no subject can hold are refused before anything is sent", async () => {
    for (const name of ["a.b", "*", ">", "", "a b", "é", "_INBOX.alice", "a\r\nPUB x 0"]) await expect(as(name), name).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" })
  })
})
