/**
 * The examples of docs/architecture/response-envelopes.md are what the library really gives.
 */
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { fromMCP, type MCPPort } from "../../src/from_mcp.js"

const outputSchema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" } },
  required: ["city", "celsius"],
}
const sent: Record<string, object> = {
  untyped: { content: [{ type: "text", text: "14 °C" }] },
  exact: { content: [{ type: "text", text: '{"city":"Oslo","celsius":14}' }], structuredContent: { city: "Oslo", celsius: 14 } },
  cast: { content: [], structuredContent: { city: "Oslo", celsius: "14.5", station: 7 } },
  invalid: { content: [], structuredContent: ["Oslo", 14] },
  missing: { content: [{ type: "text", text: "Oslo: 14 °C" }] },
}

const port: MCPPort = {
  capabilities: { tools: {} },
  serverInfo: { name: "weather", version: "1.0.0" },
  instructions: undefined,
  protocolVersion: "2025-11-25",
  request: (method, params) =>
    Promise.resolve(
      method === "tools/list"
        ? { tools: Object.keys(sent).map((name) => ({ name, inputSchema: { type: "object" }, ...(name === "untyped" ? {} : { outputSchema }) })) }
        : structuredClone(sent[String(params?.["name"])]),
    ),
  onNotification: () => () => undefined,
  onRequest: () => undefined,
  onClose: () => undefined,
  close: () => Promise.resolve(),
}

const page = readFileSync(new URL("../../docs/architecture/response-envelopes.md", import.meta.url), "utf8")
const examples = new Map([...page.matchAll(/^### `(\w+)`\n[\s\S]*?```json\n([\s\S]*?)```/gm)].map(([, state = "", json = ""]) => [state, JSON.parse(json) as unknown]))

describe("the page shows what a reader of an envelope sees", () => {
  test("in each of the five states", () => {
    expect([...examples.keys()]).toEqual(["untyped", "exact", "cast", "invalid", "missing"])
  })

  test.each(Object.keys(sent))("where the state is %s", async (state) => {
    const wrapper = await fromMCP("weather", port)
    const envelope = await wrapper.getTool(state)?.handler({})
    expect(JSON.parse(JSON.stringify(envelope))).toEqual(examples.get(state))
    expect(envelope?.meta).toMatchObject({ conformance: state })
  })
})
