import { Type } from "@sinclair/typebox"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { announce } from "../../src/nats/announcer.js"
import { serveCatalogue } from "../../src/nats/catalogue_server.js"
import { connectNATS } from "../../src/nats/connect_nats.js"
import type { NATSConnection, NATSMessage } from "../../src/nats/connection.js"
import { Exposed } from "../../src/nats/exposed.js"
import { Subjects } from "../../src/nats/subjects.js"
import { defineOperation, type AnyOperation, type Identity } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

const subjects = new Subjects()
const anything = Type.Unknown()

function operation(name: string, more: Partial<AnyOperation> = {}): AnyOperation {
  return { ...defineOperation({ namespace: "fs", name, inputSchema: anything, outputSchema: anything, handler: () => null }), ...more }
}

interface Page {
  readonly worker: string
  readonly hash: string
  readonly operations: readonly { readonly name: string }[]
  readonly skipped?: readonly { readonly operationId: string; readonly bytes: number }[]
  readonly next?: string
  readonly error?: { readonly code: string; readonly message: string }
}

/** A connection that keeps what it hears, and waits for it. */
class Ear {
  readonly heard: NATSMessage[] = []
  readonly #waiting = new Set<() => void>()

  constructor(connection: NATSConnection, subject: string) {
    connection.subscribe(subject, {
      callback: (_, message) => {
        this.heard.push(message)
        for (const look of [...this.#waiting]) look()
      },
    })
  }

  async count(count: number): Promise<NATSMessage[]> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.heard.length < count) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
    return this.heard
  }
}

const bodyOf = (message: NATSMessage | undefined): Record<string, unknown> => JSON.parse(new TextDecoder().decode(message?.data)) as Record<string, unknown>

