/**
 * docs/architecture/tools.md: its table is what the library really gives, and its examples compile.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fromMCP, type MCPPort } from "../../src/from_mcp.js"
import { ToolError, toTool } from "../../src/tools.js"
import { installBuiltPackage, root } from "../fixtures/built_package.js"
import { codeBlocks } from "./code_blocks.js"
import { consumerComplaints } from "./consumer_types.js"

const page = readFileSync(fileURLToPath(new URL("../../docs/architecture/tools.md", import.meta.url)), "utf8")

/** The rows of the table: what was sent, what is read, what is kept, each without its code marks. */
const rows = [...page.matchAll(/^\| `(\{.*\})` \| `(.*)` \| `(.*)` \|$/gm)].map(([, sent = "", read = "", kept = ""]): [string, string, string] => [sent, read, kept])

const port = (result: unknown): MCPPort => ({
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
  instructions: undefined,
  protocolVersion: "2025-11-25",
  request: (method) => Promise.resolve(method === "tools/list" ? { tools: [{ name: "t", inputSchema: { type: "object" } }] } : result),
  onNotification: () => () => undefined,
  onRequest: () => undefined,
  onClose: () => undefined,
  close: () => Promise.resolve(),
})

describe("the table of what is sent, read and kept", () => {
  test("has a row for each rule", () => {
    expect(rows.length).toBe(13)
  })

  test.each(rows)("%s", async (sent, read, kept) => {
    const wrapper = await fromMCP("s", port(JSON.parse(sent)))
    const [operation] = wrapper.tools
    if (operation === undefined) throw new Error("There is no tool")
    const tool = toTool(operation)
    const outcome = await tool.callWithEnvelope().catch((error: unknown) => error)
    if (outcome instanceof ToolError) {
      expect(`${outcome.name}: ${outcome.message}`).toBe(read)
      expect(outcome.envelope.data).toEqual(JSON.parse(kept))
    } else {
      expect(outcome).toMatchObject({ result: JSON.parse(read), envelope: { data: JSON.parse(kept) } })
    }
    await wrapper.close()
  })
})

describe("the examples", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tools-page-")))
  const blocks = codeBlocks(page, "docs/architecture/tools.md").filter(({ language }) => language === "ts")
  beforeAll(async () => {
    await installBuiltPackage(home)
    // The consumer of the toolset has the SDK, too.
    symlinkSync(join(root, "node_modules/ai"), join(home, "node_modules/ai"), "dir")
  }, 240_000)
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test("compile under a consumer's strictest settings", () => {
    expect(blocks.length).toBe(4)
    expect(consumerComplaints(home, blocks)).toEqual([])
  }, 240_000)
})
