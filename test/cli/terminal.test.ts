/**
 * What a person sees: the program at a pseudo-terminal, its colours taken off.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { CLI, hasTerminals, seen } from "../fixtures/cli_process.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"
import type { Script } from "../fixtures/servers/scripted_core.mjs"

// Each test starts programs that start servers; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

let cli: CLI
beforeAll(async () => {
  cli = await CLI.install()
}, 120_000)
afterAll(() => cli.close())

function server(script: Script): string[] {
  const { config } = scriptedServer(script)
  return ["--", config.command, ...config.args]
}

const tools = [
  { name: "read_file", description: "Reads a file. It has to exist.", inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
  { name: "stat", description: "Tells size and age of a file, a folder or a link, and to what place the link leads where it is one." },
]

describe.skipIf(!hasTerminals)("at a terminal (needs the script program of util-linux)", () => {
  test("list is a table, in colours, after a spinner that leaves no trace", async () => {
    const { stdout, status } = await cli.atTerminal(["list", "--name", "files", ...server({ tools })])
    expect(status).toBe(0)
    expect(stdout).toContain("connecting to files")
    expect(stdout).toContain("\u001b[36mfiles.read_file\u001b[39m")
    expect(seen(stdout).trim()).toBe(
      [
        "files  scripted 1.2.3, 2 operations",
        "  files.read_file  Reads a file.",
        "  files.stat       Tells size and age of a file, a folder or a link, and to what",
        "                   place the link leads where it is one.",
      ].join("\n"),
    )
  })

  test("NO_COLOR takes the colours and nothing else", async () => {
    const { stdout } = await cli.atTerminal(["list", "--name", "files", ...server({ tools })], { env: { NO_COLOR: "1", CI: "1" } })
    expect(stdout).not.toContain("\u001b")
    expect(stdout).toContain("  files.read_file  Reads a file.\n")
  })

  test("call renders the answer", async () => {
    const structuredContent = { size: 5 }
    const { stdout, status } = await cli.atTerminal([
      "call", "--name", "files", "stat",
      ...server({ tools, calls: { stat: [{ result: { content: [{ type: "text", text: "five\u001b[2J bytes" }], structuredContent } }] } }),
    ])
    expect(status).toBe(0)
    expect(stdout).not.toContain("\u001b[2J")
    expect(seen(stdout).trim()).toBe('ok  files.stat: the tool declares no output schema\n\nfive\\u001b[2J bytes\n\n{ "size": 5 }')
  })

  test("--json behind the id prints the envelope, harmless to the terminal", async () => {
    const text = "\u009b2J\u202e"
    const { stdout } = await cli.atTerminal(["call", "stat", "--json", ...server({ tools, calls: { stat: [{ result: { content: [{ type: "text", text }] } }] } })])
    const document = seen(stdout).trim()
    expect(document).not.toContain("\u009b")
    expect(JSON.parse(document)).toMatchObject({ data: [{ type: "text", text }] })
  })

  test("help behind the id shows the flags of the tool", async () => {
    const { stdout, status } = await cli.atTerminal(["call", "--name", "files", "read_file", "--help", ...server({ tools })])
    expect(status).toBe(0)
    expect(seen(stdout)).toContain("call\n  mcp-operations call files.read_file --path …\n\nflags\n  --path  string  required\n")
  })

  test("an error says what to do, on stderr", async () => {
    const { stdout, status } = await cli.atTerminal(["call", "read_fiel", ...server({ tools })])
    expect(status).toBe(2)
    expect(seen(stdout).trim()).toMatch(/^error {2}Server ".*" has no operation "read_fiel"; did you mean read_file\? \(OPERATION_NOT_FOUND\)\ntry {4}mcp-operations list shows all$/)
  })

  test("demo fits the width of the terminal", async () => {
    const { stdout, status } = await cli.atTerminal(["demo"])
    expect(status).toBe(0)
    expect(Math.max(...seen(stdout).trim().split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})
