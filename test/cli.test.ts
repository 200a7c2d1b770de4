import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { root } from "./fixtures/built_package.js"
import { CLI } from "./fixtures/cli_process.js"
import { scriptedServer } from "./fixtures/servers/scripted.js"
import type { Script } from "./fixtures/servers/scripted_core.mjs"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
beforeAll(async () => {
  cli = await CLI.install()
}, 120_000)
afterAll(() => cli.close())

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({ type: "object", properties, ...more })
const string = { type: "string" }

/** A server with these tools, as the words at the end of a command line; each tool echoes its arguments unless the script says more. */
function server(tools: Record<string, unknown>, script: Script = {}) {
  const { config, log } = scriptedServer({ tools: Object.entries(tools).map(([name, inputSchema]) => ({ name, inputSchema })), ...script })
  return { words: ["--", config.command, ...config.args], config, log }
}

describe("the program", () => {
  test.each<[string, () => string[], number, object]>([
    ["an answer", () => ["call", "t", "--x", "5", ...server({ t: object({ x: {} }) }).words], 0, { data: { given: { x: 5 } } }],
    ["a tool's own error", () => ["call", "t", ...server({ t: {} }, { calls: { t: [{ result: { isError: true, content: [] } }] } }).words], 1, { meta: { isError: true } }],
    ["an unknown command", () => ["lst"], 2, { error: { code: "CONFIGURATION_ERROR" } }],
    ["a server that dies", () => ["call", "t", ...server({ t: {} }, { calls: { t: [{ exit: 7 }] } }).words], 3, { error: { code: "TRANSPORT_ERROR" } }],
  ])("%s ends with its exit code and one JSON document", async (_, words, status, document) => {
    const run = await cli.json(words())
    expect(run.document).toMatchObject(document)
    expect([run.status, run.stderr]).toEqual([status, ""])
  })

  test("reads all arguments from stdin", async () => {
    const { words } = server({ t: {} })
    const { document } = await cli.json(["call", "--input", "-", "t", ...words], { stdin: '{"a": ["ä"]}' })
    expect(document.data).toEqual({ given: { a: ["ä"] } })
  })
})

describe("stdout", () => {
  // openclaw/mcporter#160, #81
  test("holds one JSON document also where the server prints its log on the wrong stream; the note about it goes to stderr", async () => {
    const { words } = server({ t: {} }, { atStart: [{ raw: "Starting server...\n", times: 9 }], calls: { t: [{ raw: "still here\n" }, { result: { content: [], structuredContent: { a: { b: { c: { d: [1] } } } } } }] } })
    const { document, status, stderr } = await cli.json(["call", "t", ...words])
    expect([status, document.data]).toEqual([0, { a: { b: { c: { d: [1] } } } }])
    expect(stderr).toMatch(/^note /)
    expect(stderr.trimEnd().split("\n").length).toBeLessThan(7)
  })

  test("is a text for a reader with --text, and JSON for help that is asked for as JSON", async () => {
    const { words } = server({ t: {} })
    expect((await cli.run(["list", "--text", "--name", "s", ...words])).stdout).toBe("s  scripted 1.2.3, 1 operation\n  s.t\n")
    expect((await cli.run(["--help"])).stdout).toMatch(/^Usage: mcp-operations/)
    expect((await cli.json(["call", "--help", "--json"])).document.help).toMatch(/^Usage: mcp-operations call/)
    expect((await cli.json(["call", "t", "--help", "--json", ...server({ t: {} }).words])).document).toMatchObject({ name: "t", flags: [] })
  })

  test("a reader that goes away is no failure", async () => {
    const { words } = server(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`tool_${String(at)}`, object({ text: { ...string, description: "d".repeat(200) } })])))
    const child = cli.start(["list", ...words])
    child.stdout?.once("data", () => child.stdout?.destroy())
    let stderr = ""
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0)
    expect(stderr).toBe("")
  })

  test("takes a document of 8 MB whole", async () => {
    const { words } = server({ t: {} }, { calls: { t: [{ result: { content: [{ type: "text", text: "x".repeat(8_000_000) }] } }] } })
    const { document } = await cli.json(["call", "t", ...words])
    expect(document.data[0].text.length).toBe(8_000_000)
  })
})

describe("demo", () => {
  test("shows four envelopes, each as the table of the README says", async () => {
    const { document, status } = await cli.json(["demo"])
    expect(status).toBe(0)
    expect(document.answers.map(({ operation, envelope: { data, meta } }: { operation: string; envelope: { data: unknown; meta: Record<string, unknown> } }) => [operation, data, meta["isError"], meta["conformance"]])).toEqual([
      ["cafe.price_order", { drink: "espresso", cups: 2, total: 5 }, false, "exact"],
      ["cafe.reserve_table", { free: ["18:00", "21:00"] }, true, "untyped"],
      ["cafe.check_stock", { item: "coffee beans", grams: 0, reorder: false }, false, "cast"],
      ["cafe.show_menu", [expect.objectContaining({ type: "image" }), expect.objectContaining({ type: "resource" })], false, "untyped"],
    ])
    expect(document.answers[2].envelope.meta.changes).toEqual([
      { path: "/grams", kind: "replaced", from: "about 1200", to: 0 },
      { path: "/reorder", kind: "added", to: false, origin: "default" },
    ])
  })

  test("is readable with --text, without a colour, one line of explanation each", async () => {
    const { stdout } = await cli.run(["demo", "--text"])
    expect(stdout).not.toContain("\u001b")
    expect(stdout.split("\n").filter((line) => /^\d {2}/.test(line))).toHaveLength(4)
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})

describe("a real server", () => {
  const everything = join(root, "node_modules/.bin/mcp-server-everything")
  test.skipIf(!existsSync(everything))("is called by the name of its package", async () => {
    const { document, status } = await cli.json(["call", "get-structured-content", "--location", "Chicago", "--", everything])
    expect(status).toBe(0)
    expect(document).toMatchObject({
      data: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
      meta: { server: "mcp-server-everything", conformance: "exact" },
    })
  })
})
