/**
 * `list`, `describe` and `call` with `--nats`, against worker processes on a server with the generated configuration.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonHere, runHere } from "../fixtures/cli_host.js"
import { CLI } from "../fixtures/cli_process.js"
import { securedServer, type SecuredServer } from "../fixtures/nats/secured_server.js"
import { startServe } from "../fixtures/nats/serve_process.js"
import { describeWithNATS } from "../fixtures/nats_server.js"
import { openScope } from "../fixtures/servers/scope.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

const NATS = {
  callers: { alice: { scopes: [] }, carol: { scopes: [], operations: ["files.*"] }, stranger: { scopes: [] } },
  workers: { w1: { expose: ["files.*"] }, w2: { expose: ["mail.*"] } },
}
const TOOLS = [
  { name: "count", description: "Counts. Slowly.", inputSchema: { type: "object", properties: { to: { type: "integer" } }, required: ["to"] }, outputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
  { name: "fail", inputSchema: { type: "object" } },
]
const CALLS = {
  count: [{ result: { content: [{ type: "text", text: "3" }], structuredContent: { n: 3 }, _meta: { cost: 1 } } }],
  fail: [{ result: { content: [{ type: "text", text: "no" }], isError: true } }],
}

const { scope, end } = openScope()
let cli: CLI
let folder: string
let secured: SecuredServer
let workersConfig: string

beforeAll(async () => {
  cli = await CLI.install()
  scope(() => cli.close())
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-nats-call-"))
  scope(() => rm(folder, { recursive: true, force: true }))
}, 120_000)
afterAll(end)

/** The words that name a caller, with its password in the url. */
function as(name: string): string[] {
  return ["--nats", secured.as(name).url.replace("//", `//${name}:${secured.as(name).pass}@`)]
}

