import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { CLI } from "../fixtures/cli_process.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
beforeAll(async () => {
  cli = await CLI.install()
}, 180_000)
afterAll(() => cli.close())
afterEach(() => rm(join(cli.folder, "mcp-operations.lock.json"), { force: true }))

const tool = (description: string) => ({ name: "t", description, inputSchema: { type: "object" } })

/** The words for a server that has this tool. */
function server(description: string): string[] {
  const { config } = scriptedServer({ tools: [tool(description)] })
  return ["--name", "demo", "--", config.command, ...config.args]
}

describe("lock", () => {
  test("writes what is there, and a check finds it so", async () => {
    const written = await cli.json(["lock", ...server("reads")])
    expect(written).toMatchObject({ status: 0, document: { file: "mcp-operations.lock.json", servers: ["demo"], tools: 1, changes: [] } })
    const text = await readFile(join(cli.folder, "mcp-operations.lock.json"), "utf8")
    expect(JSON.parse(text)).toMatchObject({ lockVersion: 1, servers: { demo: { tools: { t: { inputSchema: { type: "object" } } } } } })
    expect(await cli.json(["lock", "--check", ...server("reads")])).toMatchObject({ status: 0, document: { changes: [] } })
    await cli.run(["lock", ...server("reads")])
    expect(await readFile(join(cli.folder, "mcp-operations.lock.json"), "utf8")).toBe(text)
  })

  test("finds what changed, names it, writes nothing, and ends with 1", async () => {
    await cli.run(["lock", ...server("reads")])
    const before = await readFile(join(cli.folder, "mcp-operations.lock.json"), "utf8")
    const { status, stdout } = await cli.run(["lock", "--text", "--check", ...server("deletes")])
    expect(status).toBe(1)
    expect(stdout).toBe("Not as reviewed:\npatch  demo.t  its description changed\n")
    expect(await readFile(join(cli.folder, "mcp-operations.lock.json"), "utf8")).toBe(before)
  })

  test("names the servers of the lock that were not asked, and leaves them as they are", async () => {
    await cli.run(["lock", ...server("reads")])
    const { config } = scriptedServer({ tools: [tool("writes")] })
    const other = ["--name", "other", "--", config.command, ...config.args]
    expect(await cli.json(["lock", ...other])).toMatchObject({ status: 0, document: { servers: ["other"], notAsked: ["demo"] } })
    expect(Object.keys((JSON.parse(await readFile(join(cli.folder, "mcp-operations.lock.json"), "utf8")) as { servers: object }).servers)).toEqual(["demo", "other"])
    const { status, stdout } = await cli.run(["lock", "--text", "--check", ...other])
    expect(status).toBe(0)
    expect(stdout).toBe("1 tool as reviewed.\nAlso in the lock, and not among the servers that were asked: demo\n")
  })

  test.each([
    ["that is missing", undefined, "There is no lock at"],
    ["that is none", '{"lockVersion":7}', "/lockVersion: must be 1"],
  ])("a check against a lock %s ends with 2 and the remedy", async (_, text, part) => {
    if (text !== undefined) await writeFile(join(cli.folder, "mcp-operations.lock.json"), text)
    const { status, document } = await cli.json(["lock", "--check", ...server("reads")])
    expect(status).toBe(2)
    expect(document).toMatchObject({ error: { code: "CONFIGURATION_ERROR", message: expect.stringContaining(part) as string } })
  })
})
