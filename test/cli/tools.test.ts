import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonHere, runHere } from "../fixtures/cli_host.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

const everything = ["--", process.execPath, fileURLToPath(new URL("../../node_modules/.bin/mcp-server-everything", import.meta.url))]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-"))
})
afterAll(() => rm(folder, { recursive: true }))

function server(tools: unknown[]) {
  const { config } = scriptedServer({ tools })
  return ["--name", "srv", "--", config.command, ...config.args]
}

const search = {
  name: "search",
  title: "Search",
  description: "Finds things.",
  inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  outputSchema: { type: "object", properties: { hits: { type: "number" } } },
  annotations: { readOnlyHint: true },
}
const parameters = search.inputSchema

describe("tools", () => {
  test.each([
    ["openai", { type: "function", function: { name: "srv__search", description: "Finds things.", parameters, strict: false } }],
    ["openai-responses", { type: "function", name: "srv__search", description: "Finds things.", parameters, strict: false }],
    ["anthropic", { name: "srv__search", description: "Finds things.", input_schema: parameters }],
    [
      "json",
      {
        name: "srv__search",
        description: "Finds things.",
        parameters,
        metadata: {
          operationId: "srv.search",
          server: "srv",
          tool: "search",
          version: "1.2.3",
          type: "mutation",
          title: "Search",
          annotations: { readOnlyHint: true },
          outputSchema: search.outputSchema,
        },
      },
    ],
  ])("--format %s prints an array and nothing else", async (format, definition) => {
    const { document, status, stderr } = await jsonHere(["tools", "--format", format, ...server([search])])
    expect([status, stderr]).toEqual([0, ""])
    expect(document).toEqual([definition])
  })

  test("is JSON at a terminal and with --text too, and json is the format where none is named", async () => {
    const { stdout } = await runHere(["tools", "--text", ...server([search])])
    expect(JSON.parse(stdout)).toMatchObject([{ name: "srv__search", metadata: { operationId: "srv.search" } }])
  })

  test("prints every tool of server-everything", async () => {
    const { document, status } = await jsonHere(["tools", "--format", "openai", "--name", "everything", ...everything])
    expect(status).toBe(0)
    const named = (document as { function: { name: string } }[]).map((tool) => tool.function.name)
    expect(named).toContain("everything__get-sum")
    expect(named.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
    const sum = (document as { function: { name: string; parameters: unknown } }[]).find((tool) => tool.function.name === "everything__get-sum")
    expect(sum?.function.parameters).toMatchObject({ type: "object", required: ["a", "b"] })
  }, 180_000)

  test("names each change that a provider needs, on stderr and with --format json beside the parameters", async () => {
    const schema = { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object", properties: { b: { type: "string" } } }] }
    const one = [{ name: "either", inputSchema: schema }]
    const changed = await jsonHere(["tools", "--format", "anthropic", ...server(one)])
    expect(changed.document).toMatchObject([{ name: "srv__either", input_schema: { type: "object" } }])
    expect(changed.stderr).toMatch(/^note {3}srv\.either \/anyOf: /m)
    const told = await jsonHere(["tools", "--provider", "anthropic", ...server(one)])
    expect(told.document).toMatchObject([{ fitted: { provider: "anthropic", changes: expect.arrayContaining([{ path: "/anyOf", change: expect.any(String) }]) } }])
    const plain = await jsonHere(["tools", ...server(one)])
    expect([plain.document, plain.stderr]).toMatchObject([[{ parameters: schema }], ""])
  })

  test("--provider openai-strict gives strict tools where that can be done, and says where it cannot", async () => {
    const open = { type: "object", properties: { any: {} }, additionalProperties: { type: "string" } }
    const { document, stderr } = await jsonHere(["tools", "--format", "openai", "--provider", "openai-strict", ...server([{ ...search, inputSchema: { ...parameters, additionalProperties: false } }, { name: "open", inputSchema: open }])])
    expect(document).toMatchObject([
      { function: { name: "srv__search", strict: true, parameters: { required: ["q"], additionalProperties: false } } },
      { function: { name: "srv__open", strict: false } },
    ])
    expect(stderr).toMatch(/^note {3}srv\.open is not strict: \/\S*: /m)
  })

  test("--short-names leaves the server out where a name is unique", async () => {
    const config = join(folder, "servers.json")
    const entry = (tools: unknown[]) => scriptedServer({ tools }).config
    await writeFile(config, JSON.stringify({ mcpServers: { one: entry([search, { name: "only", inputSchema: {} }]), two: entry([search]) } }))
    const { document } = await jsonHere(["tools", "--config", config, "--short-names", "--format", "anthropic"])
    expect((document as { name: string }[]).map(({ name }) => name).sort()).toEqual(["one__search", "only", "two__search"])
  })

  test("a server that cannot be reached is noted, and fails the command only where it is the only one", async () => {
    const config = join(folder, "half.json")
    await writeFile(config, JSON.stringify({ mcpServers: { good: scriptedServer({ tools: [search] }).config, gone: { command: "no-such-program-anywhere" } } }))
    const half = await jsonHere(["tools", "--config", config, "--format", "openai"])
    expect([half.status, half.document]).toMatchObject([0, [{ function: { name: "good__search" } }]])
    expect(half.stderr).toMatch(/^note {3}gone: .*no-such-program-anywhere/m)
    const none = await jsonHere(["tools", "--", "no-such-program-anywhere"])
    expect([none.status, none.document]).toMatchObject([3, { error: { code: "TRANSPORT_ERROR" } }])
  })

  test.each([
    [["--format", "xml"], /xml.*Allowed choices are json, openai, openai-responses, anthropic/],
    [["--provider", "nobody"], /nobody.*Allowed choices are openai, openai-strict, anthropic/],
    [["--format", "anthropic", "--provider", "openai-strict"], /The format anthropic is not for the provider openai-strict/],
  ])("%j is a wrong command line, with what to do instead", async (words, message) => {
    const { document, status } = await jsonHere(["tools", ...words, ...server([search])])
    expect(status).toBe(2)
    expect(document.error).toMatchObject({ code: "CONFIGURATION_ERROR", message: expect.stringMatching(message), details: { remedy: expect.any(String) } })
  })

  test("--help teaches the formats, the providers and the names, with examples", async () => {
    const { stdout, status } = await runHere(["tools", "--help"])
    expect(status).toBe(0)
    for (const part of ["Usage: mcp-operations tools", "Chat Completions", "anthropic", "openai-strict", "metadata.operationId", "Examples:", "> tools.json"]) expect(stdout).toContain(part)
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
  })
})
