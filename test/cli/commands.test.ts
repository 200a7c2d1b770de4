import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { tmpdir } from "node:os"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonHere, runHere } from "../fixtures/cli_host.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../fixtures/servers/scripted_http.js"
import type { Script } from "../fixtures/servers/scripted_core.mjs"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-"))
})
afterAll(() => rm(folder, { recursive: true }))

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({ type: "object", properties, ...more })
const string = { type: "string" }

/** A server with these tools, as the words at the end of a command line; each tool echoes its arguments unless the script says more. */
function server(tools: Record<string, unknown>, script: Script = {}) {
  const { config, log } = scriptedServer({ tools: Object.entries(tools).map(([name, inputSchema]) => ({ name, inputSchema })), ...script })
  return { words: ["--", config.command, ...config.args], config, log }
}

/** The arguments that arrived with the only call. */
function wire(log: ReturnType<typeof server>["log"]): unknown {
  const calls = log.received("tools/call")
  expect(calls).toHaveLength(1)
  return calls[0]?.arguments
}

describe("call", () => {
  test("prints the envelope and nothing else, with the bare name of the tool", async () => {
    const { words, log } = server({ greet: object({ name: string }) })
    const { document, status, stderr } = await jsonHere(["call", "--name", "srv", "greet", "--name", "Ada", ...words])
    expect([status, stderr]).toEqual([0, ""])
    expect(wire(log)).toEqual({ name: "Ada" })
    expect(document).toMatchObject({ data: { given: { name: "Ada" } }, meta: { source: "mcp", server: "srv", tool: "greet", isError: false, conformance: "untyped" } })
  })

  // MoonshotAI/kimi-code#2554, anomalyco/opencode#38923
  test("structured data is in data, the text beside it in the content", async () => {
    const { words } = server({ list: {} }, { calls: { list: [{ result: { content: [{ type: "text", text: "4 items" }], structuredContent: { items: [1, 2, 3, 4] } } }] } })
    const { document } = await jsonHere(["call", "list", "--json", ...words])
    expect(document.data).toEqual({ items: [1, 2, 3, 4] })
    expect(document.meta.content).toEqual([{ type: "text", text: "4 items" }])
  })

  // openclaw/mcporter#126
  test("lists, booleans and whole inputs arrive with their types, and no field is lost", async () => {
    const mail = object({ to: { type: "array", items: string }, subject: string, save: { type: "boolean" } })
    const whole = { to: ["a@example.com"], subject: "Hi", save: true }
    const ways: [string[], string?][] = [
      [["send", "--to", '["a@example.com"]', "--subject", "Hi", "--save", "true"]],
      [["--input", JSON.stringify(whole), "send"]],
      [["--input", "-", "send"], JSON.stringify(whole)],
      [["--arg", 'to=["a@example.com"]', "--arg", "save=true", "send", "--subject", "Hi"]],
    ]
    for (const [own, stdin] of ways) {
      const { words, log } = server({ send: mail })
      const { status } = await runHere(["call", ...own, ...words], stdin === undefined ? {} : { stdin })
      expect([status, wire(log)]).toEqual([0, whole])
    }
    const { words, log } = server({ send: mail })
    await runHere(["call", "send", "--to", "a@example.com", "--to", "b@example.com", ...words])
    expect(wire(log)).toEqual({ to: ["a@example.com", "b@example.com"] })
  })

  // openclaw/mcporter#332, #339
  test("odd property names each have their flag, and what is left out is absent", async () => {
    const names = ["Query", "no_cache", "nocache", "query-3", "query3", "__", "--x"]
    const tools = { odd: object(Object.fromEntries(names.map((name) => [name, string]))) }
    const all = server(tools)
    await runHere(["call", "odd", ...names.flatMap((name) => [`--${name}`, `v ${name}`]), ...all.words])
    expect(wire(all.log)).toEqual(Object.fromEntries(names.map((name) => [name, `v ${name}`])))
    const none = server(tools)
    await runHere(["call", "odd", ...none.words])
    expect(wire(none.log)).toEqual({})
    const help = await runHere(["call", "odd", "--help", ...server(tools).words])
    expect(help.status).toBe(0)
    for (const name of names) expect(help.stdout).toContain(`--${name}`)
  })

  // knowsuchagency/mcp2cli#80
  test("names that differ in spelling only are different tools, in any order of listing", async () => {
    const names = ["get_user", "getUser", "get-user"]
    for (const order of [names, [...names].reverse()]) {
      const listed = server(Object.fromEntries(order.map((name) => [name, {}])))
      const { document } = await jsonHere(["list", "--name", "s", ...listed.words])
      expect(document.operations.map(({ id }: { id: string }) => id)).toEqual(order.map((name) => `s.${name}`))
    }
    for (const name of names) {
      const { words, log } = server(Object.fromEntries(names.map((one) => [one, {}])))
      expect((await runHere(["call", name, ...words])).status).toBe(0)
      expect(log.received("tools/call")[0]?.name).toBe(name)
    }
  })

  // anthropics/claude-code#78762, earendil-works/pi#8943
  test("a whole number that would be rounded is refused, and nothing is sent", async () => {
    for (const own of [["get", "--id", "2512292042121000001"], ["--input", '{"id":2512292042121000001}', "get"], ["--arg", "id=2512292042121000001", "get"]]) {
      const { words, log } = server({ get: object({ id: { type: "integer" } }) })
      const { document, status } = await jsonHere(["call", ...own, ...words])
      expect([status, document.error.message]).toEqual([2, expect.stringContaining("rounded")])
      expect(log.received("tools/call")).toEqual([])
    }
  })

  // mastra-ai/mastra#4341, anthropics/claude-code#95239, webstudio-is/webstudio#6009
  test("null is null, and untyped properties take JSON scalars", async () => {
    const nullable = server({ t: object({ fields: { type: ["array", "null"], items: string, default: null }, name: { type: ["string", "null"] } }) })
    await runHere(["call", "t", "--fields", "null", ...nullable.words])
    expect(wire(nullable.log)).toEqual({ fields: null })
    const untyped = server({ t: object({ limit: {}, dryRun: {} }, { additionalProperties: false }) })
    await runHere(["call", "t", "--limit", "5", "--dryRun", "true", ...untyped.words])
    expect(wire(untyped.log)).toEqual({ limit: 5, dryRun: true })
  })

  // webpack/webpack#21057, node-config/node-config#906
  test("names of Object.prototype are names like any other", async () => {
    const schema = object(JSON.parse('{"__proto__":{"type":"object"},"constructor":{},"toString":{"type":"string"}}'))
    const { words, log } = server({ __proto__x: {}, t: schema })
    const { status } = await runHere(["call", "t", "--__proto__", '{"polluted":1}', "--constructor", "c", ...words])
    expect(status).toBe(0)
    expect(JSON.stringify(wire(log))).toBe('{"__proto__":{"polluted":1},"constructor":"c"}')
    const none = server({ t: schema })
    const refused = await jsonHere(["call", "constructor", ...none.words])
    expect([refused.status, refused.document.error.code]).toEqual([2, "OPERATION_NOT_FOUND"])
    const path = await jsonHere(["call", "t", "--__proto__.polluted", "1", ...server({ t: schema }).words])
    expect([path.status, path.document.error.code]).toEqual([2, "CONFIGURATION_ERROR"])
  })

  test("a server given by its url is named by its host", async () => {
    const { url, log } = await scriptedHTTPServer({ tools: [{ name: "t" }] })
    const { document, status } = await jsonHere(["call", "--url", url, "t", "--json"])
    expect([status, document.meta.server]).toEqual([0, "127_0_0_1"])
    expect(log.received("tools/call")).toHaveLength(1)
  })

  test("--json behind the id is the tool's where it has such a property", async () => {
    const { words, log } = server({ t: object({ json: string, help: string, input: string }) })
    const { status } = await runHere(["call", "t", "--json", "j", "--help", "h", "--input", "i", ...words])
    expect([status, wire(log)]).toEqual([0, { json: "j", help: "h", input: "i" }])
  })
})

