/**
 * `mcp-operations serve` as a process: whom it lets in, what it tells, and how it ends.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { connectNATS } from "../../src/nats.js"
import { jsonHere } from "../fixtures/cli_host.js"
import { CLI } from "../fixtures/cli_process.js"
import { startCaller } from "../fixtures/nats/caller.js"
import { securedServer, type SecuredServer } from "../fixtures/nats/secured_server.js"
import { startServe } from "../fixtures/nats/serve_process.js"
import { describeWithNATS, natsServer } from "../fixtures/nats_server.js"
import { openScope } from "../fixtures/servers/scope.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"

const NATS = {
  callers: { alice: { scopes: [] }, bob: { scopes: [] } },
  workers: { w1: { expose: ["files.*"] } },
  monitor: "ops-monitor",
}
const TOOLS = ["echo", "slow", "broken", "hidden"].map((name) => ({ name, inputSchema: { type: "object" } }))
const CALLS = { slow: [{ ran: true as const }, { delay: 400 }, { result: { content: [{ type: "text", text: "done" }] } }], broken: [{ error: { code: -32000, message: "no" } }] }

const { scope, end } = openScope()
let cli: CLI
let folder: string
let secured: SecuredServer

beforeAll(async () => {
  cli = await CLI.install()
  scope(() => cli.close())
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-serve-"))
  scope(() => rm(folder, { recursive: true, force: true }))
}, 120_000)
afterAll(end)

/** A config with one scripted server, `files`. */
async function configOf(nats: unknown = NATS, more: Record<string, unknown> = {}) {
  const { config, log } = scriptedServer({ tools: TOOLS, calls: CALLS })
  const file = join(folder, `${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify({ mcpServers: { files: config, ...more }, nats }))
  return { file, log }
}

describeWithNATS("serve", () => {
  beforeAll(async () => {
    secured = await securedServer(NATS, scope)
  })

  test("serves what the config says to the callers of the config, and counts", async () => {
    const { file } = await configOf({ ...NATS, callers: { alice: { scopes: [] } } })
    const { url, pass } = secured.as("w1")
    // The worker takes its name from the user of the url, and what it exposes from the config.
    const worker = await startServe(cli, ["--nats", url.replace("//", "//w1@"), "--config", file], { env: { NATS_PASSWORD: pass } })
    expect(worker.log()).toMatch(/^serving 4 operations as worker w1 at 127\.0\.0\.1:\d+\n$/)

    const alice = await startCaller({ ...secured.as("alice"), name: "alice" })
    expect(await alice.data("files.echo", { a: 1 })).toEqual({ given: { a: 1 } })
    expect((await alice.error("files.broken", {})).code).toBe("PROTOCOL_ERROR")
    // The NATS server knows bob; this worker's config does not.
    const bob = await startCaller({ ...secured.as("bob"), name: "bob" })
    expect((await bob.error("files.echo", {})).code).toBe("ACCESS_DENIED")

    const monitor = await connectNATS({ servers: url, caller: "ops-monitor", ...secured.as("ops-monitor") })
    onTestFinished(() => monitor.close())
    const answers: string[] = []
    monitor.subscribe("_INBOX.ops-monitor.1", { callback: (_error, { data }) => answers.push(new TextDecoder().decode(data)) })
    monitor.publish("$SRV.INFO.ops", "", { reply: "_INBOX.ops-monitor.1" })
    await until(() => answers.length === 1, "the worker shows itself to the monitor")
    expect(JSON.parse(answers.join())).toMatchObject({ name: "ops", metadata: { worker: "w1", count: "4" } })

    worker.child.kill("SIGUSR2")
    await until(() => worker.health()["worker"] === "w1", "the health was told")
    expect(worker.health()).toMatchObject({ status: "up", operations: "4", inFlight: "0", queued: "0", served: "2", failed: "1", refused: "1" })
  })

  test("an operation demands what the config says; the longest pattern counts", async () => {
    const access = { "files.*": { requiredScopes: ["read"] }, "files.slow": { requiredScopesAny: ["admin", "slow"] }, "files.hid*": {} }
    const { file } = await configOf({ ...NATS, access, callers: { alice: { scopes: ["read"] }, bob: { scopes: ["slow"] } } })
    const { url, pass } = secured.as("w1")
    await startServe(cli, ["--nats", url.replace("//", "//w1@"), "--config", file], { env: { NATS_PASSWORD: pass } })
    const alice = await startCaller({ ...secured.as("alice"), name: "alice" })
    const bob = await startCaller({ ...secured.as("bob"), name: "bob" })
    expect(await alice.data("files.echo", { a: 1 })).toEqual({ given: { a: 1 } })
    expect(await bob.error("files.echo", {})).toMatchObject({ code: "ACCESS_DENIED", details: { missing: { scopes: ["read"] } } })
    expect((await alice.error("files.slow", {})).code).toBe("ACCESS_DENIED")
    expect(await bob.data("files.hidden", {})).toEqual({ given: {} })
  })

  test("SIGTERM lets the call in flight finish, prints the counters, and closes the MCP server", async () => {
    const { file, log } = await configOf()
    const { url, pass } = secured.as("w1")
    const worker = await startServe(cli, ["--nats", url, "--name", "w1", "--config", file, "--expose", "files.slow"], { env: { NATS_PASSWORD: pass } })
    expect(worker.log()).toContain("serving 1 operations")
    const alice = await startCaller({ ...secured.as("alice"), name: "alice" })
    const call = alice.data("files.slow", { a: 1 })
    await until(() => log.ran("slow") === 1, "the call runs")
    worker.child.kill("SIGTERM")
    expect(await call).toEqual([{ type: "text", text: "done" }])
    const run = await worker.ended
    expect(run.signal).toBe("SIGTERM")
    expect(JSON.parse(run.stdout)).toMatchObject({ worker: "w1", health: { status: "closed", served: 1, failed: 0, inFlight: 0 } })
    expect(worker.health()).toMatchObject({ status: "closed", served: "1" })
    await until(() => !log.pids().some(isAlive), "the MCP server is gone", 30_000)
    expect(await alice.error("files.slow", {})).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
  })

  test("what is not exposed is not there, and a server that fails costs only itself", async () => {
    const { file } = await configOf(NATS, { gone: { command: "no-such-program" } })
    const { url, pass } = secured.as("w1")
    const words = ["--nats", url.replace("//", `//w1:${pass}@`), "--config", file, "--expose", "files.echo", "files.none", "--health-every", "0.05"]
    const worker = await startServe(cli, words)
    expect(worker.log()).toMatch(/note {3}gone: .*no-such-program/)
    expect(worker.log()).toMatch(/note {3}no operation fits "files\.none" now/)
    const alice = await startCaller({ ...secured.as("alice"), name: "alice" })
    expect(await alice.data("files.echo", {})).toEqual({ given: {} })
    expect((await alice.error("files.hidden", {})).code).toBe("OPERATION_NOT_FOUND")
    await until(() => worker.health()["refused"] === "1", "the health is told again and again")
    expect(worker.health()).toMatchObject({ operations: "1", served: "1" })
  })

  test("lives through a restart of a NATS server, and says so; warns of one that asks nobody for a password", async () => {
    const server = await natsServer()
    onTestFinished(() => server.stop())
    const { file } = await configOf()
    const worker = await startServe(cli, ["--nats", server.url, "--name", "w1", "--config", file])
    expect(worker.log()).toMatch(/^note {3}the NATS server asks nobody for a password: every caller may use any name/)
    await server.restart()
    await until(() => worker.log().includes("connected to the NATS server again"), "the connection is back", 30_000)
    expect(worker.log().match(/connection to the NATS server was lost/g)).toHaveLength(1)
    const alice = await startCaller({ url: server.url })
    await expect.poll(async () => (await alice.end("files.echo", { b: 2 })).value?.data, { timeout: 30_000 }).toEqual({ given: { b: 2 } })
  })
})

