/**
 * Whatever a server says: random answers and random lists, held against what the table of envelopes promises.
 */
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { fromMCP, type MCPClientWrapper } from "../../../src/from_mcp.js"
import { isResponseEnvelope } from "../../../src/envelope.js"
import { CallError } from "../../../src/error.js"
import { scriptedClient, toolsPort } from "../../fixtures/servers/in_memory.js"
import type { Script } from "../../fixtures/servers/scripted_core.mjs"
import { callerOf } from "../../fixtures/servers/scripted.js"

const SCHEMAS: Record<string, object | undefined> = {
  untyped: undefined,
  numbers: { type: "object", properties: { n: { type: "number" }, s: { type: "string" } }, required: ["n"], additionalProperties: false },
  record: { type: "object", additionalProperties: { type: "array", items: { type: ["string", "null"] } } },
  union: { anyOf: [{ type: "object", properties: { k: { const: "x" }, n: { type: "number" } }, required: ["k"] }, { type: "array", items: {} }, { type: "null" }] },
  tree: { type: "object", $defs: { N: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/N" } } } } }, properties: { root: { $ref: "#/$defs/N" } } },
  impossible: { allOf: [{ type: "object", properties: { a: { type: "number" } }, required: ["a"] }, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }] },
  nothing: { not: {} },
}

/** Shallow ones: random values nest deep enough to cost more time than they find. */
const value = fc.jsonValue({ maxDepth: 2 })
const block = fc.oneof(
  fc.record({ type: fc.constantFrom("text", "image", "audio", "resource", "resource_link", "video"), text: value, data: value, mimeType: fc.string(), uri: fc.string(), name: fc.string() }, { requiredKeys: [] }),
  value,
)
const structured = fc.oneof(
  value,
  fc.record({ n: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()), s: value, root: value, k: fc.constantFrom("x", "y") }, { requiredKeys: [] }),
)
const result = fc.oneof(
  { weight: 4, arbitrary: fc.record({ content: fc.oneof(fc.array(block), value), structuredContent: structured, isError: fc.oneof(fc.boolean(), value), _meta: value, toolResult: value, more: value }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: value },
)
const error = fc.oneof(fc.record({ code: fc.oneof(fc.integer(), value), message: fc.oneof(fc.string(), value), data: value }, { requiredKeys: [] }), value)
const answer = fc.oneof(
  { weight: 5, arbitrary: fc.record({ result }) },
  { weight: 1, arbitrary: fc.record({ error }) },
  { weight: 1, arbitrary: fc.record({ result, error, extra: value, method: value }, { requiredKeys: [] }) },
)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)
/** As JSON carries it: -0 becomes 0. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe.each(["cast", "repair", "raw"] as const)("any answer, normalize %s", (normalize) => {
  const script: Script = { tools: Object.entries(SCHEMAS).map(([name, outputSchema]) => ({ name, ...(outputSchema === undefined ? {} : { outputSchema }) })), calls: {} }
  let wrapper: MCPClientWrapper
  beforeAll(async () => {
    wrapper = await fromMCP("demo", (await scriptedClient(script)).client, { normalize })
  })

  test("ends in an envelope where a result object came, else in a CallError, and nothing that was sent is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(SCHEMAS)), answer, async (tool, given) => {
        script.calls = { [tool]: [{ answer: given }] }
        const message = sent(given) as { result?: unknown; error?: unknown; method?: unknown }
        // A method without an answer beside it is a question of the server's own.
        fc.pre(typeof message.method !== "string" || isObject(message.result) || isObject(message.error))
        const settled = await callerOf(wrapper)(tool, {}, { timeoutMs: 30_000 }).catch((thrown: unknown) => thrown)
        const hasResult = isObject(message.result) && (message.error === undefined || message.error === null)
        if (!hasResult) {
          expect(settled).toBeInstanceOf(CallError)
          expect((settled as CallError).code).toBe("PROTOCOL_ERROR")
          return
        }
        expect(isResponseEnvelope(settled)).toBe(true)
        const { data, meta } = settled as { data: unknown; meta: Record<string, unknown> }
        const said = message.result as Record<string, unknown>
        const has = Object.hasOwn(said, "structuredContent")
        if (has) expect(meta["structuredContent"]).toEqual(said["structuredContent"])
        if (Array.isArray(said["content"])) expect(meta["content"]).toHaveLength(said["content"].length)
        if (said["more"] !== undefined) expect((meta["extra"] as Record<string, unknown>)["more"]).toEqual(said["more"])
        if (said["isError"] === true) {
          expect(meta["isError"]).toBe(true)
          if (has) expect(data).toEqual(said["structuredContent"])
        }
        if (tool === "untyped" && has) expect(data).toEqual(said["structuredContent"])
        if (normalize === "raw" && meta["dataFrom"] === "structuredContent") expect(data).toEqual(said["structuredContent"])
        if (meta["conformance"] === "exact" || meta["conformance"] === "invalid") expect(data).toEqual(said["structuredContent"])
        if (meta["conformance"] === "cast" || meta["conformance"] === "invalid") expect((meta["issues"] as unknown[]).length).toBeGreaterThan(0)
        JSON.stringify(settled)
      }),
      { numRuns: 300, examples: [["numbers", { result: { structuredContent: null } }], ["nothing", { result: { structuredContent: {} } }]] },
    )
  })
})

const small = fc.jsonValue({ maxDepth: 1 })
const anySchema = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    small,
    fc.record(
      {
        type: fc.oneof(fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null", "nonsense"), small),
        properties: fc.oneof(fc.dictionary(fc.string(), tie("schema")), small),
        required: fc.oneof(fc.array(fc.string()), small),
        items: tie("schema"),
        anyOf: fc.oneof(fc.array(tie("schema")), small),
        $ref: fc.oneof(fc.constantFrom("#", "#/properties/a", "#/$defs/x", "https://example.com/x", "#/%zz"), small),
        pattern: fc.oneof(fc.string(), small),
        enum: small,
        additionalProperties: tie("schema"),
        minLength: small,
        $schema: small,
        $id: small,
      },
      { requiredKeys: [] },
    ),
  ),
})).schema

test("any list: each entry is listed or rejected, and what is listed can be called, checked and diagnosed", async () => {
  const entry = fc.oneof(
    { weight: 6, arbitrary: fc.record({ name: fc.string({ minLength: 1 }), inputSchema: anySchema, outputSchema: anySchema, description: small, annotations: small, title: small }, { requiredKeys: ["name"] }) },
    { weight: 1, arbitrary: small },
  )
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(entry, { maxLength: 6, selector: (tool) => (isObject(tool) ? tool["name"] : tool) }), small, async (entries, input) => {
      const wrapper = await fromMCP("demo", toolsPort([...entries, { name: "the good one" }]))
      expect(wrapper.tools.length + wrapper.rejected.length).toBe(entries.length + 1)
      const { losses } = wrapper.diagnose()
      for (const { tool, reason } of losses) {
        expect(wrapper.tools.map(({ name }) => name)).toContain(wrapper.getTool(tool)?.name)
        expect(reason).toMatch(/\w/)
      }
      for (const { handler, name } of wrapper.tools) {
        const settled: unknown = await handler(input).catch((thrown: unknown) => thrown)
        if (name === "the good one" && isObject(input)) expect(settled).toMatchObject({ data: { given: input } })
        else expect(isResponseEnvelope(settled) || settled instanceof CallError).toBe(true)
      }
    }),
    { numRuns: 60, plugins: [fc.interruptAfterTimeLimit(10_000)] },
  )
})
