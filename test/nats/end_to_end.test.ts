/**
 * One caller process, three worker processes, real MCP servers behind them: the envelopes and errors are those of the same calls in process,
 * equal apart from ids and times.
 */
import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Type } from "@sinclair/typebox"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PendingRequestMap } from "../../src/call.js"
import type { ResponseEnvelope } from "../../src/envelope.js"
import { CallError } from "../../src/error.js"
import { createMCPClient } from "../../src/from_mcp.js"
import { connectNATS, createNATSTransport, createRemoteRegistry, type RemoteRegistry } from "../../src/nats.js"
import { defineOperation, specToJSON, type OperationContext, type Progress } from "../../src/operation.js"
import { OperationRegistry, type CallTarget } from "../../src/registry.js"
import { Journal } from "../fixtures/nats/journal.js"
import { operationsOf } from "../fixtures/nats/operations.mjs"
import { packageFolder, startWorker, type WorkerProcess } from "../fixtures/nats/worker.js"
import { describeWithNATS, natsServer } from "../fixtures/nats_server.js"
import { openScope } from "../fixtures/servers/scope.js"
import { scriptedServer, testFolder } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))

/** A server that keeps to no schema: what a worker had to cast, or could not, has to arrive as it was. */
const outputSchema = { type: "object", properties: { n: { type: "number" }, text: { type: "string" } }, required: ["n", "text"], additionalProperties: false }
const odd = {
  tools: ["cast", "missing", "failing", "broken", "large", "untyped"].map((name) => ({ name, inputSchema: { type: "object" }, ...(name === "untyped" ? {} : { outputSchema }) })),
  calls: {
    cast: [{ result: { content: [], structuredContent: { n: "7", more: true } } }],
    missing: [{ result: { content: [{ type: "text", text: "no structure" }] } }],
    failing: [{ result: { isError: true, content: [{ type: "text", text: "it failed" }], structuredContent: { any: 1 }, _meta: { trace: "x" }, other: [1] } }],
    broken: [{ error: { code: -32050, message: "broken by design", data: { why: ["this"] } } }],
    large: [{ result: { content: [{ type: "text", text: "é".repeat(1_500_000) }], structuredContent: { n: 1, text: "x".repeat(2_000_000) } } }],
    untyped: [{ result: { content: [{ type: "hologram", of: "cat" }], structuredContent: [null, { a: -1.5e300 }, "\u{1F600}\u0000\u2028"] } }],
  },
}

