import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { CLI, finished, hasTerminals } from "../fixtures/cli_process.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
beforeAll(async () => {
  cli = await CLI.install()
}, 120_000)
afterAll(() => cli.close())

/** A server with a child of its own, whose only tool never answers. */
function hanging() {
  return scriptedServer({ tools: [{ name: "t" }], calls: { t: [{ child: true }, { hang: true }] } })
}

describe("a program that is asked to end", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s closes its servers with their children, says so, and ends by that signal", async (name) => {
    const { config, log } = hanging()
    const child = cli.start(["call", "t", "--", config.command, ...config.args])
    const done = finished(child)
    await until(() => log.pids().length === 2, "server and child are there", 60_000)
    child.kill(name)
    const run = await done
    expect(run.signal).toBe(name)
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: "ABORTED" } })
    await until(() => !log.pids().some(isAlive), "all processes are gone", 30_000)
  })

  test("while it connects leaves no server behind", async () => {
    const { config, log } = scriptedServer({ initialize: "never" })
    const child = cli.start(["list", "--", config.command, ...config.args])
    const done = finished(child)
    await until(() => log.received("initialize").length === 1, "the server is asked", 60_000)
    child.kill("SIGTERM")
    expect((await done).signal).toBe("SIGTERM")
    await until(() => !log.pids().some(isAlive), "the server is gone", 30_000)
  })

  test("while it reads stdin ends at once", async () => {
    const { config, log } = scriptedServer({})
    const child = cli.start(["call", "--input", "-", "t", "--", config.command, ...config.args])
    const done = finished(child)
    // More than a pipe holds: that it is taken shows that the program reads, and it reads to the end, which does not come.
    await new Promise((resolve) => child.stdin?.write(`{"a":"${"x".repeat(4_000_000)}`, resolve))
    child.kill("SIGINT")
    const { signal } = await done
    expect([signal, log.starts()]).toEqual(["SIGINT", []])
  })
})

describe.skipIf(!hasTerminals)("at a terminal (needs the script program of util-linux)", () => {
  test("Ctrl-C in the middle of a call closes the server", async () => {
    const { config, log } = hanging()
    const folder = await mkdtemp(join(cli.folder, "call-"))
    const run = await cli.atTerminal(["call", "--name", "s", "t", "--", config.command, ...config.args], { cwd: folder, answers: [["calling s.t", "\u0003"]] })
    expect(run.stdout).toContain("ABORTED")
    expect(log.starts()).toHaveLength(1)
    await until(() => !log.pids().some(isAlive), "all processes are gone", 30_000)
  })
})
