import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { CLI } from "../fixtures/cli_process.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
beforeAll(async () => {
  cli = await CLI.install()
}, 180_000)
afterAll(() => cli.close())

function server(...tools: object[]): string[] {
  const { config } = scriptedServer({ tools })
  return ["--name", "demo", "--", config.command, ...config.args]
}

const open = { name: "open-door", inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] } }
const close = { name: "close-door", inputSchema: { type: "object" } }

describe("generate", () => {
  test("writes a module for each server, and touches none that would stay as it is", async () => {
    const made = await cli.json(["generate", "--out", "made", ...server(open)])
    expect(made).toMatchObject({ status: 0, document: { check: false, created: ["made/demo.ts"], changed: [], unchanged: [] } })
    const text = await readFile(join(cli.folder, "made/demo.ts"), "utf8")
    expect(text).toContain("export function createDemo(source: OperationSource): Demo {")
    expect(text).toContain("openDoor(input: OpenDoorInput, context?: OperationContext): Promise<ResponseEnvelope<MCPContentBlock[]>>")
    expect(await cli.json(["generate", "--out", "made", ...server(open)])).toMatchObject({ document: { created: [], unchanged: ["made/demo.ts"] } })
  })

  test("a check writes nothing and ends with 1 where a file would change", async () => {
    await cli.run(["generate", "--out", "checked", ...server(open)])
    const before = await readFile(join(cli.folder, "checked/demo.ts"), "utf8")
    expect(await cli.run(["generate", "--text", "--check", "--out", "checked", ...server(open)])).toMatchObject({ status: 0, stdout: "unchanged  checked/demo.ts\n" })
    expect(await cli.run(["generate", "--text", "--check", "--out", "checked", ...server(open, close)])).toMatchObject({ status: 1, stdout: "would change  checked/demo.ts\n" })
    expect(await readFile(join(cli.folder, "checked/demo.ts"), "utf8")).toBe(before)
  })

  test("types alone, in one file, with the names as they are", async () => {
    await cli.run(["generate", "--out", "types", "--target", "types", "--one-file", "all.ts", "--names", "as-is", "--header", "ours", ...server(open)])
    const text = await readFile(join(cli.folder, "types/all.ts"), "utf8")
    expect(text.startsWith("// ours\n\n/** The input of `demo.open-door`. */\nexport type OpenDoorInput = { key: string }\n")).toBe(true)
    expect(text).not.toContain("import")
  })

  test("a server that cannot be reached fails the command, and no file is written", async () => {
    const { status } = await cli.run(["generate", "--out", "never", "--", process.execPath, "-e", ""])
    expect(status).toBe(3)
    await expect(readFile(join(cli.folder, "never/demo.ts"))).rejects.toThrow("ENOENT")
  })
})
