/**
 * A list that changes: the new state stands whole or not at all, and a tool that is gone is not called.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import { MCPClientLoader, type ToolsChange } from "../../../src/from_mcp.js"
import { OperationRegistry } from "../../../src/registry.js"
import { callError, callerOf, connectScripted, scriptedServer, toolOf } from "../../fixtures/servers/scripted.js"
import { until } from "../../fixtures/servers/server_log.js"

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

// openai/codex#33266, anthropics/claude-code#79826, danny-avila/LibreChat#14686
describe("a server that says its tools have changed", () => {
  const changed = { notify: "notifications/tools/list_changed" }
  const burst = { tools: { listChanged: true } }

  test("three times at once is listed at most twice more; changed tools are new, removed ones cannot be called", async () => {
    const { wrapper, log } = await connectScripted({
      initialize: { capabilities: burst },
      listings: [[{ tools: [tool("a", "string"), tool("b", "string")] }], [{ tools: [tool("a", "number"), tool("c", "string")] }]],
      calls: { a: [changed, changed, changed, { echo: true }] },
    })
    const removed = toolOf(wrapper, "b")
    const changes: ToolsChange[] = []
    wrapper.onToolsChange((change) => changes.push(change))
    await toolOf(wrapper, "a").handler({ v: "x" })
    await until(() => wrapper.getTool("c") !== undefined, "the new tool is there")
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["a", "c"])
    expect(changes[0]).toEqual({ added: ["demo.c"], removed: ["demo.b"], changed: ["demo.a"] })
    expect((await callError(removed.handler({ v: "x" }))).code).toBe("OPERATION_NOT_FOUND")
    expect((await callError(toolOf(wrapper, "a").handler({ v: "x" }))).code).toBe("VALIDATION_ERROR")
    expect(log.calls("b")).toEqual([])
    const listed = log.received("tools/list").length
    expect(listed).toBeGreaterThanOrEqual(2)
    expect(listed).toBeLessThanOrEqual(3)
  })

  test("is heard while its list is under way: the newest list counts in the end", async () => {
    const { wrapper, log } = await connectScripted({
      initialize: { capabilities: burst },
      list: [[{ result: { tools: [tool("a", "string")] } }], [changed, { delay: 150 }, { result: { tools: [tool("old", "string")] } }], [{ result: { tools: [tool("new", "string")] } }]],
      calls: { a: [changed, { echo: true }] },
    })
    await toolOf(wrapper, "a").handler({ v: "x" })
    await until(() => wrapper.getTool("new") !== undefined, "the newest list is shown")
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["new"])
    expect(log.received("tools/list")).toHaveLength(3)
  })

  test("and answers the older of two listings last: it is thrown away", async () => {
    const { wrapper } = await connectScripted({
      list: [[{ result: { tools: [tool("a", "string")] } }], [{ delay: 250 }, { result: { tools: [tool("old", "string")] } }], [{ result: { tools: [tool("new", "string")] } }]],
    })
    await Promise.all([wrapper.refresh(), wrapper.refresh()])
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["new"])
  })

  test("has a registry follow: it holds what was added, no more what was removed, and hears of both at once", async () => {
    const { config } = scriptedServer({
      initialize: { capabilities: burst },
      listings: [[{ tools: [tool("a", "string"), tool("b", "string")] }], [{ tools: [tool("a", "number"), tool("c", "string")] }]],
      calls: { a: [changed, changed, { echo: true }] },
    })
    const loader = new MCPClientLoader()
    onTestFinished(() => loader.closeAll())
    const registry = new OperationRegistry()
    await loader.load({ servers: { demo: config } })
    loader.registerAll(registry)
    const heard: { added: string[]; removed: string[]; changed: string[] }[] = []
    registry.onChange((change) =>
      heard.push({ added: change.added.map(({ name }) => name), removed: change.removed.map(({ name }) => name), changed: change.changed.map(({ after }) => after.name) }),
    )
    await registry.execute("demo.a", { v: "x" })
    await until(() => heard.length > 0, "the registry has changed")
    expect(heard).toEqual([{ added: ["c"], removed: ["b"], changed: ["a"] }])
    expect(registry.list().sort()).toEqual(["demo.a", "demo.c"])
    expect((await registry.execute("demo.a", { v: 1 })).data).toEqual({ given: { v: 1 } })
    expect((await callError(registry.execute("demo.b", {}))).code).toBe("OPERATION_NOT_FOUND")
  })

  test("and then fails to list them: everything stays, and one warning says so", async () => {
    const { wrapper } = await connectScripted({
      initialize: { capabilities: burst },
      list: [[{ result: { tools: [tool("a", "string")] } }], [{ error: { code: -32603, message: "not now" } }]],
      calls: { a: [changed, { echo: true }] },
    })
    const { handler } = toolOf(wrapper, "a")
    await handler({ v: "x" })
    await until(() => wrapper.warnings.some(({ kind }) => kind === "listing"), "the warning is there")
    expect(wrapper.warnings.filter(({ kind }) => kind === "listing")).toHaveLength(1)
    expect(wrapper.tools.map(({ name }) => name)).toEqual(["a"])
    expect((await handler({ v: "y" })).data).toEqual({ given: { v: "y" } })
    expect(wrapper.status).toBe("ready")
  })
})