describeWithNATS("with workers that serve", () => {
  beforeAll(async () => {
    secured = await securedServer(NATS, scope)
    workersConfig = join(folder, "workers.json")
    const servers = { files: scriptedServer({ tools: TOOLS, calls: CALLS }, scope).config, mail: scriptedServer({ tools: TOOLS, calls: CALLS }, scope).config }
    const { stranger: _, ...callers } = NATS.callers
    await writeFile(workersConfig, JSON.stringify({ mcpServers: servers, nats: { ...NATS, callers } }))
    await Promise.all(["w1", "w2"].map((name) => startServe(cli, ["--nats", secured.as(name).url, "--name", name, "--config", workersConfig], { env: { NATS_PASSWORD: secured.as(name).pass } }, scope)))
  })

  test("list has the operations of all of them, and the workers", async () => {
    const { status, document, stderr } = await jsonHere(["list", ...as("alice")])
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(document.operations.map(({ id }: { id: string }) => id).sort()).toEqual(["files.count", "files.fail", "mail.count", "mail.fail"])
    const workers = document.workers.map(({ name, operations }: { name: string; operations: number }) => [name, operations])
    expect(workers.sort()).toEqual([["w1", 2], ["w2", 2]])
    expect(document).toMatchObject({ conflicts: [], reports: [] })
    const { stdout } = await runHere(["list", ...as("alice"), "--text"])
    expect(stdout).toMatch(/^w[12] {2}2 operations, 0 of 256 calls in flight$/m)
    expect(stdout).toMatch(/^ {2}files\.count {2}Counts\.$/m)
  })

  test.each([
    ["describe", ["describe"], ["files.count"], 0],
    ["call", ["call"], ["files.count", "--to", "3"], 0],
    ["call of a tool that reports an error", ["call"], ["files.fail"], 1],
    ["call with --help behind the id", ["call"], ["files.count", "--json", "--help"], 0],
    ["call with input that does not fit", ["call"], ["files.count", "--to", "x"], 2],
  ])("%s gives the same document and exit code as without machines between", async (_what, before, behind, status) => {
    const remote = await jsonHere([...before, ...as("alice"), ...behind])
    const local = await jsonHere([...before, "--config", workersConfig, ...behind], { env: { PATH: process.env["PATH"] } })
    expect(remote.document).toEqual(local.document)
    expect([remote.status, local.status]).toEqual([status, status])
  })

  test("call prints the whole envelope", async () => {
    const { document } = await jsonHere(["call", ...as("alice"), "--input", '{"to": 3}', "mail.count"])
    expect(document).toEqual({
      data: { n: 3 },
      meta: {
        source: "mcp",
        server: "mail",
        tool: "count",
        isError: false,
        content: [{ type: "text", text: "3" }],
        structuredContent: { n: 3 },
        _meta: { cost: 1 },
        dataFrom: "structuredContent",
        conformance: "exact",
      },
    })
  })

  test("a process of its own takes the password from its environment and ends with the answer", async () => {
    const { url, pass } = secured.as("alice")
    const run = await cli.json(["call", "--nats", url, "--caller", "alice", "files.count", "--to", "3"], { env: { NATS_PASSWORD: pass } })
    expect([run.status, run.stderr, run.document.data]).toEqual([0, "", { n: 3 }])
  })

  describe("ends with the reason", () => {
    const cases: readonly [what: string, words: () => string[], status: number, code: string, message: RegExp][] = [
      ["for an operation that nobody has", () => ["call", ...as("alice"), "files.cound"], 2, "OPERATION_NOT_FOUND", /did you mean files\.count/],
      ["for an operation that the NATS server keeps from the caller", () => ["call", ...as("carol"), "mail.count", "--to", "3"], 3, "ACCESS_DENIED", /mail\.count/],
      ["for a caller that no worker knows", () => ["list", ...as("stranger")], 3, "TRANSPORT_ERROR", /No worker shows "stranger" its operations:\n.*ACCESS_DENIED/],
      ["for a wrong password", () => ["list", "--nats", secured.as("alice").url.replace("//", "//alice:wrong@")], 3, "AUTH_REQUIRED", /refused the user or the password/],
      ["for another prefix, where nobody is", () => ["list", ...as("alice"), "--prefix", "ops2"], 2, "CONFIGURATION_ERROR", /does not let "alice" hear/],
    ]
    test.each(cases)("%s", async (_what, words, status, code, message) => {
      const run = await jsonHere(words())
      expect(run.document.error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect(run.status).toBe(status)
      expect(JSON.stringify(run.document)).not.toMatch(/:wrong|password-of/)
    })

    test("carol may call what the NATS server lets her", async () => {
      expect((await jsonHere(["call", ...as("carol"), "files.count", "--to", "3"])).document.data).toEqual({ n: 3 })
    })
  })
})

describeWithNATS("without workers", () => {
  test("every command says so, and how one is started", async () => {
    const other = await securedServer({ callers: { alice: {} }, workers: {} }, scope)
    const { url, pass } = other.as("alice")
    const run = await jsonHere(["call", "--nats", url, "--caller", "alice", "files.count"], { env: { NATS_PASSWORD: pass } })
    expect(run.document.error).toMatchObject({
      code: "TRANSPORT_ERROR",
      message: `No worker answered at ${url.replace("nats://", "")}`,
      details: { outcome: "not_started", remedy: expect.stringContaining("mcp-operations serve") },
    })
    expect(run.status).toBe(3)
  })
})

describe("words that cannot be followed", () => {
  const cases: readonly [what: string, words: string[], status: number, code: string, message: RegExp][] = [
    ["no server at the url", ["list", "--nats", "nats://alice@127.0.0.1:1"], 3, "TRANSPORT_ERROR", /127\.0\.0\.1:1/],
    ["nobody who calls", ["list", "--nats", "nats://127.0.0.1:1"], 2, "CONFIGURATION_ERROR", /Nobody is named/],
    ["a caller that is no token", ["list", "--nats", "nats://127.0.0.1:1", "--caller", "a.b"], 2, "CONFIGURATION_ERROR", /"a\.b" cannot be the name of a caller/],
    ["a url that is none", ["list", "--nats", "http://alice:wrong@host"], 2, "CONFIGURATION_ERROR", /address of a NATS server/],
    ["a config beside it", ["list", "--nats", "nats://alice@h", "--config", "x.json"], 2, "CONFIGURATION_ERROR", /--nats and --config cannot be given together/],
    ["a command beside it", ["call", "--nats", "nats://alice@h", "x.y", "--", "node"], 2, "CONFIGURATION_ERROR", /--nats and -- command/],
    ["a caller without it", ["list", "--caller", "alice"], 2, "CONFIGURATION_ERROR", /--caller and --prefix speak of the workers of --nats/],
  ]
  test.each(cases)("%s", async (_what, words, status, code, message) => {
    const run = await jsonHere(words)
    expect(run.document.error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(run.status).toBe(status)
    expect(JSON.stringify(run.document)).not.toContain("wrong")
  })

  test("help teaches how it is done", async () => {
    const help = async (...words: string[]) => (await runHere([...words, "--help"])).stdout
    expect(await help()).toContain("mcp-operations call --nats nats://alice@localhost:4222")
    expect(await help("call")).toContain("--caller <name>")
    expect(await help("serve")).toContain("NATS_PASSWORD=secret mcp-operations serve")
  })
})
