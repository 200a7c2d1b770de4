import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { CLI, hasTerminals } from "../fixtures/cli_process.js"

// Each test starts programs; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
let home: string
const FILE = ".mcp.json"
beforeAll(async () => {
  cli = await CLI.install()
  home = join(cli.folder, "../init-home")
  await mkdir(join(home, ".cursor"), { recursive: true })
  await mkdir(join(home, ".config/Claude"), { recursive: true })
  await writeFile(
    join(home, ".cursor/mcp.json"),
    JSON.stringify({ mcpServers: { files: { command: "npx", args: ["-y", "server", "--api-key", "hunter2secret", "--token=hunter2secret", "."], env: { API_TOKEN: "hunter2secret" } } } }),
  )
  await writeFile(
    join(home, ".config/Claude/claude_desktop_config.json"),
    JSON.stringify({ mcpServers: { web: { url: "https://user:hunter2secret@example.com/mcp", headers: { "X-Api-Key": "hunter2secret" } }, files: { command: "other" } } }),
  )
}, 180_000)
afterAll(() => cli.close())
afterEach(() => rm(join(cli.folder, FILE), { force: true }))

const made = async () => JSON.parse(await readFile(join(cli.folder, FILE), "utf8")) as unknown

describe.runIf(process.platform === "linux")("init", () => {
  test("takes the servers of other clients over, and none of their secrets", async () => {
    const { status, stdout, document } = await cli.json(["init", "--yes"], { env: { HOME: home } })
    expect(status).toBe(0)
    expect(document).toMatchObject({ file: FILE, servers: ["web", "files"], variables: ["X_API_KEY"] })
    expect(await made()).toEqual({ mcpServers: { web: { type: "http", url: "https://example.com/mcp", headers: { "X-Api-Key": "${X_API_KEY}" } }, files: { command: "other", args: [] } } })
    expect(stdout + (await readFile(join(cli.folder, FILE), "utf8"))).not.toContain("hunter2secret")
  })

  test("replaces what stands behind secret-looking flags", async () => {
    await rm(join(home, ".config"), { recursive: true })
    await cli.run(["init", "--yes"], { env: { HOME: home } })
    expect(await made()).toEqual({ mcpServers: { files: { command: "npx", args: ["-y", "server", "--api-key", "${API_KEY}", "--token=${TOKEN}", "."], env: { API_TOKEN: "${API_TOKEN}" } } } })
  })

  test("asks before it takes anything, and does not guess where it cannot ask", async () => {
    const { status, document } = await cli.json(["init"], { env: { HOME: home } })
    expect(status).toBe(2)
    expect(document).toMatchObject({ error: { code: "CONFIGURATION_ERROR", details: { remedy: "--yes takes them over, --empty takes nothing" } } })
    await expect(made()).rejects.toThrow("ENOENT")
  })

  test.runIf(hasTerminals)("takes over what the person at the terminal agrees to", async () => {
    const { status, stdout } = await cli.atTerminal(["init"], { env: { HOME: home }, answers: [["Take them over? [y/N]", "y\n"]] })
    expect(stdout).toContain("Cursor has files")
    expect(status).toBe(0)
    expect(await made()).toMatchObject({ mcpServers: { files: { command: "npx" } } })
  })

  test("makes an empty one where there is nothing, or nothing is wanted, and overwrites none", async () => {
    expect((await cli.run(["init", "--text", "--empty"], { env: { HOME: home } })).stdout).toBe(`${FILE} was made, without a server yet.\nNext: mcp-operations list\n`)
    expect(await made()).toEqual({ mcpServers: {} })
    expect(await cli.json(["init"])).toMatchObject({ status: 2, document: { error: { message: `"${FILE}" is there already` } } })
  })
})
