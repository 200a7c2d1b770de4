/**
 * Results that wrap a plain value, and results that say the same twice.
 */
import { describe, expect, test } from "vitest"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { callError, callerOf, connect, connectScripted, scriptedServer } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"

// openai/codex#17733, universal-tool-calling-protocol/typescript-utcp#42
describe("a plain value that a server wraps as { result }", () => {
  const wrapped = { type: "object", properties: { result: { type: "string" } }, required: ["result"], "x-fastmcp-wrap-result": true }

  test.each([
    ["with the mark in its schema", { outputSchema: wrapped }, { result: "x\ny" }, {}],
    ["with the mark in the answer", {}, { result: "x\ny" }, { _meta: { fastmcp: { wrap_result: true } } }],
    ["without any mark", {}, { result: 5 }, {}],
    ["that is what the tool really returns", { outputSchema: { type: "object", properties: { result: { type: "number" } } } }, { result: 5 }, {}],
  ])("%s stays as it was sent", async (_, members, structuredContent, more) => {
    const { call } = await connectScripted({ tools: [{ name: "t", ...members }], calls: { t: [{ result: { content: [], structuredContent, ...more } }] } })
    const { data, meta } = await call("t")
    expect(data).toEqual(structuredContent)
    expect(meta).toMatchObject({ structuredContent, dataFrom: "structuredContent" })
  })
})

// DeusData/codebase-memory-mcp#1375
describe("five megabytes, once as structured content and once more as text", () => {
  const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${String(id)}`, text: "x".repeat(70) }))
  const text = JSON.stringify({ rows })
  const result = { content: [{ type: "text", text }], structuredContent: { rows } }

  test("are held no more often than they were sent", async () => {
    const { config } = scriptedServer({ tools: [{ name: "big" }, { name: "t" }], calls: { big: [{ result }] } })
    const call = callerOf(await connect("demo", config))
    await call("t", {})
    const before = liveMemory()
    const { data, meta } = await call("big", {})
    const grown = liveMemory() - before
    expect(text.length).toBeGreaterThan(4_900_000)
    expect(grown).toBeLessThan(4 * 2 * text.length)
    if (meta.source !== "mcp") throw new Error("not an answer of a server")
    expect(data).toBe(meta.structuredContent)
    expect(meta.content).toHaveLength(1)
  })

  test.each(["stdio", "http"])("are refused over %s where the limit is a million bytes, and the next call works", async (way) => {
    const script = { tools: [{ name: "big" }, { name: "t" }], calls: { big: [{ result }] } }
    const config = way === "stdio" ? scriptedServer(script).config : { url: (await scriptedHTTPServer(script)).url }
    const wrapper = await connect("demo", config, { maxResultBytes: 1_000_000 })
    const call = callerOf(wrapper)
    expect(await callError(call("big", {}))).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { limit: 1_000_000, outcome: "unknown" } })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    expect(wrapper.status).toBe("ready")
  })
})

function liveMemory(): number {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
