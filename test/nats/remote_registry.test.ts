import { Type } from "@sinclair/typebox"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { operationDigest } from "../../src/drift.js"
import { mcpEnvelope, type ResponseEnvelope } from "../../src/envelope.js"
import { CallError } from "../../src/error.js"
import { createRemoteRegistry, type RemoteRegistry } from "../../src/nats/remote_registry.js"
import type { RemoteRegistryOptions } from "../../src/nats/remote_options.js"
import type { RemoteReport } from "../../src/nats/remote_report.js"
import { connectNATS } from "../../src/nats/connect_nats.js"
import type { NATSConnection } from "../../src/nats/connection.js"
import { serve, type NATSWorker, type ServeOptions } from "../../src/nats/worker.js"
import { defineOperation, specToJSON, type AnyOperation, type Identity } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

const anything = Type.Unknown()
const Row = Type.Object({ id: Type.Number(), name: Type.String() })

function operation(namespace: string, name: string, more: Partial<AnyOperation> = {}): AnyOperation {
  return { ...defineOperation({ namespace, name, inputSchema: anything, outputSchema: anything, handler: () => null }), ...more }
}

/** An operation whose worker says that its data fits `Row`, whatever it is. */
function claims(data: unknown, conformance: "exact" | "cast" | "untyped", more: Partial<AnyOperation> = {}): AnyOperation {
  return operation("db", "row", { outputSchema: Row, handler: () => mcpEnvelope(data, { isError: false, content: [], server: "db", tool: "row", conformance }), ...more })
}

