/**
 * Modules generated from real servers: compiled, loaded, and called through a client, a registry and an environment.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { complaints, javaScript } from "../codegen/typescript.js"
import { installBuiltPackage } from "../fixtures/built_package.js"
import { openScope } from "../fixtures/servers/scope.js"
import { generateModules } from "../../src/codegen.js"
import type { ResponseEnvelope } from "../../src/envelope.js"
import { createMCPClient, type MCPClientWrapper } from "../../src/from_mcp.js"
import { OperationRegistry } from "../../src/registry.js"
import { defineOperation } from "../../src/operation.js"
import { Type } from "@sinclair/typebox"

const { scope, end } = openScope()
afterAll(end)
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-operations-generated-")))
scope(() => rmSync(folder, { recursive: true, force: true }))

type Client = Record<string, (input?: unknown) => Promise<ResponseEnvelope>>
type Module = Record<string, (source: object) => Client>

let files: MCPClientWrapper
let memory: MCPClientWrapper
let modules: { name: string; text: string }[]
beforeAll(async () => {
  await installBuiltPackage(folder)
  const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))
  const server = (program: string, args: string[], env: Record<string, string> = {}) => ({
    command: process.execPath,
    args: [bin(program), ...args],
    env: { HOME: folder, PATH: process.env["PATH"] ?? "", ...env },
    cwd: folder,
  })
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n")
  files = await createMCPClient("files", server("mcp-server-filesystem", [folder]))
  memory = await createMCPClient("memory", server("mcp-server-memory", [], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }))
  scope(() => files.close())
  scope(() => memory.close())
  modules = generateModules([...files.tools, ...memory.tools])
}, 300_000)

async function load(name: string): Promise<Module> {
  const module = modules.find((file) => file.name === name)
  const path = join(folder, name.replace(/\.ts$/, ".mjs"))
  writeFileSync(path, javaScript(module?.text ?? ""))
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Module // What it exports is seen in its text.
}

test("the modules compile with a program that uses them, and a missing member is one error", () => {
  expect(modules.map(({ name }) => name)).toEqual(["files.ts", "memory.ts"])
  const program = (call: string) => ({
    name: "program.ts",
    text: `import { createFiles, ReadTextFileInput } from "./files.js"\nimport type { OperationSource } from "mcp-operations"\ndeclare const source: OperationSource\nconst files = createFiles(source)\nexport const input: ReadTextFileInput = { path: "a" }\nexport const schema = ReadTextFileInput\nexport const text: Promise<string> = ${call}.then(({ data }) => data.content)\n`,
  })
  expect(complaints(folder, [...modules, program(`files.readTextFile({ path: "a.txt", head: 1 })`)])).toEqual([])
  const errors = complaints(folder, [...modules, program("files.readTextFile({ head: 1 })")])
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain("Property 'path' is missing")
}, 300_000)

describe("a generated client gives the envelopes of the live operations", () => {
  test.each<[string, unknown]>([
    ["read_text_file", { path: "a.txt", head: 1 }],
    ["list_directory", { path: "." }],
    ["read_text_file", { path: "/outside" }],
    ["list_allowed_directories", undefined],
  ])("files: %s %j", async (tool, input) => {
    const { createFiles } = await load("files.ts")
    const method = tool.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    const live = await files.getTool(tool)?.handler(input)
    expect(await createFiles?.(files)[method]?.(input)).toEqual(live)
    const registry = new OperationRegistry()
    registry.registerAll(files.tools)
    expect(await createFiles?.(registry)[method]?.(input)).toEqual(live)
  })

  test("memory, from the environment of a local operation", async () => {
    const { createMemory } = await load("memory.ts")
    const registry = new OperationRegistry()
    registry.registerAll(memory.tools)
    registry.register(
      defineOperation({
        namespace: "local",
        name: "remember",
        type: "mutation",
        inputSchema: Type.Object({ name: Type.String() }),
        outputSchema: Type.Unknown(),
        handler: async ({ name }, { env }) => {
          const client = createMemory?.(env ?? {})
          await client?.["createEntities"]?.({ entities: [{ name, entityType: "person", observations: ["is here"] }] })
          return (await client?.["readGraph"]?.())?.data ?? null
        },
      }),
    )
    const { data } = await registry.execute("local.remember", { name: "Ada" })
    expect(data).toEqual({ entities: [{ name: "Ada", entityType: "person", observations: ["is here"] }], relations: [] })
  })

  test("what does not fit the input is refused as by the live operation", async () => {
    const { createFiles } = await load("files.ts")
    await expect(createFiles?.(files)["readTextFile"]?.({ path: 1 })).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { issues: [{ path: "/path" }] } })
  })

  test("a source without the operation says so", async () => {
    const { createFiles } = await load("files.ts")
    await expect(createFiles?.(memory)["readTextFile"]?.({ path: "a" })).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { operationId: "files.read_text_file" } })
  })
})
