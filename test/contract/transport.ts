/**
 * The contract of a call transport as a test suite: every transport runs it and behaves the same.
 *
 * In: a factory that gives a fresh pair of ends for each test. The ends may be one object (in process) or two connections.
 */
import { Type } from "@sinclair/typebox"
import { afterEach, describe, expect, test } from "vitest"
import { buildCallHandler, PendingRequestMap, type CallAnswer, type CallRequested, type CallTransport } from "../../src/call.js"
import { CallError } from "../../src/error.js"
import { defineOperation, pendingDeadlines, type Identity } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { until } from "../fixtures/servers/server_log.js"

/** Two ends of a transport: calls opened at the caller's end are served at the worker's. */
interface TransportPair {
  readonly caller: CallTransport
  readonly worker: CallTransport
  close(): Promise<void>
}

/** What the suite needs to know of a transport. */
export interface TransportUnderTest {
  readonly name: string
  /** A pair whose worker takes every caller for the given identity, whatever the event says; trusted where none is given. */
  connect(identity?: Identity): Promise<TransportPair>
  /** Breaks the connection while calls are open, as a crash would. */
  breakDown(pair: TransportPair): Promise<void>
  /** Resolves when what is under way has arrived at both ends. Default: some turns of this process. */
  settle?(pair: TransportPair): Promise<void>
}

const anything = Type.Unknown()