describeWithNATS("serve ends at once, with the reason,", () => {
  const cases: readonly [what: string, words: (url: string) => string[], status: number, code: string, message: RegExp][] = [
    ["without a NATS server", () => ["--nats", "nats://127.0.0.1:1", "--name", "w1"], 3, "TRANSPORT_ERROR", /127\.0\.0\.1:1/],
    ["with a wrong password", (url) => ["--nats", url.replace("//", "//w1:wrong@")], 3, "AUTH_REQUIRED", /refused the user or the password/],
    ["for a url that is none", () => ["--nats", "http://x"], 2, "CONFIGURATION_ERROR", /address of a NATS server/],
    ["where nothing says what is served", () => ["--nats", "nats://127.0.0.1:1", "--name", "w9"], 2, "CONFIGURATION_ERROR", /no --expose, and .* says nothing of a worker "w9"/],
    ["where the NATS server does not let it serve", (url) => ["--nats", url.replace("//", `//w1:${secured.as("w1").pass}@`), "--expose", "*"], 2, "CONFIGURATION_ERROR", /mail/],
  ]
  test.each(cases)("%s", async (_what, words, status, code, message) => {
    const mail = scriptedServer({ tools: TOOLS }).config
    const { file } = await configOf(NATS, { mail })
    const run = await jsonHere(["serve", "--config", file, ...words(secured.as("w1").url)], { env: { PATH: process.env["PATH"] } })
    expect(run.document.error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(run.status).toBe(status)
    expect(JSON.stringify(run.document) + run.stderr).not.toMatch(/:wrong|password-of/)
  })

  test("without the client package, and names it", async () => {
    const { file } = await configOf()
    const hook = `export async function resolve(name, context, next) { if (name === "@nats-io/transport-node") throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }); return next(name, context) }`
    const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})`
    const run = await cli.json(["serve", "--config", file, "--nats", "nats://127.0.0.1:1", "--name", "w1"], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(register)}` },
    })
    expect(run.document.error).toMatchObject({ code: "CONFIGURATION_ERROR", message: expect.stringContaining("@nats-io/transport-node") })
    expect(run.document.error.details.remedy).toContain("npm install @nats-io/transport-node")
    expect(run.status).toBe(2)
  })
})
