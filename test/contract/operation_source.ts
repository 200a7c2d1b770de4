/**
 * What every way of making operations must keep, whatever carries the messages.
 *
 * In: how to open a source that serves `CONTRACT_SCRIPT`. Out: tests of listing, calling, failing and closing.
 * A new transport or another client package runs this suite before it is believed.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { MCPClientWrapper } from "../../src/from_mcp.js"
import { isResponseEnvelope } from "../../src/envelope.js"
import { parseOperationId } from "../../src/operation.js"
import type { Script } from "../fixtures/servers/scripted_core.mjs"
import { callError, callerOf, toolOf } from "../fixtures/servers/scripted.js"

const NUMBER = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }

/** What the source serves. */
export const CONTRACT_SCRIPT: Script = {
  tools: [
    { name: "echo", description: "Says it again", inputSchema: { type: "object", properties: { a: { type: "string" } } } },
    { name: "fails", inputSchema: { type: "object" }, outputSchema: NUMBER },
    { name: "breaks", inputSchema: { type: "object" }, outputSchema: NUMBER },
    { name: "typed", inputSchema: { type: "object" }, outputSchema: NUMBER },
    { name: "refuses", inputSchema: { type: "object" } },
    { name: "silent", inputSchema: { type: "object" } },
    { name: "unusable", inputSchema: "nope" },
  ],
  calls: {
    fails: [{ result: { isError: true, content: [{ type: "text", text: "no" }], structuredContent: { why: "because" } } }],
    breaks: [{ result: { content: [], structuredContent: { n: "1" } } }],
    typed: [{ result: { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 }, _meta: { k: 1 }, more: true } }],
    refuses: [{ error: { code: -32602, message: "refused", data: { field: "x" } } }],
    silent: [{ hang: true }],
  },
}

/** Runs the contract against one source. */
export function keepsTheContract(open: () => Promise<MCPClientWrapper>): void {
  let wrapper: MCPClientWrapper
  beforeAll(async () => {
    wrapper = await open()
  })
  afterAll(() => wrapper.close())

  test("lists what is usable and names what is not", () => {
    expect(wrapper.status).toBe("ready")
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["echo", "fails", "breaks", "typed", "refuses", "silent"])
    expect(wrapper.rejected.map(({ name }) => name)).toEqual(["unusable"])
    for (const { namespace, version, type } of wrapper.tools) expect([namespace, version, type]).toEqual(["demo", "1.2.3", "mutation"])
    expect(parseOperationId("demo.echo")).toEqual({ namespace: "demo", name: "echo" })
    expect(toolOf(wrapper, "demo.echo")).toBe(toolOf(wrapper, "echo"))
  })

  test("answers in envelopes that say where the data came from", async () => {
    const envelope = await callerOf(wrapper)("typed", {})
    expect(isResponseEnvelope(envelope)).toBe(true)
    expect(envelope).toEqual({
      data: { n: 1 },
      meta: {
        source: "mcp",
        server: "demo",
        tool: "typed",
        isError: false,
        content: [{ type: "text", text: "1" }],
        structuredContent: { n: 1 },
        _meta: { k: 1 },
        extra: { more: true },
        dataFrom: "structuredContent",
        conformance: "exact",
      },
    })
  })

  test("gives a tool's failure as a result", async () => {
    expect(await callerOf(wrapper)("fails", {})).toMatchObject({ data: { why: "because" }, meta: { isError: true, conformance: "untyped" } })
  })

  test("tells what does not fit and keeps what was sent", async () => {
    expect(await callerOf(wrapper)("breaks", {})).toMatchObject({ meta: { conformance: "cast", structuredContent: { n: "1" }, issues: [{ path: "/n" }] } })
  })

  test("rejects with the server's own error where there is no result", async () => {
    const error = await callError(callerOf(wrapper)("refuses", {}))
    expect(error.code).toBe("PROTOCOL_ERROR")
    expect(error.details).toMatchObject({ rpcCode: -32602, rpcData: { field: "x" }, outcome: "failed" })
  })

  test("refuses wrong input unsent", async () => {
    const error = await callError(callerOf(wrapper)("echo", { a: 1 }))
    expect([error.code, error.details["outcome"]]).toEqual(["VALIDATION_ERROR", "not_started"])
  })

  test("ends a call by its deadline and by its caller", async () => {
    const late = await callError(callerOf(wrapper)("silent", {}, { timeoutMs: 1_000 }))
    expect([late.code, late.details["outcome"]]).toEqual(["TIMEOUT", "unknown"])
    const stop = new AbortController()
    const stopped = callError(callerOf(wrapper)("silent", {}, { signal: stop.signal }))
    setImmediate(() => stop.abort())
    expect((await stopped).code).toBe("ABORTED")
    expect((await callerOf(wrapper)("echo", { a: "x" })).data).toEqual({ given: { a: "x" } })
  })

  test("refuses calls of tools held from before it was closed", async () => {
    const held = toolOf(wrapper, "echo")
    await wrapper.close()
    expect(wrapper.status).toBe("closed")
    const error = await callError(held.handler({}))
    expect([error.code, error.details["outcome"]]).toEqual(["TRANSPORT_ERROR", "not_started"])
  })
}