/** Each is called in process and over NATS, in this order. */
const CALLS: [string, unknown?][] = [
  ["everything.echo", { message: "hi" }],
  ["everything.get-sum", { a: 2, b: 3 }],
  ["everything.get-tiny-image", {}],
  ["everything.get-annotated-message", { messageType: "error", includeImage: true }],
  ["everything.get-resource-links", { count: 3 }],
  ["everything.get-structured-content", { location: "Chicago" }],
  ["everything.get-structured-content", { location: "Nowhere" }],
  ["everything.simulate-research-query", { topic: "x" }],
  ["everything.trigger-long-running-operation", { duration: 0.3, steps: 3 }],
  ["everything.echo", { message: 5 }],
  ["everything.echo", {}],
  ["everything.echo"],
  ["everything.no-such-tool", {}],
  ["files.list_allowed_directories", {}],
  ["files.write_file", { path: "FOLDER/b.txt", content: "written ".repeat(50_000) }],
  ["files.read_text_file", { path: "FOLDER/b.txt" }],
  ["files.read_text_file", { path: "FOLDER/a.txt", head: 1 }],
  ["files.read_media_file", { path: "FOLDER/p.png" }],
  ["files.read_multiple_files", { paths: ["FOLDER/a.txt", "FOLDER/none.txt"] }],
  ["files.read_text_file", { path: "/etc/hostname" }],
  ["files.read_text_file", { path: "FOLDER/none.txt" }],
  ["files.list_directory", { path: "FOLDER" }],
  ["memory.create_entities", { entities: [{ name: "Ann", entityType: "person", observations: ["likes tea"] }] }],
  ["memory.read_graph", {}],
  ["memory.search_nodes", { query: "tea" }],
  ["memory.add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] }],
  ["odd.cast", {}],
  ["odd.missing", {}],
  ["odd.failing", {}],
  ["odd.broken", {}],
  ["odd.large", {}],
  ["odd.untyped", {}],
  ["t.echo", { a: [1, null, "x"] }],
  ["t.whoami", {}],
  ["t.throwing", { how: "sync" }],
  ["t.throwing", { how: "declared" }],
  ["t.throwing", { how: "text" }],
  ["t.big", { bytes: 1_200_000 }],
  ["t.unsendable", { what: "nan" }],
]

type Told = { envelope: ResponseEnvelope } | { code: string; message: string; details: Record<string, unknown> }

describeWithNATS("one caller, three workers, real MCP servers", () => {
  const { scope, end } = openScope()
  const folder = realpathSync(testFolder(scope))
  const identity = { id: "alice", scopes: [] }
  const local = new OperationRegistry({ json: "check" })
  let map: PendingRequestMap
  let remote: RemoteRegistry
  let workers: WorkerProcess[] = []
  let journal: Journal

  beforeAll(async () => {
    writeFileSync(join(folder, "a.txt"), "one\ntwo\n")
    writeFileSync(join(folder, "p.png"), Buffer.from([1, 2, 3]))
    const server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    const env = { HOME: folder, PATH: process.env["PATH"] ?? "", TMPDIR: folder }
    const configs = (who: string) => ({
      everything: { command: process.execPath, args: [bin("mcp-server-everything")], env, cwd: folder },
      files: { command: process.execPath, args: [bin("mcp-server-filesystem"), folder], env, cwd: folder },
      memory: { command: process.execPath, args: [bin("mcp-server-memory")], env: { ...env, MEMORY_FILE_PATH: join(testFolder(scope), `${who}.jsonl`) }, cwd: folder },
      odd: scriptedServer(odd, scope).config,
    })
    const library = await packageFolder(scope)
    const own = configs("local")
    for (const [name, config] of Object.entries(own)) {
      const wrapper = await createMCPClient(name, config)
      scope(() => wrapper.close())
      local.registerAll(wrapper.tools)
    }
    local.registerAll(operationsOf({ defineOperation, Type, CallError }, { namespace: "t", journal: () => undefined }))
    const { everything, files, memory, odd: oddServer } = configs("remote")
    // Nobody is lost here, however slow the machine is.
    const serve = { keepAliveMs: 20_000 }
    const start = (name: string, namespace: string, mcp: object) =>
      startWorker(library, { name, url: server.url, journal, serve, expose: ["t.*", ...Object.keys(mcp).map((each) => `${each}.*`)], mcp: { ...mcp }, operations: [{ namespace }], callers: { alice: { identity } } }, scope)
    workers = await Promise.all([start("w1", "t", { everything }), start("w2", "t", { files, odd: oddServer }), start("w3", "t", { memory })])
    const connection = await connectNATS({ servers: server.url, caller: "alice" })
    const transport = await createNATSTransport({ connection, caller: "alice", ...serve })
    map = new PendingRequestMap({ transport })
    const mirror = await createRemoteRegistry({ connection, caller: "alice", ...serve })
    remote = mirror
    scope(async () => {
      await remote.close()
      await map.close()
      await transport.close()
      await connection.close()
    })
    // One that does not answer at once comes later.
    await until(() => mirror.workers().filter(({ operations }) => operations > 0).length === workers.length, "the mirror has all workers", 60_000)
  }, 180_000)
  afterAll(end)

  const inFolder = (input: unknown): unknown => (input === undefined ? undefined : JSON.parse(JSON.stringify(input).replaceAll("FOLDER", folder)))
  const told = async (target: CallTarget, [id, input]: (typeof CALLS)[number], context: OperationContext = {}): Promise<Told> => {
    try {
      return plain({ envelope: await target.execute(id, inFolder(input), { timeoutMs: 50_000, ...context }) })
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      return plain({ code: error.code, message: error.message, details: error.details })
    }
  }
  /** As JSON, without ids of requests and workers and without times. */
  const plain = (value: Told): Told =>
    JSON.parse(
      JSON.stringify("details" in value ? { ...value, details: { ...value.details, worker: undefined } } : value, (key, member: unknown) =>
        ["requestId", "timestamp", "deadline"].includes(key) ? "-" : member,
      ),
    )

  describe.each<[string, () => CallTarget]>([
    ["a map of pending requests", () => map],
    ["a remote registry", () => remote],
  ])("through %s", (_, targetOf) => {
    test.each(CALLS.map((call, n) => [n, ...call] as const))("%i %s %j is answered as in process", async (_n, id, input) => {
      // Nearest names are those that the caller may see, which are others in another registry.
      const here = await told(local, [id, input], { identity })
      const there = await told(targetOf(), [id, input])
      if ("code" in here && here.code === "OPERATION_NOT_FOUND") {
        expect(there).toMatchObject({ code: here.code, details: { operationId: id, outcome: "not_started" } })
        return
      }
      expect(there).toEqual(here)
    })

    test("progress is told in the same steps", async () => {
      const steps = async (target: CallTarget, context: OperationContext = {}) => {
        const seen: Progress[] = []
        await target.execute("everything.trigger-long-running-operation", { duration: 0.3, steps: 3 }, { ...context, onProgress: (step) => void seen.push(step) })
        return seen.map((step) => ({ ...step }))
      }
      const here = await steps(local, { identity })
      expect(here.length).toBeGreaterThan(0)
      expect(await steps(targetOf())).toEqual(here)
    })

    test("a subscription gives the same envelopes", async () => {
      const items = async (target: CallTarget, context: OperationContext = {}) => {
        const all: Told[] = []
        for await (const envelope of target.subscribe("t.count", { to: 100 }, context)) all.push(plain({ envelope }))
        return all
      }
      const here = await items(local, { identity })
      expect(here).toHaveLength(100)
      expect(await items(targetOf())).toEqual(here)
    })
  })

  test("the mirror shows the operations as they are here, schemas and all", () => {
    const ids = local.list().sort()
    expect([...remote.list()].sort()).toEqual(ids)
    for (const id of ids) {
      const [here, there] = [local.getSpec(id), remote.getSpec(id)]
      if (here === undefined || there === undefined) throw new Error(`${id} is missing`)
      expect(JSON.stringify(specToJSON(there)), id).toBe(JSON.stringify(specToJSON(here)))
    }
    expect(remote.conflicts()).toEqual([])
    expect(remote.workers().map(({ name }) => name).sort()).toEqual(["w1", "w2", "w3"])
  })

  test("300 calls at once of what all three have are spread over all three, and each is answered once", async () => {
    const tags = Array.from({ length: 300 }, (_, n) => `spread-${n}`)
    const answers = await Promise.all(tags.map((tag) => map.call("t.echo", { tag })))
    expect(answers.map(({ data }) => data)).toEqual(tags.map((tag) => ({ tag })))
    const starts = journal.entries.filter(({ tag }) => tag?.startsWith("spread-"))
    expect(starts).toHaveLength(300)
    expect(new Set(starts.map(({ worker }) => worker))).toEqual(new Set(["w1", "w2", "w3"]))
    journal.expectNothingTwice()
    for (const worker of workers) worker.expectWell()
  })
})
