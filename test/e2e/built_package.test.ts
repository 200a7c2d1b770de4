/**
 * The compiled package in programs of their own: a strict consumer, a runtime without code generation, a host whose server dies.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TSC, installBuiltPackage } from "../fixtures/built_package.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

const run = promisify(execFile)
/** What ends a program that hangs. */
const LONGEST_MS = 50_000
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-operations-built-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => installBuiltPackage(folder), 300_000)

/** Runs a program of the test in a node of its own; rejects when it does not end with 0. */
async function node(name: string, source: string, argument: unknown, flags: string[] = []): Promise<string> {
  writeFileSync(join(folder, name), source)
  const { stdout } = await run(process.execPath, [...flags, join(folder, name), JSON.stringify(argument)], { cwd: folder, timeout: LONGEST_MS })
  return stdout
}

test("a consumer with the strictest settings compiles against the package and runs", async () => {
  const consumer = join(folder, "consumer")
  mkdirSync(consumer)
  cpSync(fileURLToPath(new URL("../fixtures/consumer", import.meta.url)), consumer, { recursive: true })
  // The root door is checked with every declaration that it reaches; of the other door's, the SDK's are not ours to answer for.
  const compiled = await Promise.all(
    [["--noEmit", "-p", consumer], ["-p", join(consumer, "tsconfig.program.json")]].map((args) =>
      run(process.execPath, [TSC, ...args]).catch((error: unknown) => error as { stdout: string }),
    ),
  )
  expect(compiled.map(({ stdout }) => stdout)).toEqual(["", ""])
  const { config } = scriptedServer({ tools: [{ name: "t", inputSchema: { type: "object" } }] })
  const { stdout } = await run(process.execPath, [join(consumer, "out/main.js"), JSON.stringify(config)], { cwd: consumer, timeout: LONGEST_MS })
  const meta = { source: "mcp", server: "", tool: "", conformance: "untyped" }
  const content = [
    { type: "text", text: "hi" },
    { type: "text", text: '{"type":"video"}' },
  ]
  expect(JSON.parse(stdout)).toEqual({
    printed: {
      first: { data: { n: 1 }, meta: { ...meta, isError: false, content, structuredContent: { n: 1 }, dataFrom: "structuredContent" } },
      absent: { data: null, meta: { ...meta, isError: true, content: [], _meta: { k: 1 }, dataFrom: "content" } },
      n: 1,
      blocks: [],
      text: "hi",
      unwrapped: { n: 1 },
    },
    tools: [
      {
        data: { given: { a: 1 } },
        meta: {
          ...meta,
          server: "demo",
          tool: "t",
          isError: false,
          content: [],
          structuredContent: { given: { a: 1 } },
          dataFrom: "structuredContent",
        },
        type: "object",
      },
    ],
  })
}, 300_000)

