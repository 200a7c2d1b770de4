/**
 * Integers that a double cannot hold are pointed out, on every road on which text becomes a value.
 */
import { expect, test } from "vitest"
import type { MCPClientOptions } from "../../../src/from_mcp.js"
import { callerOf, connect, connectScripted } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"
import type { Script } from "../../fixtures/servers/scripted_core.mjs"

const DIGITS = "1915883588174806058"
const ISSUE = { keyword: "safeInteger", message: "is an integer beyond 2^53: its last digits may differ from those that were sent" }
const LARGE = `{"content":[{"type":"text","text":"${DIGITS}"}],"structuredContent":{"id":${DIGITS},"near":9007199254740991}`

function script(result: string, outputSchema?: object): Script {
  return {
    tools: [{ name: "t", inputSchema: { type: "object" }, ...(outputSchema === undefined ? {} : { outputSchema }) }],
    calls: { t: [{ raw: `{"jsonrpc":"2.0","id":$ID,"result":${result}}\n` }] },
  }
}

const integer = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
const rows: readonly [string, string, object | undefined, MCPClientOptions, string, object[] | undefined][] = [
  ["without an output schema", `${LARGE}}`, undefined, {}, "untyped", [{ path: "/id", ...ISSUE }]],
  ["in content that fits", `${LARGE}}`, integer, {}, "exact", [{ path: "/id", ...ISSUE }]],
  ["beside what does not fit", `${LARGE},"_meta":null}`, { ...integer, required: ["id", "s"] }, { normalize: "raw" }, "invalid", [{ path: "/s" }, { path: "/id", ...ISSUE }]],
  ["in the result of a tool that failed", `${LARGE},"isError":true}`, integer, {}, "untyped", [{ path: "/id", ...ISSUE }]],
  ["in a legacy result", `{"toolResult":[${DIGITS}]}`, undefined, {}, "untyped", [{ path: "/0", ...ISSUE }]],
  ["in a text that is read as data", `{"content":[{"type":"text","text":"{\\"id\\":${DIGITS}}"}]}`, integer, { parseText: true }, "exact", [{ path: "/id", ...ISSUE }]],
  ["in a text that stays a text", `{"content":[{"type":"text","text":"${DIGITS}"}]}`, undefined, {}, "untyped", undefined],
  ["as fractions, which lose nothing that counts", `{"content":[],"structuredContent":{"n":0.12345678901234567890}}`, undefined, {}, "untyped", undefined],
]

// anthropics/claude-code#78762
test.each(rows)("%s", async (_, result, outputSchema, options, conformance, issues) => {
  const { call } = await connectScripted(script(result, outputSchema), options)
  const { meta } = await call("t")
  expect(meta).toMatchObject({ conformance })
  if (issues === undefined) expect(meta).not.toHaveProperty("issues")
  else expect(meta).toMatchObject({ issues })
})

test("the exact digits stand in the text beside it", async () => {
  const { call } = await connectScripted(script(`${LARGE}}`))
  expect((await call("t")).meta).toMatchObject({ content: [{ type: "text", text: DIGITS }] })
})

test.each(["stream", "json"] as const)("over HTTP, answered as %s", async (answers) => {
  const server = await scriptedHTTPServer({ tools: [{ name: "t", inputSchema: { type: "object" } }] }, {
    answers,
    intercept: ({ message }) => {
      if (message?.method !== "tools/call") return undefined
      const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${LARGE}}}`
      return answers === "json"
        ? { status: 200, headers: { "content-type": "application/json" }, body: answer }
        : { status: 200, headers: { "content-type": "text/event-stream" }, body: `event: message\ndata: ${answer}\n\n` }
    },
  })
  const wrapper = await connect("demo", { url: server.url })
  expect((await callerOf(wrapper)("t")).meta).toMatchObject({ issues: [{ path: "/id", ...ISSUE }] })
})
