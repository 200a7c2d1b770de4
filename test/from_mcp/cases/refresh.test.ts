/**
 * A list that changes: the new state stands whole or not at all, and a tool that is gone is not called.
 */
import { describe, expect, test } from "vitest"
import { callError, callerOf, connectScripted, toolOf } from "../../fixtures/servers/scripted.js"

const tool = (name: string, type: string) => ({ name, inputSchema: { type: "object", properties: { v: { type } } } })

describe("refreshing by hand", () => {
  test("swaps the tools whole: changed ones are new, removed ones are gone, held arrays stay as they were", async () => {
    const { wrapper, log } = await connectScripted({ listings: [[{ tools: [tool("a", "string"), tool("b", "string")] }], [{ tools: [tool("a", "number"), tool("c", "string")] }]] })
    const before = wrapper.tools
    const removed = toolOf(wrapper, "b")
    await wrapper.refresh()
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["a", "c"])
    expect(wrapper.tools).not.toBe(before)
    expect(before.map(({ name }) => name)).toEqual(["a", "b"])
    expect(wrapper.getTool("b")).toBeUndefined()
    expect((await callerOf(wrapper)("a", { v: 1 })).data).toEqual({ given: { v: 1 } })
    expect((await callError(callerOf(wrapper)("a", { v: "x" }))).code).toBe("VALIDATION_ERROR")
    const error = await callError(removed.handler({}))
    expect(error.code).toBe("OPERATION_NOT_FOUND")
    expect(error.details).toMatchObject({ operationId: "demo.b" })
    expect(log.calls("b")).toEqual([])
  })

  test("a listing that fails keeps all that was there, and says so", async () => {
    const { wrapper } = await connectScripted({
      list: [[{ result: { tools: [tool("a", "string")] } }], [{ error: { code: -32603, message: "gone" } }], [{ result: { tools: "nonsense" } }]],
    })
    const before = wrapper.tools
    for (let time = 0; time < 2; time++) {
      await wrapper.refresh().catch(() => undefined)
      expect(wrapper.tools.map(({ name }) => name)).toEqual(["a"])
    }
    expect((await callerOf(wrapper)("a", { v: "x" })).data).toEqual({ given: { v: "x" } })
    expect((await callError(callerOf(wrapper)("a", { v: 1 }))).code).toBe("VALIDATION_ERROR")
    expect(wrapper.status).toBe("ready")
    expect(before).toHaveLength(1)
  })

  // modelcontextprotocol/typescript-sdk#2614
  test("a tool that becomes unusable harms no other one", async () => {
    const typed = { ...tool("a", "string"), outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } }
    const { wrapper } = await connectScripted({
      listings: [[{ tools: [typed, tool("b", "string")] }], [{ tools: [typed, { name: "b", inputSchema: 5 }] }]],
      calls: { a: [{ result: { content: [], structuredContent: { n: "no" } } }] },
    })
    const held = toolOf(wrapper, "a")
    await wrapper.refresh()
    expect(wrapper.rejected.map(({ name }) => name)).toEqual(["b"])
    for (const { handler } of [held, toolOf(wrapper, "a")]) {
      expect((await handler({})).meta).toMatchObject({ conformance: "cast", issues: [{ path: "/n" }] })
    }
  })
})