describeWithNATS("a worker's catalogue", () => {
  let server: NATSServer
  let worker: NATSConnection
  let alice: NATSConnection
  let registry: OperationRegistry
  let exposed: Exposed
  const ends: (() => void)[] = []
  let pages = 0
  /** Bytes of the pages that came. */
  const sizes: number[] = []

  const identities = new Map<string, Identity>([
    ["alice", { id: "alice", scopes: [] }],
    ["admin", { id: "admin", scopes: ["admin"] }],
  ])

  /** Asks as somebody and waits for the page. */
  async function ask(body: object | string, caller = "alice"): Promise<Page> {
    const reply = `_INBOX.${caller}.test.${pages++}`
    const ear = new Ear(alice, reply)
    alice.publish(subjects.catalogue("w1", caller), typeof body === "string" ? body : JSON.stringify(body), { reply })
    const [message] = await ear.count(1)
    sizes.push(message?.data.length ?? 0)
    return bodyOf(message) as unknown as Page
  }

  async function readAll(caller = "alice"): Promise<Page[]> {
    const all: Page[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await ask({ v: 1, ...(cursor === undefined ? {} : { cursor }) }, caller)
      all.push(page)
      if (page.next === undefined) return all
      cursor = page.next
    }
  }

  async function serve(identify?: (caller: string, token?: string) => Identity | undefined): Promise<void> {
    const catalogue = serveCatalogue({ connection: worker, subjects, name: "w1", exposed, identify: identify ?? ((caller) => identities.get(caller)) })
    ends.push(() => catalogue.stop())
    // The server knows of the end of the one before, and of this one.
    await worker.flush()
  }

  beforeAll(async () => {
    server = await natsServer()
    worker = await connectNATS({ servers: server.url, caller: "w1" })
    alice = await connectNATS({ servers: server.url, caller: "alice" })
  })

  afterAll(async () => {
    await worker.close()
    await alice.close()
    await server.stop()
  })

  beforeEach(() => {
    registry = new OperationRegistry()
    exposed = new Exposed(registry, ["fs.*"])
  })

  afterEach(() => {
    for (const end of ends.splice(0)) end()
    exposed.close()
  })

  test("above 1 MB comes in pages of at most 256 kB, whole and in the order of the ids", async () => {
    const filler = "x".repeat(3_000)
    registry.registerAll(Array.from({ length: 400 }, (_, index) => operation(`op${String(index).padStart(3, "0")}`, { description: filler })))
    await serve()
    sizes.length = 0
    const all = await readAll()
    expect(all.length).toBeGreaterThanOrEqual(5)
    expect(all.flatMap(({ operations }) => operations.map(({ name }) => name))).toEqual(Array.from({ length: 400 }, (_, index) => `op${String(index).padStart(3, "0")}`))
    expect(new Set(all.map(({ hash }) => hash))).toEqual(new Set([exposed.hash]))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(260 * 1024)
    expect(sizes.reduce((one, other) => one + other, 0)).toBeGreaterThan(1_200_000)
  })

  test("shows each caller what it may run, and what is exposed, alone", async () => {
    registry.registerAll([operation("read"), operation("wipe", { accessControl: { requiredScopes: ["admin"] } }), { ...operation("query"), namespace: "db" }])
    await serve()
    expect((await ask({ v: 1 })).operations.map(({ name }) => name)).toEqual(["read"])
    expect((await ask({ v: 1 }, "admin")).operations.map(({ name }) => name)).toEqual(["read", "wipe"])
  })

  test("an operation above 256 kB stands alone in its page, one that no message holds is named as skipped", async () => {
    registry.registerAll([
      operation("a"),
      operation("large", { description: "y".repeat(400_000) }),
      operation("m"),
      operation("too_large", { description: "z".repeat(1_500_000) }),
      operation("z"),
    ])
    await serve()
    const all = await readAll()
    expect(all.map(({ operations }) => operations.map(({ name }) => name))).toEqual([["a"], ["large"], ["m", "z"]])
    expect(all.flatMap(({ skipped = [] }) => skipped.map(({ operationId }) => operationId))).toEqual(["fs.too_large"])
  })

  test("a cursor of another hash leads to the new hash and no operations, so that its reader starts over", async () => {
    registry.register(operation("read"))
    await serve()
    const { hash } = await ask({ v: 1 })
    registry.register(operation("write"))
    for (const cursor of [`${hash}:fs.a`, "nonsense", ""]) {
      const page = await ask({ v: 1, cursor })
      expect(page.operations).toEqual([])
      expect(page.next).toBeUndefined()
      expect(page.hash).toBe(exposed.hash)
      expect(page.hash).not.toBe(hash)
    }
  })

  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["another version", { v: 2 }],
    ["a cursor that is no text", { v: 1, cursor: 5 }],
    ["a token that is no text", { v: 1, token: {} }],
    ["a text that is too long", { v: 1, cursor: "x".repeat(20_000) }],
  ])("a request with %s is refused, and the next one answered", async (_, body) => {
    registry.register(operation("read"))
    await serve()
    expect((await ask(body)).error?.code).toBe("FAILED_PRECONDITION")
    expect((await ask({ v: 1 })).operations).toHaveLength(1)
  })

  test.each([
    ["is not known", () => undefined],
    [
      "cannot be identified because the host's function throws",
      () => {
        throw new Error("the database is away: secret-dsn")
      },
    ],
  ])("a caller that %s gets ACCESS_DENIED and no word of what is there", async (_, identify) => {
    registry.register(operation("read"))
    await serve(identify)
    expect(await ask({ v: 1 })).toEqual({ v: 1, error: { code: "ACCESS_DENIED", message: '"w1" does not know the caller "alice"' } })
  })

  test("the token of the request reaches identify", async () => {
    registry.register(operation("read"))
    await serve((caller, token) => (token === "s3" ? { id: caller, scopes: [] } : undefined))
    expect((await ask({ v: 1 })).error?.code).toBe("ACCESS_DENIED")
    expect((await ask({ v: 1, token: "s3" })).operations).toHaveLength(1)
  })

  test("nothing is sent outside of the caller's own inbox", async () => {
    registry.register(operation("read"))
    await serve()
    const ear = new Ear(alice, ">")
    for (const reply of ["_INBOX.admin.test.1", "ops.v1.call.admin.fs.wipe", "_INBOX.alice", "_INBOX.alicex.1"]) {
      alice.publish(subjects.catalogue("w1", "alice"), `{"v":1}`, { reply })
    }
    alice.publish(subjects.catalogue("w1", "alice"), `{"v":1}`)
    // Answers come in the order of the requests: when this one is here, those would have been.
    await ask({ v: 1 })
    const requests = 6
    const answers = 1
    expect((await ear.count(requests + answers)).filter(({ subject }) => !subject.startsWith("ops.v1.catalog."))).toHaveLength(answers)
  })
})

