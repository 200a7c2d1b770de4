import { EventEmitter, once } from "node:events"
import { Type } from "@sinclair/typebox"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { isCallError } from "../../src/error.js"
import { connectNATS } from "../../src/nats/connect_nats.js"
import type { NATSConnection } from "../../src/nats/connection.js"
import type { RemoteRegistryOptions } from "../../src/nats/remote_options.js"
import { createRemoteRegistry, type RemoteRegistry } from "../../src/nats/remote_registry.js"
import { serve, type NATSWorker, type ServeOptions } from "../../src/nats/worker.js"
import { defineOperation, type AnyOperation } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

/** Where a worker is lost: seen after three of them. Nobody else is lost or dropped for silence, however slow the machine is. */
const KEEP_ALIVE_MS = 500
const NEVER_MS = 60_000

function operation(name: string, more: Partial<AnyOperation> = {}): AnyOperation {
  return { ...defineOperation({ namespace: "fs", name, inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler: () => null }), ...more }
}

describeWithNATS("calls of remote operations when something goes wrong", () => {
  let server: NATSServer
  let count = 0
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    server = await natsServer()
  })

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
    count++
  })

  afterAll(() => server.stop())

  async function connected(caller: string): Promise<NATSConnection> {
    const connection = await connectNATS({ servers: server.url, caller, reconnectTimeWait: 50 })
    ends.push(() => connection.close())
    return connection
  }

  async function workerWith(name: string, operations: readonly AnyOperation[], more: Partial<ServeOptions> = {}) {
    const registry = new OperationRegistry()
    registry.registerAll(operations)
    const connection = more.connection ?? (await connected(name))
    const worker: NATSWorker = await serve({ registry, identify: (id) => ({ id, scopes: [] }), expose: ["*"], name, prefix: `f${count}`, announceEveryMs: 100, keepAliveMs: NEVER_MS, acceptMs: 10, ...more, connection })
    ends.push(() => worker.close())
    return { worker, registry, connection }
  }

  async function mirror(workers: number, more: Partial<RemoteRegistryOptions> = {}): Promise<RemoteRegistry> {
    const connection = more.connection ?? (await connected("alice"))
    const remote = await createRemoteRegistry({ caller: "alice", prefix: `f${count}`, announceEveryMs: NEVER_MS, discoverMs: 0, keepAliveMs: NEVER_MS, ...more, connection })
    ends.push(() => remote.close())
    await until(() => remote.workers().filter(({ operations }) => operations > 0).length === workers)
    return remote
  }

  /** Resolves when the server has noticed that a worker's connection is closed: what is sent before that is lost, and nobody says so. */
  async function serverLost(name: string): Promise<void> {
    const connection = await connected("probe")
    let lost = false
    connection.subscribe("_INBOX.probe.1", {
      callback: (_, { headers }) => {
        lost ||= headers?.code === 503
      },
    })
    await until(() => {
      connection.publish(`f${count}.v1.ctl.${name}.probe`, "", { reply: "_INBOX.probe.1" })
      return lost
    })
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  /** Two workers; the first of them to be called hangs until it is killed. */
  async function twoOfWhichOneDies(spec: Partial<AnyOperation>) {
    const events = new EventEmitter()
    let calls = 0
    const connections: NATSConnection[] = []
    for (const index of [0, 1]) {
      const handler = () => {
        calls++
        if (calls > 1) return `answered at attempt ${calls}`
        events.emit("hangs", index)
        return new Promise(() => undefined)
      }
      connections.push((await workerWith(`w${index + 1}`, [operation("slow", { handler, ...spec })], { keepAliveMs: KEEP_ALIVE_MS })).connection)
    }
    const hangs = once(events, "hangs")
    const kill = async () => connections[Number((await hangs)[0])]?.close()
    return { kill, calls: () => calls }
  }

  test.each<[string, Partial<AnyOperation>]>([
    ["only reads", { type: "query" }],
    ["is said to be read-only", { annotations: { readOnlyHint: true } }],
    ["is said to be idempotent", { annotations: { idempotentHint: true } }],
  ])("where a trusted worker dies and its operation %s, another one answers", async (_, spec) => {
    const { kill, calls } = await twoOfWhichOneDies(spec)
    const remote = await mirror(2, { keepAliveMs: KEEP_ALIVE_MS, trusted: (worker) => worker.startsWith("w") })
    const call = remote.execute("fs.slow")
    await kill()
    expect((await call).data).toBe("answered at attempt 2")
    expect(calls()).toBe(2)
  })

  test.each<[string, Partial<AnyOperation>, RemoteRegistryOptions["trusted"]]>([
    ["nobody trusts its worker", { type: "query", annotations: { readOnlyHint: true, idempotentHint: true } }, undefined],
    ["the host's word on its worker cannot be had", { type: "query" }, () => { throw new Error("away") }],
    ["it may change something", { annotations: { readOnlyHint: false } }, true],
  ])("an operation never starts twice where %s", async (_, spec, trusted) => {
    const { kill, calls } = await twoOfWhichOneDies(spec)
    const remote = await mirror(2, { keepAliveMs: KEEP_ALIVE_MS, trusted })
    const call = remote.execute("fs.slow")
    const failed = expect(call).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    await kill()
    await failed
    expect(calls()).toBe(1)
  })

  test("a full worker's refusal is tried again until there is room", async () => {
    let release = (_: unknown): void => undefined
    const slow = operation("slow", { handler: (input: unknown) => (input === "hold" ? new Promise((resolve) => (release = resolve)) : "done") })
    const { worker } = await workerWith("w1", [slow], { concurrency: 1, maxQueued: 0, maxPerCaller: 10 })
    const remote = await mirror(1)
    const held = remote.execute("fs.slow", "hold")
    await until(() => worker.health().inFlight === 1)
    const next = remote.execute("fs.slow", "next")
    await until(() => worker.health().refused > 0)
    release("held")
    expect((await next).data).toBe("done")
    expect((await held).data).toBe("held")
  })

  test("a call of a definition that has just changed finds the new one", async () => {
    const { registry } = await workerWith("w1", [operation("who", { handler: () => "old" })], { announceEveryMs: NEVER_MS })
    const beganAt = performance.now()
    const remote = await mirror(1)
    // A worker rests for 250 ms after it has announced itself, a mirror for four times as long as it has read: what changes after that is known at once.
    await new Promise((resolve) => setTimeout(resolve, 300 + 4 * (performance.now() - beganAt)))
    registry.register(operation("who", { description: "new", handler: () => "new" }), { replace: true })
    expect((await remote.execute("fs.who")).data).toBe("new")
    expect(remote.getSpec("fs.who")?.description).toBe("new")
  })

  test("a subscription whose worker has just gone begins at another", async () => {
    async function* items() {
      yield await Promise.resolve(1)
    }
    const first = await workerWith("w1", [operation("watch", { type: "subscription", handler: items })])
    const alice = await connected("alice")
    const remote = await mirror(1, { connection: alice })
    const connection = await connected("w2")
    // Not drained: the mirror believes that it is there.
    await first.connection.close()
    await serverLost("w1")
    const step = remote.subscribe("fs.watch").next()
    // By the first answer the request is with the server, by the second one its refusal is here.
    await alice.flush()
    await alice.flush()
    await workerWith("w2", [operation("watch", { type: "subscription", handler: items })], { connection })
    await expect(step).resolves.toMatchObject({ value: { data: 1 } })
  })

  test("operations stay while the server is away, and can be called when it is back", async () => {
    await workerWith("w1", [operation("who", { handler: () => "here" })])
    // A worker that is silent for three seconds would be dropped, and has them to come back.
    const remote = await mirror(1, { announceEveryMs: 1_000 })
    const changed: string[] = []
    remote.onChange((ids) => changed.push(...ids))
    server.kill()
    const outcomes = async () => {
      try {
        return (await remote.execute("fs.who", {}, { timeoutMs: 5_000 })).data
      } catch (error) {
        return isCallError(error) ? [error.code, error.details["outcome"]] : error
      }
    }
    // Refused at once as soon as the loss is seen; away for longer than the silence after which a worker is dropped.
    const awayUntil = Date.now() + 3_500
    const seen = new Set<string>()
    while (Date.now() < awayUntil || !seen.has('["TRANSPORT_ERROR","not_started"]')) {
      seen.add(JSON.stringify(await outcomes()))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(remote.list()).toEqual(["fs.who"])
    await server.restart()
    let back: unknown
    while (back !== "here") {
      // Refusals come without any wait: the connection must have its turn.
      await new Promise((resolve) => setTimeout(resolve, 20))
      back = await outcomes()
    }
    expect(changed).toEqual([])
  })
})
