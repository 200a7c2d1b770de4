/**
 * Secrets of every kind on every road, and all that the library writes down, searched for them.
 */
import { expect, test } from "vitest"
import { callErrorToJSON, isCallError } from "../../src/error.js"
import type { MCPWarning } from "../../src/from_mcp.js"
import { audit, memorySpillStore, redact, spill, timing } from "../../src/middleware.js"
import { otel } from "../../src/otel.js"
import { OperationRegistry } from "../../src/registry.js"
import { connect, scriptedServer } from "../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../fixtures/servers/scripted_http.js"
import { recordedTelemetry } from "./recorded_telemetry.js"

const ENV = "env-secret-9f2c77"
const ARGUMENT = "argument-secret-41ab"
const RESULT = "result-secret-77d0"
const HEADER = "header-secret-c0ffee"
const big = `${RESULT} ${"x".repeat(50_000)}`

const tool = (name: string, properties: Record<string, unknown> = {}) => ({ name, inputSchema: { type: "object", properties: { key: { type: "string" }, ...properties } } })
const tools = [tool("answers"), tool("is_wrong"), tool("refuses"), tool("wants_numbers", { n: { type: "number" } })]
const calls = {
  answers: [{ result: { content: [{ type: "text", text: big }], structuredContent: { key: RESULT, text: big } } }],
  is_wrong: [{ result: { isError: true, content: [{ type: "text", text: `${ARGUMENT} is wrong, ${RESULT}` }] } }],
  refuses: [{ stderr: `log of the server: ${ENV} ${HEADER} ${ARGUMENT}\n` }, { error: { code: -32_000, message: `unknown key ${ARGUMENT}, but ${ENV} ${HEADER} is right`, data: { hint: ENV, given: ARGUMENT } } }],
}

/** Everything that is written down about calls, and the telemetry that makes some of it. */
function writtenDown() {
  const recorded = recordedTelemetry()
  const telemetry = otel(recorded)
  const lines: unknown[] = []
  const registry = new OperationRegistry()
  const store = memorySpillStore()
  registry.use(telemetry)
  registry.use(timing((each) => void lines.push(each)))
  registry.use(audit((each) => void lines.push(each)))
  registry.use(spill(store, { maxBytes: 1_000 }))
  registry.use(redact(["/key", "/text"]))
  const options = {
    instrument: telemetry.instrument,
    onWarning: (warning: MCPWarning) => void lines.push(warning),
  }
  const run = async (id: string, input: unknown) => {
    try {
      const { meta } = await registry.execute(id, input, { identity: { id: "ada", scopes: [] }, requestId: "r1" })
      lines.push(meta.reduced)
    } catch (thrown) {
      lines.push(isCallError(thrown) ? [callErrorToJSON(thrown), thrown.stack] : String(thrown))
    }
  }
  return { ...recorded, registry, options, run, text: async () => JSON.stringify(lines) + (await recorded.everything()) }
}

const all = ["answers", "is_wrong", "refuses", "wants_numbers"]

test("over stdio: nothing of env, arguments and results", async () => {
  const { registry, options, run, text, spans } = writtenDown()
  const { config } = scriptedServer({ tools, calls })
  const wrapper = await connect("demo", { ...config, env: { API_KEY: ENV, OTHER: HEADER } }, options)
  registry.registerAll(wrapper.tools)
  for (const name of all) await run(`demo.${name}`, { key: ARGUMENT, ...(name === "wants_numbers" ? { n: ARGUMENT } : {}) })
  const written = await text()
  for (const secret of [ENV, ARGUMENT, RESULT, HEADER]) expect(written).not.toContain(secret)
  // What was searched is what was meant to be searched.
  expect(spans().map(({ name }) => name)).toEqual(["tools/call answers", "execute demo.answers", "tools/call is_wrong", "execute demo.is_wrong", "tools/call refuses", "execute demo.refuses", "execute demo.wants_numbers"])
  for (const shown of ["unknown key ***, but *** *** is right", "the input does not fit", '"by":"redact"', '"identityId":"ada"']) expect(written).toContain(shown)
})

test("over HTTP: nothing of headers, of the url, of arguments and results", async () => {
  const { registry, options, run, text, spans } = writtenDown()
  const server = await scriptedHTTPServer({ tools, calls: { ...calls, refuses: [{ error: { code: -32_000, message: `unknown key ${ARGUMENT}, but ${HEADER} is right` } }] } }, { sessions: true })
  const url = new URL(server.url)
  url.searchParams.set("token", ENV)
  const wrapper = await connect("web", { url: url.href, headers: { authorization: `Bearer ${HEADER}` } }, options)
  registry.registerAll(wrapper.tools)
  for (const name of all) await run(`web.${name}`, { key: ARGUMENT, ...(name === "wants_numbers" ? { n: ARGUMENT } : {}) })
  const written = await text()
  for (const secret of [ENV, ARGUMENT, RESULT, HEADER]) expect(written).not.toContain(secret)
  expect(spans()).toHaveLength(7)
  expect(written).toContain("unknown key ***, but *** is right")
})

test("a part that is put aside is found by a handle that says nothing of it, and holds what was redacted as redacted", async () => {
  const store = memorySpillStore()
  const registry = new OperationRegistry()
  registry.use(spill(store, { maxBytes: 1_000 }))
  registry.use(redact(["/key"]))
  const { config } = scriptedServer({ tools, calls: { answers: [{ result: { content: [], structuredContent: { key: RESULT, text: big } } }] } })
  registry.registerAll((await connect("demo", config)).tools)
  const { meta } = await registry.execute("demo.answers", { key: ARGUMENT })
  const handles = (meta.reduced ?? []).flatMap(({ handle }) => (handle === undefined ? [] : [handle]))
  expect(handles.length).toBeGreaterThan(0)
  for (const handle of handles) {
    expect(handle).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const part = JSON.stringify(await store.get(handle))
    for (const secret of [ARGUMENT, RESULT]) expect(part).not.toContain(secret)
  }
})