// brave/brave-search-mcp-server#235
describe("where code generation from strings is forbidden", () => {
  const PROGRAM = `
    import { createMCPClient } from "mcp-operations/from-mcp"
    let forbidden
    try { new Function("return 1")(); forbidden = false } catch (error) { forbidden = error.name }
    const wrapper = await createMCPClient("demo", JSON.parse(process.argv[2]))
    const answer = async (name, input) => {
      try { const { data, meta } = await wrapper.getTool(name).handler(input); return { data, conformance: meta.conformance, issues: meta.issues?.map(({ path }) => path) } }
      catch ({ code, details }) { return { code, issues: details.issues?.map(({ path }) => path) } }
    }
    const told = {
      forbidden,
      tools: wrapper.tools.map(({ name }) => name),
      good: await answer("good", { a: "x" }),
      bad: await answer("bad", { a: "x" }),
      refused: await answer("good", { a: 1 }),
      diagnosis: wrapper.diagnose(),
    }
    await wrapper.close()
    process.stdout.write(JSON.stringify(told))
  `
  test("tools are listed, called, and held against both schemas", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "string", pattern: "^[a-z]+$" } }, required: ["a"], additionalProperties: false }
    const outputSchema = {
      type: "object",
      $defs: { N: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] } },
      properties: { list: { type: "array", items: { $ref: "#/$defs/N" } } },
      required: ["list"],
    }
    const { config } = scriptedServer({
      tools: [
        { name: "good", inputSchema, outputSchema },
        { name: "bad", inputSchema, outputSchema },
      ],
      calls: {
        good: [{ result: { content: [], structuredContent: { list: [{ n: 1 }] } } }],
        bad: [{ result: { content: [], structuredContent: { list: [{ n: 1 }, { n: "2" }] } } }],
      },
    })
    const stdout = await node("no_codegen.mjs", PROGRAM, config, ["--disallow-code-generation-from-strings"])
    expect(JSON.parse(stdout)).toMatchObject({
      forbidden: "EvalError",
      tools: ["good", "bad"],
      good: { data: { list: [{ n: 1 }] }, conformance: "exact" },
      bad: { issues: ["/list/1/n"], conformance: expect.stringMatching(/^(cast|invalid)$/) },
      refused: { code: "VALIDATION_ERROR", issues: ["/a"] },
      diagnosis: { rejected: [], losses: [] },
    })
  })
})

// modelcontextprotocol/typescript-sdk#1049
describe("a server that dies takes nothing of its host along", () => {
  const PROGRAM = `
    import { createMCPClient } from "mcp-operations/from-mcp"
    const seen = []
    process.on("unhandledRejection", (error) => seen.push("unhandledRejection " + error))
    process.on("uncaughtException", (error) => seen.push("uncaughtException " + error))
    const [config, calls] = JSON.parse(process.argv[2])
    const codes = []
    try {
      const wrapper = await createMCPClient("demo", config)
      const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => wrapper.tools[0].handler({})))
      codes.push(...outcomes.map(({ reason }) => reason?.code))
      await wrapper.close()
    } catch (error) { codes.push(error.code) }
    process.on("exit", () => process.stdout.write(JSON.stringify({ codes, seen })))
  `
  test.each([
    ["at its start", { atStart: [{ exit: 1 }] }, 0, ["TRANSPORT_ERROR"]],
    ["while its handshake is read", { initialize: [{ raw: '{"jsonrpc":' }, { exit: 1 }] }, 0, ["TRANSPORT_ERROR"]],
    ["in the middle of three calls", { tools: [{ name: "t" }], calls: { t: [{ delay: 50 }, { exit: 1 }] } }, 3, ["TRANSPORT_ERROR", "TRANSPORT_ERROR", "TRANSPORT_ERROR"]],
  ])("%s", async (_, script, calls, codes) => {
    const { config } = scriptedServer(script)
    const stdout = await node("dying.mjs", PROGRAM, [config, calls])
    expect(JSON.parse(stdout)).toEqual({ codes, seen: [] })
  })

  test("and nothing prints: neither junk of the server nor its stderr reach the host's streams", async () => {
    const { config } = scriptedServer({
      tools: [{ name: "t", inputSchema: { type: "object", properties: { n: { type: "integer", format: "uint64" } } } }, { name: "bad", inputSchema: 5 }],
      atStart: [{ raw: "junk on stdout\n" }, { stderr: "words on stderr\n" }],
      calls: { t: [{ raw: "more junk\n" }, { exit: 1 }] },
    })
    writeFileSync(join(folder, "quiet.mjs"), PROGRAM)
    const { stdout, stderr } = await run(process.execPath, [join(folder, "quiet.mjs"), JSON.stringify([config, 1])], { cwd: folder, timeout: LONGEST_MS })
    expect(JSON.parse(stdout)).toEqual({ codes: ["TRANSPORT_ERROR"], seen: [] })
    expect(stderr).toBe("")
  })
})