describeWithNATS("a registry of the operations of all workers", () => {
  let server: NATSServer
  const ends: (() => Promise<unknown>)[] = []
  let names = 0
  let started = 0

  beforeAll(async () => {
    server = await natsServer()
  })

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  afterAll(() => server.stop())

  async function connected(caller: string): Promise<NATSConnection> {
    const connection = await connectNATS({ servers: server.url, caller })
    ends.push(() => connection.close())
    return connection
  }

  interface TestWorker {
    readonly worker: NATSWorker
    readonly registry: OperationRegistry
    readonly connection: NATSConnection
  }

  /** Tests share a server, and no prefix. */
  const prefix = () => `t${names}`

  async function workerWith(name: string, operations: readonly AnyOperation[], more: Partial<ServeOptions> = {}): Promise<TestWorker> {
    const registry = new OperationRegistry()
    registry.registerAll(operations)
    const connection = await connected(name)
    const identify = (caller: string): Identity => ({ id: caller, scopes: caller === "admin" ? ["admin"] : [] })
    const worker = await serve({ registry, connection, identify, expose: ["*"], name, prefix: prefix(), announceEveryMs: 100, ...more })
    ends.push(() => worker.close())
    started++
    return { worker, registry, connection }
  }

  /** Without another word of the test nobody is dropped for silence, however slow the machine is. */
  async function mirror(more: Partial<RemoteRegistryOptions> = {}): Promise<RemoteRegistry & { readonly reports: RemoteReport[] }> {
    const reports: RemoteReport[] = []
    const caller = more.caller ?? "alice"
    const connection = more.connection ?? (await connected(caller))
    const remote = await createRemoteRegistry({ connection, caller, prefix: prefix(), announceEveryMs: 60_000, discoverMs: 0, onReport: (report) => reports.push(report), ...more })
    ends.push(() => remote.close())
    await until(remote, () => remote.workers().filter(({ operations }) => operations > 0).length === started)
    return Object.assign(remote, { reports })
  }

  /** Waits until the mirror has changed so that it holds. */
  async function until(remote: RemoteRegistry, holds: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return
        unhear()
        clearInterval(timer)
        resolve()
      }
      const unhear = remote.onChange(look)
      // Reports and counts have no event of their own.
      const timer = setInterval(look, 10)
      look()
    })
  }

  afterEach(() => {
    names++
    started = 0
  })

  test("holds operations that look like the worker's own and answer with the same envelopes", async () => {
    const read = operation("fs", "read", {
      title: "Read",
      tags: ["files"],
      inputSchema: Type.Object({ path: Type.String() }),
      outputSchema: Type.Object({ text: Type.String() }),
      errorSchemas: [{ code: "NO_FILE", schema: Type.Object({ path: Type.String() }) }],
      handler: ({ path }: { path: string }) => ({ text: `of ${path}` }),
    })
    const { registry } = await workerWith("w1", [read])
    const remote = await mirror()
    expect(remote.list()).toEqual(["fs.read"])
    const spec = remote.getSpec("fs.read")
    expect(spec).toBe(remote.registry.getSpec("fs.read"))
    expect(spec === undefined ? undefined : specToJSON(spec)).toEqual(specToJSON(read))
    expect(spec === undefined ? undefined : operationDigest(spec)).toBe(operationDigest(read))
    const there = await remote.registry.execute("fs.read", { path: "a" })
    const here = await registry.execute("fs.read", { path: "a" })
    expect(there.data).toEqual({ text: "of a" })
    expect({ ...there.meta, timestamp: 0 }).toEqual({ ...here.meta, timestamp: 0 })
    expect((await remote.execute("fs.read", { path: "b" })).data).toEqual({ text: "of b" })
    expect(remote.workers()).toMatchObject([{ name: "w1", count: 1, operations: 1, load: { inFlight: 0, queued: 0, concurrency: 256 } }])
  })

  test("has the workers that answered while this process stood still", async () => {
    await workerWith("w1", [operation("fs", "read")], { announceEveryMs: 60_000 })
    const probe = await connected("probe")
    probe.subscribe(`${prefix()}.v1.ctl.all.alice`, {
      callback: () => {
        const until = performance.now() + 1_700
        while (performance.now() < until);
      },
    })
    await probe.flush()
    const remote = await createRemoteRegistry({ connection: await connected("alice"), caller: "alice", prefix: prefix(), discoverMs: 1_500 })
    ends.push(() => remote.close())
    expect(remote.list()).toEqual(["fs.read"])
  })

  test("leaves the check of the input to the worker", async () => {
    await workerWith("w1", [operation("fs", "read", { inputSchema: Type.Object({ path: Type.String() }) })])
    const remote = await mirror()
    for (const target of [remote, remote.registry]) {
      await expect(target.execute("fs.read", { path: 5 })).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { outcome: "not_started" } })
    }
  })

  test("subscriptions give their items and end", async () => {
    async function* count() {
      for (let index = 0; index < 100; index++) yield await Promise.resolve(index)
    }
    await workerWith("w1", [operation("fs", "watch", { type: "subscription", handler: count })])
    const remote = await mirror()
    for (const target of [remote, remote.registry]) {
      const items: unknown[] = []
      for await (const { data } of target.subscribe("fs.watch")) items.push(data)
      expect(items).toEqual(Array.from({ length: 100 }, (_, index) => index))
    }
    const items = remote.subscribe("fs.watch")
    expect((await items.next()).value?.data).toBe(0)
    await items.return?.()
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  test("reads a catalogue above 1 MB whole", async () => {
    const description = "x".repeat(3_000)
    await workerWith(
      "w1",
      Array.from({ length: 500 }, (_, index) => operation("fs", `op${index}`, { description })),
    )
    const remote = await mirror()
    await until(remote, () => remote.list().length === 500)
    expect(remote.registry.getSpec("fs.op499")?.description).toBe(description)
    expect(remote.reports).toEqual([])
  })

  test("shows a caller what it may run", async () => {
    await workerWith("w1", [operation("fs", "read"), operation("fs", "wipe", { accessControl: { requiredScopes: ["admin"] } })])
    const [alice, admin] = [await mirror(), await mirror({ caller: "admin" })]
    expect(alice.list()).toEqual(["fs.read"])
    expect(admin.list()).toEqual(["fs.read", "fs.wipe"])
    await expect(alice.execute("fs.wipe")).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
    // No local check: whoever calls it here, alice is whom the worker knows.
    expect((await admin.execute("fs.wipe", {}, { identity: { id: "nobody", scopes: [] } })).data).toBeNull()
  })

  test("an unknown operation is not sent, and the nearest ones are named", async () => {
    const { worker } = await workerWith("w1", [operation("fs", "read_file")])
    const remote = await mirror()
    const error: unknown = await remote.execute("fs.read_fil").catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "OPERATION_NOT_FOUND", details: { nearest: ["fs.read_file"], outcome: "not_started" } })
    expect(worker.health()).toMatchObject({ served: 0, refused: 0 })
  })

  test("follows workers that join, change and leave", async () => {
    const remote = await mirror()
    expect(remote.list()).toEqual([])
    const { worker, registry } = await workerWith("w1", [operation("fs", "read", { description: "first" })])
    await until(remote, () => remote.list().length === 1)
    registry.register(operation("fs", "write"))
    registry.register(operation("fs", "read", { description: "second" }), { replace: true })
    await until(remote, () => remote.getSpec("fs.read")?.description === "second")
    expect(remote.registry.list().sort()).toEqual(["fs.read", "fs.write"])
    registry.unregister("fs.write")
    await until(remote, () => remote.list().length === 1)
    const held = remote.registry.getHandler("fs.read")
    await worker.drain(30_000)
    await until(remote, () => remote.list().length === 0)
    expect(remote.registry.list()).toEqual([])
    expect(remote.workers()).toEqual([])
    await expect(Promise.resolve(held?.({} as never, {}))).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { outcome: "not_started" } })
  })

  test("a worker that falls silent is dropped, while a call at another goes on", async () => {
    let answer = (_: unknown): void => undefined
    const slow = operation("db", "slow", { handler: () => new Promise((resolve) => (answer = resolve)) })
    const { connection } = await workerWith("w1", [operation("fs", "read")])
    await workerWith("w2", [slow])
    // Dropped after three seconds of silence: w2 is heard every 250 ms.
    const remote = await mirror({ announceEveryMs: 1_000 })
    expect(remote.list().sort()).toEqual(["db.slow", "fs.read"])
    const call = remote.execute("db.slow")
    await connection.close()
    await until(remote, () => remote.list().length === 1)
    answer("done")
    expect((await call).data).toBe("done")
  })

  test("a worker that drains takes no new calls, and the one in flight is answered", async () => {
    let answer = (_: unknown): void => undefined
    let begun = (): void => undefined
    const running = new Promise<void>((resolve) => (begun = resolve))
    const slow = operation("db", "slow", {
      handler: () => {
        begun()
        return new Promise((resolve) => (answer = resolve))
      },
    })
    const { worker } = await workerWith("w1", [slow])
    const remote = await mirror()
    const call = remote.execute("db.slow")
    await running
    const drained = worker.drain(60_000)
    await until(remote, () => remote.list().length === 0)
    answer("done")
    expect((await call).data).toBe("done")
    await drained
  })

  test("of two definitions the one seen longest stays, and the other's worker gets no calls of it until it is the last", async () => {
    const who = (name: string, description = "") => operation("fs", "who", { description, handler: () => name })
    const first = await workerWith("w1", [who("w1"), operation("fs", "own1")])
    const remote = await mirror()
    const { registry } = await workerWith("w2", [who("w2", "another one")])
    await until(remote, () => remote.conflicts().length === 1)
    expect(remote.conflicts()).toEqual([
      { operationId: "fs.who", kept: { digest: operationDigest(who("")), workers: ["w1"] }, refused: [{ digest: operationDigest(who("", "another one")), workers: ["w2"] }] },
    ])
    expect(remote.reports).toMatchObject([{ kind: "conflict", worker: "w2", operationId: "fs.who" }])
    const answers = new Set<unknown>()
    for (let index = 0; index < 30; index++) answers.add((await remote.execute("fs.who")).data)
    expect([...answers]).toEqual(["w1"])
    await first.worker.close()
    await until(remote, () => remote.conflicts().length === 0)
    expect(remote.getSpec("fs.who")?.description).toBe("another one")
    expect((await remote.execute("fs.who")).data).toBe("w2")
    // A worker that comes to agree is no conflict any more.
    const third = await workerWith("w3", [who("w3")])
    await until(remote, () => remote.conflicts().length === 1)
    third.registry.register(who("w3", "another one"), { replace: true })
    await until(remote, () => remote.conflicts().length === 0)
    expect(registry.list()).toEqual(["fs.who"])
  })

  test("calls are spread over workers that agree, and over the holders where a worker of the namespace lacks the operation", async () => {
    const who = (name: string) => operation("fs", "who", { handler: () => name })
    await workerWith("w1", [who("w1")])
    await workerWith("w2", [who("w2")])
    const remote = await mirror()
    const ask = async () => {
      const answers = new Set<unknown>()
      for (let index = 0; index < 60; index++) answers.add((await remote.execute("fs.who")).data)
      return [...answers].sort()
    }
    expect(await ask()).toEqual(["w1", "w2"])
    const { worker } = await workerWith("w3", [operation("fs", "other")])
    await until(remote, () => remote.list().length === 2)
    expect(await ask()).toEqual(["w1", "w2"])
    expect(worker.health()).toMatchObject({ served: 0, refused: 0 })
  })

  test("local operations win, and the remote one comes back when the local one has gone", async () => {
    await workerWith("w1", [operation("fs", "read", { handler: () => "remote" }), operation("fs", "late", { handler: () => "remote" })])
    const registry = new OperationRegistry()
    const local = (name: string) => operation("fs", name, { handler: () => "local" })
    registry.register(local("read"))
    const remote = await mirror({ registry })
    const both = async () => Promise.all(["fs.read", "fs.late"].map(async (id) => (await registry.execute(id)).data))
    expect(await both()).toEqual(["local", "remote"])
    registry.register(local("late"))
    expect(await both()).toEqual(["local", "local"])
    registry.unregister("fs.read")
    registry.unregister("fs.late")
    await Promise.resolve()
    expect(await both()).toEqual(["remote", "remote"])
    expect((await remote.execute("fs.read")).data).toBe("remote")
    registry.register(local("read"))
    await remote.close()
    expect(registry.list()).toEqual(["fs.read"])
    expect((await registry.execute("fs.read")).data).toBe("local")
  })

  test.each<[string, AnyOperation, Partial<ResponseEnvelope["meta"]>, number]>([
    ["data that fits is left as it is", claims({ id: 1, name: "a" }, "exact"), { conformance: "exact" }, 0],
    ["data that is said to fit and does not arrives as invalid, with its issues", claims({ id: "1" }, "exact"), { conformance: "invalid" }, 1],
    ["the same where it is said to have been cast", claims({ id: "1", name: "a" }, "cast"), { conformance: "invalid" }, 1],
    ["data of which nothing is said is nobody's misfit", claims({ id: "1" }, "untyped"), { conformance: "untyped" }, 0],
    [
      "what the worker's host took out is named already",
      claims({ id: 1, name: null }, "exact", {
        handler: () => {
          const { data, meta } = mcpEnvelope({ id: 1, name: null }, { isError: false, content: [], conformance: "exact" })
          return { data, meta: { ...meta, reduced: [{ by: "redact", path: "/data/name" }] } }
        },
      }),
      { conformance: "exact" },
      0,
    ],
  ])("%s", async (_, claimed, meta, misfits) => {
    await workerWith("w1", [claimed])
    const remote = await mirror()
    const envelope = await remote.execute("db.row")
    expect(envelope.meta).toMatchObject(meta)
    expect("issues" in envelope.meta).toBe(misfits > 0)
    expect([...remote.misfits()]).toEqual(misfits === 0 ? [] : [["w1", misfits]])
    expect(remote.reports.map(({ kind, worker }) => [kind, worker])).toEqual(misfits === 0 ? [] : [["misfit", "w1"]])
  })

  test("items of a subscription are looked at, too", async () => {
    async function* rows() {
      for (const data of [{ id: 1, name: "a" }, { id: 2 }]) yield await Promise.resolve(mcpEnvelope(data, { isError: false, content: [], conformance: "exact" }))
    }
    await workerWith("w1", [claims(undefined, "exact", { type: "subscription", handler: rows })])
    const remote = await mirror()
    const found: unknown[] = []
    for await (const { meta } of remote.subscribe("db.row")) found.push("conformance" in meta ? meta.conformance : undefined)
    expect(found).toEqual(["exact", "invalid"])
    expect([...remote.misfits()]).toEqual([["w1", 1]])
  })

  test("errors of the worker arrive as they are", async () => {
    const fail = operation("fs", "fail", {
      errorSchemas: [{ code: "NO_FILE" }],
      handler: () => {
        throw new CallError("NO_FILE", "There is none", { details: { path: "a" } })
      },
    })
    await workerWith("w1", [fail])
    const remote = await mirror()
    for (const target of [remote, remote.registry]) {
      await expect(target.execute("fs.fail")).rejects.toMatchObject({ code: "NO_FILE", message: "There is none", details: { path: "a" } })
    }
  })

  test("closing takes the operations out and ends what is open; later calls are refused", async () => {
    await workerWith("w1", [operation("fs", "slow", { handler: () => new Promise(() => undefined) })])
    const registry = new OperationRegistry()
    const remote = await mirror({ registry })
    const call = remote.execute("fs.slow")
    await remote.close()
    await expect(call).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    await expect(remote.execute("fs.slow")).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(registry.list()).toEqual([])
  })
})