/** Runs the contract against a transport. */
export function transportContract(under: TransportUnderTest): void {
  describe(`${under.name} keeps the contract of a call transport`, () => {
    const open: TransportPair[] = []
    const settled = async () => {
      await fewTurns()
      for (const pair of open) await under.settle?.(pair)
    }
    const pairOf = async (identity?: Identity) => {
      const pair = await under.connect(identity)
      open.push(pair)
      return pair
    }
    // A transport over a network has its worker once the server knows of it.
    const serving = async (registry: OperationRegistry, worker: CallTransport) => {
      const served = buildCallHandler({ registry, transport: worker })
      for (const pair of open) await under.settle?.(pair)
      return served
    }
    afterEach(async () => {
      for (const pair of open.splice(0)) await pair.close()
      expect(pendingDeadlines()).toBe(0)
    })

    const registry = () => {
      const own = new OperationRegistry()
      own.registerAll([
        defineOperation({ namespace: "t", name: "echo", inputSchema: anything, outputSchema: anything, handler: (input) => input }),
        defineOperation({
          namespace: "t",
          name: "whoami",
          inputSchema: anything,
          outputSchema: anything,
          handler: (_, context) => context.identity ?? null,
        }),
        defineOperation({
          namespace: "t",
          name: "never",
          inputSchema: anything,
          outputSchema: anything,
          handler: (_, context) => new Promise((_resolve, reject) => context.signal?.addEventListener("abort", () => reject(new Error("stopped")))),
        }),
        defineOperation({
          namespace: "t",
          name: "progress",
          inputSchema: anything,
          outputSchema: anything,
          handler: async (_, context) => {
            for (let progress = 1; progress <= 3; progress++) context.onProgress?.({ progress, total: 3, message: `step ${String(progress)}` })
            await Promise.resolve()
            return "done"
          },
        }),
        defineOperation({
          namespace: "t",
          name: "count",
          type: "subscription",
          inputSchema: Type.Object({ to: Type.Number() }),
          outputSchema: anything,
          handler: async function* ({ to }) {
            for (let n = 0; n < to; n++) yield await Promise.resolve(n)
          },
        }),
      ])
      return own
    }

    test("a call comes back as the envelope that the handler's result is in", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const envelope = await map.call("t.echo", { a: [1, null, "x"] })
      expect(envelope.data).toEqual({ a: [1, null, "x"] })
      expect(envelope.meta).toMatchObject({ source: "local", operationId: "t.echo" })
      expect(map.pendingCount).toBe(0)
    })

    test("200 calls at once each get their own answer", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const envelopes = await Promise.all(Array.from({ length: 200 }, (_, n) => map.call("t.echo", n)))
      expect(envelopes.map(({ data }) => data)).toEqual(Array.from({ length: 200 }, (_, n) => n))
    })

    test("errors cross with code, message and details", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      await expect(map.call("t.missing")).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { operationId: "t.missing", outcome: "not_started" } })
      await expect(map.call("t.missing")).rejects.toBeInstanceOf(CallError)
    })

    test("the identity is what the transport says, not what the event says", async () => {
      const { caller, worker } = await pairOf({ id: "real", scopes: [] })
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const { data } = await map.call("t.whoami", null, { identity: { id: "claimed", scopes: ["admin"] } })
      expect(data).toEqual({ id: "real", scopes: [] })
    })

    test.each<[string, unknown, string]>([
      ["undefined in an object", { a: undefined }, "/a"],
      ["NaN", [NaN], "/0"],
      ["minus zero", { a: [-0] }, "/a/0"],
      ["a Date", { "a/b": new Date(0) }, "/a~1b"],
      ["a BigInt", { n: 1n }, "/n"],
      ["a Map", new Map(), ""],
      ["600 levels", deep(600), "/a".repeat(512)],
    ])("%s is refused on the way in and on the way out, with its pointer", async (_name, value, pointer) => {
      const { caller, worker } = await pairOf()
      const own = registry()
      own.register(defineOperation({ namespace: "t", name: "give", inputSchema: anything, outputSchema: anything, handler: () => value }))
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      await expect(map.call("t.echo", value)).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
        details: { outcome: "not_started", issues: [{ path: pointer, keyword: "json" }] },
      })
      await expect(map.call("t.give")).rejects.toMatchObject({ code: "EXECUTION_ERROR", details: { pointer } })
      expect((await map.call("t.echo", "still here")).data).toBe("still here")
    })

    test("a deadline that passes ends the call at the caller and stops the worker", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      const stopped = new Promise<void>((resolve) => {
        own.register(
          defineOperation({
            namespace: "t",
            name: "slow",
            inputSchema: anything,
            outputSchema: anything,
            handler: (_, context) => new Promise(() => context.signal?.addEventListener("abort", () => resolve())),
          }),
        )
      })
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      await expect(map.call("t.slow", null, { timeoutMs: 2_000 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
      await stopped
      await expect(map.call("t.slow", null, { deadline: Date.now() - 1 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
      expect(map.pendingCount).toBe(0)
    })

    test("an abort ends the call at once, reaches the handler, and keeps its reason here", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      let started = (): void => undefined
      const running = new Promise<void>((resolve) => (started = resolve))
      const heard = new Promise<unknown>((resolve) => {
        own.register(
          defineOperation({
            namespace: "t",
            name: "slow",
            inputSchema: anything,
            outputSchema: anything,
            handler: (_, context) => {
              started()
              return new Promise(() => context.signal?.addEventListener("abort", () => resolve(context.signal?.reason)))
            },
          }),
        )
      })
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      const abort = new AbortController()
      const call = map.call("t.slow", null, { signal: abort.signal })
      await running
      abort.abort("private reason")
      await expect(call).rejects.toMatchObject({ code: "ABORTED", cause: "private reason", details: { outcome: "unknown" } })
      expect(String(await heard)).not.toContain("private reason")
      await expect(map.call("t.slow", null, { signal: abort.signal })).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
    })

    test("progress reaches the caller in order, before the answer", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const seen: unknown[] = []
      const { data } = await map.call("t.progress", null, { onProgress: (step) => seen.push(step) })
      expect(data).toBe("done")
      expect(seen).toEqual([
        { progress: 1, total: 3, message: "step 1" },
        { progress: 2, total: 3, message: "step 2" },
        { progress: 3, total: 3, message: "step 3" },
      ])
    })

    test("a subscription gives its items in order and ends", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const items: unknown[] = []
      for await (const { data } of map.subscribe("t.count", { to: 100 })) items.push(data)
      expect(items).toEqual(Array.from({ length: 100 }, (_, n) => n))
      expect(map.pendingCount).toBe(0)
    })

    test("a subscription that is called gives its first item and is ended", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      const ended = new Promise<void>((resolve) => {
        own.register(
          defineOperation({
            namespace: "t",
            name: "first",
            type: "subscription",
            inputSchema: anything,
            outputSchema: anything,
            handler: async function* () {
              try {
                for (let n = 1; ; n++) yield await Promise.resolve(n)
              } finally {
                resolve()
              }
            },
          }),
        )
      })
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      expect((await map.call("t.first", null, { timeoutMs: 15_000 })).data).toBe(1)
      await ended
      expect(map.pendingCount).toBe(0)
    })

    test("a slow consumer holds the producer back within a window of 32 items", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      let made = 0
      const left = new Promise<void>((resolve) => {
        own.register(
          defineOperation({
            namespace: "t",
            name: "endless",
            type: "subscription",
            inputSchema: anything,
            outputSchema: anything,
            handler: async function* () {
              try {
                for (;;) yield await Promise.resolve(made++)
              } finally {
                resolve()
              }
            },
          }),
        )
      })
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      const items = map.subscribe("t.endless")
      let taken = 0
      for await (const { data } of items) {
        expect(data).toBe(taken++)
        await settled()
        expect(made - taken).toBeLessThanOrEqual(32)
        if (taken === 80) break
      }
      await left
      const atEnd = made
      await settled()
      expect(made).toBe(atEnd)
    })

    test("leaving a subscription early runs the generator's finally within 50 ms", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      let cleaned = (_at: number): void => undefined
      own.register(
        defineOperation({
          namespace: "t",
          name: "watched",
          type: "subscription",
          inputSchema: anything,
          outputSchema: anything,
          handler: async function* () {
            try {
              for (let n = 0; ; n++) yield await Promise.resolve(n)
            } finally {
              cleaned(performance.now())
            }
          },
        }),
      )
      await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      const tookMs: number[] = []
      // A machine that stands still makes one of them late; a transport that is late is so in each.
      for (let time = 0; time < 21; time++) {
        const cleanedAt = new Promise<number>((resolve) => (cleaned = resolve))
        let leftAt = 0
        for await (const { data } of map.subscribe("t.watched")) {
          if (data === 2) {
            leftAt = performance.now()
            break
          }
        }
        tookMs.push((await cleanedAt) - leftAt)
      }
      expect(tookMs.sort((a, b) => a - b)[10]).toBeLessThan(50)
      expect(map.pendingCount).toBe(0)
    })

    test("when it breaks down, each open call gets one TRANSPORT_ERROR with the outcome unknown", async () => {
      const pair = await pairOf()
      await serving(registry(), pair.worker)
      const map = new PendingRequestMap({ transport: pair.caller })
      const statuses: string[] = []
      pair.caller.onStatus((status) => statuses.push(status))
      const calls = Array.from({ length: 5 }, () => map.call("t.never").catch((error: unknown) => error))
      await settled()
      await under.breakDown(pair)
      for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
      expect(pair.caller.status).toBe("down")
      expect(statuses).toEqual(["down"])
      expect(map.pendingCount).toBe(0)
      await expect(map.call("t.echo", 1)).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    })

    test("a draining worker finishes what is open and takes nothing new", async () => {
      const { caller, worker } = await pairOf()
      const own = registry()
      let finish = (): void => undefined
      own.register(
        defineOperation({
          namespace: "t",
          name: "gated",
          inputSchema: anything,
          outputSchema: anything,
          handler: () => new Promise((resolve) => (finish = () => resolve("finished"))),
        }),
      )
      const served = await serving(own, worker)
      const map = new PendingRequestMap({ transport: caller })
      const gated = map.call("t.gated")
      await settled()
      const drained = served.drain(60_000)
      await settled()
      await expect(map.call("t.echo", 1, { timeoutMs: 10_000 })).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
      finish()
      expect((await gated).data).toBe("finished")
      await drained
    })

    test("a drain that takes too long aborts what is open", async () => {
      const { caller, worker } = await pairOf()
      const served = await serving(registry(), worker)
      const map = new PendingRequestMap({ transport: caller })
      const call = map.call("t.never").catch((error: unknown) => error)
      await settled()
      await served.drain(30)
      expect(await call).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    })

    test("the worker may send only what was granted", async () => {
      const { caller, worker } = await pairOf()
      let sent = 0
      worker.serve((request, _peer, reply) => {
        void (async () => {
          try {
            for (;;) {
              await reply.credit()
              await reply.send({ type: "call.responded", requestId: request.requestId, output: sent, seq: sent })
              sent++
            }
          } catch {
            // The caller has stopped the call.
          }
        })()
      })
      await settled()
      const events: CallAnswer[] = []
      const call = caller.open(requestOf("r1"), (event) => events.push(event))
      call.grant(3)
      await until(() => events.length >= 3, "what was granted has come")
      await settled()
      expect(events.map((event) => (event.type === "call.responded" ? event.seq : event.type))).toEqual([0, 1, 2])
      call.grant(2)
      await until(() => sent >= 5, "what was granted is sent")
      await settled()
      expect(sent).toBe(5)
      call.abort()
      call.abort()
    })

    test("an aborted request is told to the worker, and its end comes back as ABORTED at most once", async () => {
      const { caller, worker } = await pairOf()
      await serving(registry(), worker)
      const events: CallAnswer[] = []
      const call = caller.open({ ...requestOf("r2"), operationId: "t.never" }, (event) => events.push(event))
      await settled()
      call.abort()
      await until(() => events.length > 0, "the end has come back")
      await settled()
      await settled()
      expect(events.map((event) => (event.type === "call.error" ? event.code : event.type))).toEqual(["ABORTED"])
    })
  })
}

function requestOf(requestId: string): CallRequested {
  return { type: "call.requested", requestId, operationId: "t.echo", input: null }
}

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = { a: value }
  return value
}

/** Long enough for events that are under way within this process. */
function fewTurns(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}
