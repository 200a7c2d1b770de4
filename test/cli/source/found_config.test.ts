import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { jsonHere, runHere } from "../../fixtures/cli_host.js"
import { CLI, hasTerminals, seen } from "../../fixtures/cli_process.js"
import { scriptedServer } from "../../fixtures/servers/scripted.js"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
let folder: string
beforeAll(async () => {
  cli = await CLI.install()
}, 120_000)
afterAll(() => cli.close())
beforeEach(async () => {
  folder = await mkdtemp(join(cli.folder, "project-"))
})

/** Puts a config into the folder whose server leaves a mark when it is started. */
async function plant(name = ".mcp.json", more: Record<string, unknown> = {}) {
  const { config, log } = scriptedServer({ tools: [{ name: "a" }] })
  const file = join(folder, name)
  await writeFile(file, JSON.stringify({ mcpServers: { files: { ...config, ...more } } }))
  return { file, log }
}

describe("a config that lies in the folder, without a terminal", () => {
  test.each([".mcp.json", "mcp.json", ".vscode/mcp.json"])("%s is refused, and starts, resolves and expands nothing", async (name) => {
    await mkdir(join(folder, ".vscode"))
    // The variable is not set: had it been expanded, the error would be about that.
    const { file, log } = await plant(name, { env: { KEY: "${NOT_SET_ANYWHERE}" } })
    const { document, status } = await cli.json(["list"], { cwd: folder })
    expect(status).toBe(2)
    expect(document.error).toMatchObject({ code: "CONFIGURATION_ERROR", details: { file, remedy: expect.stringContaining(`--config ${file}`) } })
    expect(log.starts()).toEqual([])
  })

  test("is used when it is named", async () => {
    await plant()
    expect((await cli.json(["list", "--config", ".mcp.json"], { cwd: folder })).document.operations).toHaveLength(1)
  })

  test("is not looked at where a server is named", async () => {
    const { log } = await plant()
    const other = scriptedServer({ tools: [{ name: "b" }] })
    expect((await cli.run(["call", "b", "--", other.config.command, ...other.config.args], { cwd: folder })).status).toBe(0)
    expect(log.starts()).toEqual([])
  })
})

test.each(["n\n", "\n", "yeah\n", ""])("the answer %j is a no: nothing is started or remembered", async (stdin) => {
  const { log } = await plant()
  const { status, document, stderr } = await jsonHere(["list"], { cwd: folder, env: { XDG_CONFIG_HOME: folder }, canAsk: true, stdin })
  expect([status, document.error.message]).toEqual([2, expect.stringContaining("was not agreed to")])
  expect(stderr).toContain("Use it?")
  expect(log.starts()).toEqual([])
  expect(existsSync(join(folder, "mcp-operations"))).toBe(false)
})

test.each(["y\n", "YES\n"])("the answer %j is a yes", async (stdin) => {
  const { log } = await plant()
  const { status } = await runHere(["list"], { cwd: folder, env: { XDG_CONFIG_HOME: folder, CI: "1" }, canAsk: true, stdin })
  expect([status, log.starts().length]).toEqual([0, 1])
})

describe.skipIf(!hasTerminals)("a config that lies in the folder, at a terminal (needs the script program of util-linux)", () => {
  const asked = "[y/N]"

  test("is shown and asked for, remembered by path and bytes, and asked for again when it changes", async () => {
    const { file, log } = await plant()
    const home = await mkdtemp(join(cli.folder, "config-"))
    const env = { XDG_CONFIG_HOME: home }
    const first = await cli.atTerminal(["list"], { cwd: folder, env, answers: [[asked, "y\r"]] })
    expect(first.status).toBe(0)
    expect(seen(first.stdout)).toContain(`${file} was not used before. It names one server:`)
    expect(seen(first.stdout)).toContain(`starts   ${process.execPath} `)
    expect(seen(first.stdout)).toContain("files.a")
    expect(log.received("initialize")).toHaveLength(1)

    const store = join(home, "mcp-operations/trusted.json")
    expect((await stat(store)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(store, "utf8"))).toMatchObject({ trusted: [{ path: file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }] })

    // Trusted is trusted, with a terminal and without.
    expect((await cli.json(["list"], { cwd: folder, env })).document.operations).toHaveLength(1)
    const again = await cli.atTerminal(["list"], { cwd: folder, env })
    expect([again.status, again.stdout.includes(asked)]).toEqual([0, false])

    await writeFile(file, `${await readFile(file, "utf8")}\n`)
    const changed = await cli.json(["list"], { cwd: folder, env })
    expect([changed.status, changed.document.error.message]).toEqual([2, expect.stringContaining("has changed since it was trusted")])
    const asks = await cli.atTerminal(["list"], { cwd: folder, env, answers: [[asked, "y\r"]] })
    expect([asks.status, seen(asks.stdout).includes("has changed since it was trusted")]).toEqual([0, true])
  })

  test("the end of input is a no", async () => {
    const { log } = await plant()
    const run = await cli.atTerminal(["list"], { cwd: folder, answers: [[asked, "\u0004"]] })
    expect([run.status, seen(run.stdout).includes("was not agreed to")]).toEqual([2, true])
    expect(log.starts()).toEqual([])
  })

  test("a name in the config cannot hide what is shown", async () => {
    await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { "nice\u001b[2J": { command: "rm", args: ["-rf", "\u001b[8m/"] } } }))
    const run = await cli.atTerminal(["list"], { cwd: folder, answers: [[asked, "n\r"]] })
    expect(run.stdout).not.toContain("\u001b[2J")
    expect(run.stdout).not.toContain("\u001b[8m")
    expect(seen(run.stdout)).toContain("nice\\u001b[2J")
  })

  test("Ctrl-C at the question ends the program", async () => {
    const { log } = await plant()
    const run = await cli.atTerminal(["list"], { cwd: folder, answers: [[asked, "\u0003"]] })
    expect(run.status).not.toBe(0)
    expect(log.starts()).toEqual([])
  })
})
