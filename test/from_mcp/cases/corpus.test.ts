/**
 * The recorded tool lists of real servers: every tool is listed or rejected with a reason, and every loss is told.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { fromMCP, type MCPWarning } from "../../../src/from_mcp.js"
import { sharedDir } from "../../fixtures/shared.js"
import { toolsPort } from "../../fixtures/servers/in_memory.js"

const shared = sharedDir()
const corpus = shared === undefined ? undefined : join(shared, "corpus")
const files = corpus === undefined ? [] : readdirSync(corpus).filter((file) => file.endsWith(".json") && file !== "calls.json")

describe.skipIf(corpus === undefined)("recorded servers (skipped where the folder shared does not stand beside the checkout)", () => {
  const count = { servers: 0, tools: 0, listed: 0, rejected: 0, withLoss: 0, losses: 0, schemas: 0, schemasWithLoss: 0 }
  const keywords = new Map<string, number>()
  const rejections: string[] = []

  test("there are all of them", () => {
    expect(files).toHaveLength(93)
  })

  test.each(files)("%s", async (file) => {
    const { tools } = JSON.parse(readFileSync(join(corpus ?? "", file), "utf8")) as { tools: { name: string; outputSchema?: unknown }[] }
    const warnings: MCPWarning[] = []
    const wrapper = await fromMCP("server", toolsPort(tools), { onWarning: (warning) => warnings.push(warning) })

    // An exact repetition of a tool counts once.
    const names = new Set(tools.map(({ name }) => name))
    const told = new Set([...wrapper.tools.map(({ name }) => name), ...wrapper.rejected.map(({ name }) => name)])
    expect([...told].sort()).toEqual([...names].sort())
    for (const { reason, pointer } of wrapper.rejected) {
      expect(reason).toMatch(/\w/)
      expect(pointer).toMatch(/^(\/|$)/)
    }
    const { rejected, losses } = wrapper.diagnose()
    for (const loss of losses) {
      expect(names.has(loss.tool)).toBe(true)
      expect(["inputSchema", "outputSchema"]).toContain(loss.schema)
      expect(loss.pointer).toMatch(/^(\/|$)/)
      expect(loss.reason).toMatch(/\w/)
      keywords.set(loss.keyword, (keywords.get(loss.keyword) ?? 0) + 1)
    }
    for (const { name, inputSchema, outputSchema } of wrapper.tools) {
      expect(typeof inputSchema, name).toBe("object")
      expect(typeof outputSchema, name).toBe("object")
    }
    for (const { message } of warnings) expect(message.length).toBeLessThanOrEqual(500)

    count.servers++
    count.tools += names.size
    count.listed += wrapper.tools.length
    count.rejected += rejected.length
    count.losses += losses.length
    count.withLoss += new Set(losses.map(({ tool }) => tool)).size
    count.schemas += tools.length + tools.filter((tool) => tool.outputSchema !== undefined).length
    count.schemasWithLoss += new Set(losses.map(({ tool, schema }) => `${tool} ${schema}`)).size
    rejections.push(...rejected.map(({ name, reason, pointer }) => `${file} ${name} ${pointer} ${reason}`))
  })

  test("at most one tool in two hundred is rejected, and at most one schema in ten has a loss", () => {
    expect(count.servers).toBe(93)
    expect(count.tools).toBeGreaterThan(2_700)
    expect(count.rejected / count.tools).toBeLessThanOrEqual(0.005)
    expect(count.schemasWithLoss / count.schemas).toBeLessThanOrEqual(0.1)
  })

  afterAll(() => {
    console.log("recorded servers:", JSON.stringify(count))
    console.log("losses by keyword:", JSON.stringify(Object.fromEntries([...keywords].sort(([, a], [, b]) => b - a))))
    for (const line of rejections) console.log("rejected:", line)
  })
})