describeWithNATS("a worker's announcements", () => {
  let server: NATSServer
  let worker: NATSConnection
  let mirror: NATSConnection

  beforeAll(async () => {
    server = await natsServer()
    worker = await connectNATS({ servers: server.url, caller: "w1" })
    mirror = await connectNATS({ servers: server.url, caller: "mirror" })
  })

  afterAll(async () => {
    await worker.close()
    await mirror.close()
    await server.stop()
  })

  // A farewell that is still under way would be heard by the next test.
  afterEach(() => worker.flush())

  async function started(everyMs: number) {
    const registry = new OperationRegistry()
    registry.register(operation("read"))
    const exposed = new Exposed(registry, ["fs.*"])
    const ear = new Ear(mirror, subjects.announcements())
    await mirror.flush()
    const announcer = announce({ connection: worker, subjects, name: "w1", exposed, load: () => ({ inFlight: 3, queued: 2, concurrency: 8 }), everyMs })
    return { registry, exposed, ear, announcer }
  }

  test("come at the start, after a change, and once when the worker goes", async () => {
    const { registry, exposed, ear, announcer } = await started(60_000)
    const first = (await ear.count(1))[0]
    expect(first?.subject).toBe("ops.v1.announce.w1")
    expect(bodyOf(first)).toEqual({ v: 1, worker: "w1", seq: 0, catalogHash: exposed.hash, count: 1, load: { inFlight: 3, queued: 2, concurrency: 8 }, draining: false })
    registry.register(operation("write"))
    expect(bodyOf((await ear.count(2))[1])).toMatchObject({ seq: 1, count: 2, catalogHash: exposed.hash })
    announcer.stop()
    announcer.stop()
    announcer.now()
    registry.register(operation("late"))
    expect(bodyOf((await ear.count(3))[2])).toMatchObject({ seq: 2, draining: true })
    await worker.flush()
    await mirror.flush()
    expect(ear.heard).toHaveLength(3)
  })

  test("come by themselves, and many questions of one moment get one answer", async () => {
    // However long the machine takes for them, they are of one moment.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now())
    const { ear, announcer } = await started(60_000)
    for (let index = 0; index < 1_000; index++) announcer.now()
    clock.mockRestore()
    await ear.count(2)
    await worker.flush()
    await mirror.flush()
    expect(ear.heard).toHaveLength(2)
    announcer.stop()
    const other = await started(50)
    await other.ear.count(4)
    other.announcer.stop()
  })

  test("say that a worker drains from then on", async () => {
    const { ear, announcer } = await started(60_000)
    announcer.now(true)
    announcer.now()
    expect((await ear.count(3)).map((message) => bodyOf(message)["draining"])).toEqual([false, true, true])
    announcer.stop()
  })

  test("go on where the host's load function throws once", async () => {
    const registry = new OperationRegistry()
    const ear = new Ear(mirror, subjects.announcements())
    await mirror.flush()
    let asked = 0
    const load = () => {
      if (asked++ === 0) throw new Error("not yet")
      return { inFlight: 0, queued: 0, concurrency: 1 }
    }
    const announcer = announce({ connection: worker, subjects, name: "w2", exposed: new Exposed(registry, ["*"]), load, everyMs: 30 })
    expect(bodyOf((await ear.count(1))[0])).toMatchObject({ worker: "w2", count: 0 })
    announcer.stop()
  })
})