describe("exit codes", () => {
  const callOf = (step: Script["calls"]) => ["call", "t", ...server({ t: object({ n: { type: "integer" } }) }, { ...(step && { calls: step }) }).words]
  test.each<[string, () => string[], number, object]>([
    ["an answer", () => callOf({ t: [{ result: { content: [] } }] }), 0, { meta: { isError: false } }],
    ["a tool's own error", () => callOf({ t: [{ result: { isError: true, content: [{ type: "text", text: "422" }] } }] }), 1, { meta: { isError: true } }],
    ["no command", () => [], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["an unknown command", () => ["lst"], 2, { error: { code: "CONFIGURATION_ERROR", message: "unknown command 'lst'; did you mean list?" } }],
    ["an unknown option", () => ["list", "--jsn"], 2, { error: { code: "CONFIGURATION_ERROR", message: "unknown option '--jsn'; did you mean --json?" } }],
    ["a command without its id", () => ["call"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["no server", () => ["list"], 2, { error: { code: "CONFIGURATION_ERROR", details: { remedy: expect.stringContaining("--config FILE") as string } } }],
    ["two ways to a server", () => ["list", "--url", "http://localhost:1", "--", "x"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["a name without its server", () => ["list", "--name", "x", "--config", "y"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["nothing behind --", () => ["list", "--"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["a url that is none", () => ["list", "--url", "localhost:3000"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["a config that is not there", () => ["list", "--config", "none.json"], 2, { error: { code: "CONFIGURATION_ERROR", details: { file: "none.json" } } }],
    ["a demo with a server", () => ["demo", "--", "x"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["a flag that the tool does not have", () => ["call", "t", "--m", "1", ...server({ t: object({ n: { type: "integer" } }) }).words], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["an input that does not fit", () => ["call", "t", "--n", "1.5", ...server({ t: object({ n: { type: "integer" } }) }).words], 2, { error: { code: "VALIDATION_ERROR" } }],
    ["a misspelt tool", () => ["call", "tt", ...server({ t: {} }).words], 2, { error: { code: "OPERATION_NOT_FOUND", details: { nearest: ["t"] } } }],
    ["an error answer", () => callOf({ t: [{ error: { code: -32042, message: "nope", data: { retryAfter: 3 } } }] }), 3, { error: { code: "PROTOCOL_ERROR", details: { rpcCode: -32042, rpcData: { retryAfter: 3 } } } }],
    ["a server that dies", () => callOf({ t: [{ stderr: "out of beans\n" }, { exit: 7 }] }), 3, { error: { code: "TRANSPORT_ERROR" } }],
    ["a server that is not there", () => ["list", "--", join("nowhere", "at-all")], 3, { error: { code: "TRANSPORT_ERROR" } }],
    ["a call that takes too long", () => ["call", "--timeout", "0.3", "t", ...server({ t: {} }, { calls: { t: [{ hang: true }] } }).words], 3, { error: { code: "TIMEOUT" } }],
  ])("%s", async (_, words, status, document) => {
    const run = await jsonHere(words())
    expect(run.document).toMatchObject(document)
    expect(run.status).toBe(status)
  })
})

describe("list and describe", () => {
  test("list gives every spec, and what became of each server", async () => {
    const good = server({ a: object({ x: string }) }, { tools: [{ name: "a", description: "Does a.", inputSchema: object({ x: string }) }, { name: 5 }] })
    const config = join(folder, "servers.json")
    await writeFile(config, JSON.stringify({ mcpServers: { good: good.config, "bad one": { command: "nowhere/at-all" } } }))
    const { document, status } = await jsonHere(["list", "--config", config])
    expect(status).toBe(0)
    expect(document.operations).toMatchObject([
      { id: "good.a", name: "a", namespace: "good", description: "Does a.", inputSchema: object({ x: string }), outputSchema: {} },
    ])
    expect(document.servers).toMatchObject([
      { name: "good", ok: true, tools: 1, server: { name: "scripted", version: "1.2.3" }, rejected: [{ pointer: "/tools/1/name" }] },
      { name: "bad one", ok: false, error: { code: "TRANSPORT_ERROR" } },
    ])
    const text = (await runHere(["list", "--config", config, "--text"])).stdout
    expect(text).toMatch(/^good {2}scripted 1\.2\.3, 1 operation\n {2}good\.a {2}Does a\.\n {2}rejected /)
    expect(text).toMatch(/bad one {2}failed: .*\(TRANSPORT_ERROR\)/)
  })

  test("list fails where no server can be reached, and names each", async () => {
    const config = join(folder, "none.json")
    await writeFile(config, JSON.stringify({ mcpServers: { one: { command: "nowhere/one" }, two: { command: "nowhere/two" } } }))
    const { document, status } = await jsonHere(["list", "--config", config])
    expect(status).toBe(3)
    expect(document.error).toMatchObject({ code: "TRANSPORT_ERROR", details: { servers: [{ name: "one" }, { name: "two" }] } })
  })

  test("only the server of the id is started, and a misspelt server starts none", async () => {
    const [one, two] = [server({ a: {} }), server({ a: {} })]
    const config = join(folder, "two.json")
    await writeFile(config, JSON.stringify({ mcpServers: { files: one.config, mail: two.config } }))
    expect((await runHere(["call", "--config", config, "files.a"])).status).toBe(0)
    expect([one.log.received("initialize").length, two.log.received("initialize").length]).toEqual([1, 0])
    const wrong = await jsonHere(["call", "--config", config, "fiels.a"])
    expect([wrong.status, wrong.document.error.details.nearest]).toEqual([2, ["files.a"]])
    const bare = await jsonHere(["call", "--config", config, "a"])
    expect([bare.status, bare.document.error.message]).toEqual([2, expect.stringContaining("the servers are files, mail")])
    expect([one.log.received("initialize").length, two.log.received("initialize").length]).toEqual([1, 0])
  })

  test("describe gives spec, flags and losses", async () => {
    const { words } = server({ t: object({ maxItems: { type: "integer", default: 5 } }, { required: ["maxItems"] }) })
    const { document, status } = await jsonHere(["describe", "t", "--name", "s", ...words])
    expect(status).toBe(0)
    expect(document).toMatchObject({
      id: "s.t",
      inputSchema: { properties: { maxItems: { type: "integer" } } },
      flags: [{ property: "maxItems", flags: ["--maxItems", "--max-items"], type: "integer", required: true, default: 5 }],
      losses: [],
    })
  })

  test("a tool that was rejected is named as such", async () => {
    const { words } = server({}, { tools: [{ name: "broken", inputSchema: 5 }] })
    const { document, status } = await jsonHere(["call", "broken", ...words])
    expect([status, document.error.code]).toEqual([2, "OPERATION_NOT_FOUND"])
    expect(document.error.message).toContain("cannot be used")
  })
})

