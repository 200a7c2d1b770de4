/**
 * Workers whose catalogues and answers are not to be believed, and more workers than there can be: a mirror keeps what is good, reports the rest.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectNATS, createRemoteRegistry, type RemoteRegistry, type RemoteReport } from "../../../src/nats.js"
import { RawClient, type Received } from "../../fixtures/nats/raw_client.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

type Page = (request: Record<string, unknown>, n: number) => unknown

const HASH = "a".repeat(64)
const specOf = (name: string, more: object = {}) => ({ name, namespace: "lie", version: "1", type: "mutation", description: "", inputSchema: {}, outputSchema: {}, ...more })
const pageOf = (operations: unknown, more: object = {}) => ({ v: 1, worker: "liar", hash: HASH, operations, ...more })

describeWithNATS("catalogues and answers that lie", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let liar: RawClient
  let page: Page = () => pageOf([])
  let answer: (request: Record<string, unknown>) => unknown = () => null
  let asked = 0
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    liar = await RawClient.connect({ url: server.url, caller: "liar" }, scope)
    liar.serve("ops.v1.catalog.liar.*", "ops", ({ reply, body }: Received) => {
      const given = page({ ...body }, asked++)
      if (reply !== undefined && given !== undefined) liar.publish(reply, given)
    })
    const serve = ({ reply, body }: Received) => {
      if (reply !== undefined) liar.publish(reply, { v: 1, t: "call.responded", worker: "liar", requestId: body?.["requestId"], output: answer({ ...body }) })
    }
    liar.serve("ops.v1.call.*.lie.>", "ops", serve)
    liar.serve("ops.v1.to.liar.>", "ops", serve)
    await liar.flush()
  }, 180_000)
  afterAll(end)

  /** A new mirror of the liar, once it has what it takes of the catalogue. */
  const mirrored = async (given: Page, more: object = {}): Promise<{ remote: RemoteRegistry; reports: RemoteReport[] }> => {
    page = given
    asked = 0
    const connection = await connectNATS({ servers: server.url, caller: "alice" })
    const reports: RemoteReport[] = []
    let seq = Date.now()
    const announcing = setInterval(() => {
      liar.publish("ops.v1.announce.liar", { v: 1, worker: "liar", seq: seq++, catalogHash: HASH, count: 1, load: { inFlight: 0, queued: 0, concurrency: 1 }, draining: false })
    }, 50)
    scope(() => clearInterval(announcing))
    const remote = await createRemoteRegistry({ connection, caller: "alice", announceEveryMs: 300, discoverMs: 300, onReport: (report) => reports.push(report), ...more })
    scope(async () => {
      clearInterval(announcing)
      await remote.close()
      await connection.close()
    })
    return { remote, reports }
  }

  test.each<[string, unknown]>([
    ["no object", 5],
    ["null", null],
    ["without a name", { ...specOf("x"), name: undefined }],
    ["with a namespace that is none", specOf("x", { namespace: "a.b" })],
    ["with an unknown type", specOf("x", { type: "explosion" })],
    ["with schemas that are missing", { ...specOf("x"), inputSchema: undefined, outputSchema: undefined }],
    ["with access that is no access", specOf("x", { accessControl: "none" })],
    ["with a name of 10,000 signs", specOf("n".repeat(10_000))],
  ])("an operation %s costs only itself", async (_, operation) => {
    const { remote, reports } = await mirrored(() => pageOf([specOf("good"), operation, specOf("fine")]))
    expect([...remote.list()].sort()).toEqual(["lie.fine", "lie.good"])
    expect(reports.filter(({ worker }) => worker === "liar").length).toBeGreaterThan(0)
    await remote.close()
  })

  test("an operation that stands twice in a catalogue stands once in the mirror", async () => {
    const { remote } = await mirrored(() => pageOf([specOf("twice"), specOf("twice", { description: "other" }), specOf("twice")]))
    expect(remote.list()).toEqual(["lie.twice"])
    await remote.close()
  })

  test("names of Object.prototype are names like others", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    const { remote } = await mirrored(() => pageOf(names.map((name) => specOf(name))))
    expect([...remote.list()].sort()).toEqual(names.map((name) => `lie.${name}`).sort())
    answer = () => ({ data: 1, meta: { source: "local", operationId: "lie.x", timestamp: 1 } })
    for (const name of names) expect((await remote.execute(`lie.${name}`, {})).data).toBe(1)
    expect(Object.prototype).not.toHaveProperty("namespace")
    await remote.close()
  })

  test.each<[string, Page]>([
    ["whose pages never end", (_, n) => pageOf([specOf(`p${n}`)], { next: `c${n}` })],
    ["whose cursor stays the same", () => pageOf([specOf("p")], { next: "same" })],
    ["whose hash is another one on each page", (_, n) => ({ ...pageOf([specOf(`p${n}`)], { next: `c${n}` }), hash: String(n).padStart(64, "0") })],
    ["that never answers", () => undefined],
    ["that is no JSON", () => "{"],
    ["that is an error", () => ({ v: 1, error: { code: "INTERNAL", message: "no" } })],
    ["that is another worker's", () => ({ ...pageOf([specOf("p")]), worker: "other" })],
    ["of another version", () => ({ ...pageOf([specOf("p")]), v: 2 })],
    ["whose operations are no list", () => pageOf({ length: 1e9 })],
    ["whose cursor is no text", () => pageOf([specOf("p")], { next: { a: 1 } })],
  ])("a catalogue %s ends, is reported or left out, and the mirror works on", { timeout: 120_000 }, async (_, given) => {
    const { remote } = await mirrored(given, { maxPages: 20, maxOperations: 100 })
    expect(asked).toBeLessThanOrEqual(200)
    expect(remote.list().length).toBeLessThanOrEqual(100)
    page = () => pageOf([specOf("now")])
    const error = await remote.execute("lie.nothing-of-the-kind", {}).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ details: { outcome: "not_started" } })
    await remote.close()
  })

  test("schemas that are traps cost only their own operation, and nothing hangs", { timeout: 120_000 }, async () => {
    let deep: unknown = { type: "string" }
    for (let n = 0; n < 400; n++) deep = { type: "object", properties: { a: deep } }
    const traps = [
      specOf("redos", { outputSchema: { type: "string", pattern: "^(a+)+$" }, inputSchema: { type: "string", pattern: "^(a|a)*$" } }),
      specOf("deep", { outputSchema: deep }),
      specOf("loop", { outputSchema: { $ref: "#" } }),
      specOf("none", { outputSchema: { $ref: "#/nowhere" } }),
      specOf("far", { outputSchema: { $ref: "http://127.0.0.1:1/schema" } }),
      specOf("wrong", { outputSchema: { type: "explosion", properties: 5 } }),
      specOf("good"),
    ]
    const { remote } = await mirrored(() => pageOf(traps))
    expect(remote.list()).toContain("lie.good")
    answer = () => ({ data: `${"a".repeat(40)}!`, meta: { source: "mcp", server: "s", tool: "t", isError: false, content: [], structuredContent: `${"a".repeat(40)}!`, dataFrom: "structuredContent", conformance: "exact" } })
    for (const id of remote.list()) {
      const since = performance.now()
      await remote.execute(id, "x").catch(() => undefined)
      expect(performance.now() - since, id).toBeLessThan(3_000)
    }
    await remote.close()
  })

  test("an answer that says it fits and does not is delivered as invalid, with issues, and counted against its worker", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
    const { remote } = await mirrored(() => pageOf([specOf("typed", { outputSchema })]))
    const meta = { source: "mcp", server: "s", tool: "t", isError: false, content: [], dataFrom: "structuredContent" }
    for (const conformance of ["exact", "cast"]) {
      answer = () => ({ data: { n: "seven" }, meta: { ...meta, structuredContent: { n: "seven" }, conformance } })
      const envelope = await remote.execute("lie.typed", {})
      expect(envelope).toMatchObject({ data: { n: "seven" }, meta: { conformance: "invalid", issues: [{ path: "/n" }] } })
    }
    expect(remote.misfits().get("liar")).toBe(2)
    // What the worker itself says to be unchecked is delivered as it is.
    answer = () => ({ data: { n: "seven" }, meta: { ...meta, structuredContent: { n: "seven" }, conformance: "untyped" } })
    expect(await remote.execute("lie.typed", {})).toMatchObject({ meta: { conformance: "untyped" } })
    expect(remote.misfits().get("liar")).toBe(2)
    await remote.close()
  })

  test("an envelope that is none, or pretends to be another's, never comes out as an answer of that kind", async () => {
    const { remote } = await mirrored(() => pageOf([specOf("any")]))
    for (const output of [null, 5, {}, { data: 1 }, { meta: { source: "local" } }, { data: 1, meta: { source: "root" } }, { data: 1, meta: null }, [1]]) {
      answer = () => output
      await expect(remote.execute("lie.any", {}, { timeoutMs: 2_000 })).rejects.toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
    }
    await remote.close()
  })

  test("3,000 workers that announce themselves do not push out the real one, nor fill the memory", { timeout: 120_000 }, async () => {
    const { remote } = await mirrored(() => pageOf([specOf("real")]), { maxWorkers: 50 })
    expect(remote.list()).toEqual(["lie.real"])
    const before = process.memoryUsage().rss
    for (let n = 0; n < 3_000; n++) {
      liar.publish(`ops.v1.announce.fake-${n}`, { v: 1, worker: `fake-${n}`, seq: 1, catalogHash: String(n).padStart(64, "0"), count: 100_000, load: { inFlight: 0, queued: 0, concurrency: 1 }, draining: false })
      if (n % 500 === 0) await liar.flush()
    }
    await liar.flush()
    answer = () => ({ data: "real", meta: { source: "local", operationId: "lie.real", timestamp: 1 } })
    expect((await remote.execute("lie.real", {})).data).toBe("real")
    expect(remote.workers().length).toBeLessThanOrEqual(50)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
    await remote.close()
  })
})
