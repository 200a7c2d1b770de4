/**
 * Tools that change: what the listeners and a registry hear, and what stays when a listing fails.
 */
import { expect, test } from "vitest"
import { MCPClientLoader, type ToolsChange } from "../../src/from_mcp.js"
import { OperationRegistry } from "../../src/registry.js"
import { serverByHand } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect, connectScripted, scriptedServer, toolOf } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })
const changed = { notify: "notifications/tools/list_changed" }

// openai/codex#33266, anthropics/claude-code#79826, danny-avila/LibreChat#14686
test("a burst of notifications costs two listings at most; listener and registry hear of what came, went and changed, at once", async () => {
  const { config, log } = scriptedServer({
    listings: [[{ tools: [tool("a"), tool("b"), tool("same")] }], [{ tools: [tool("a", "new"), tool("c"), tool("same")] }]],
    calls: { a: [changed, changed, changed, { echo: true }] },
  })
  const loader = new MCPClientLoader()
  await loader.load({ servers: { demo: config } }, { strict: true })
  const wrapper = loader.getClient("demo")
  const registry = new OperationRegistry()
  loader.registerAll(registry)
  const heard: ToolsChange[] = []
  const registered: unknown[] = []
  wrapper?.onToolsChange(() => {
    throw new Error("a listener that throws")
  })
  wrapper?.onToolsChange((change) => heard.push(change))
  registry.onChange(({ added, removed, changed: differing }) => registered.push([added.map(({ name }) => name), removed.map(({ name }) => name), differing.map(({ after }) => after.description)]))
  const held = toolOf(wrapper, "b")
  await registry.execute("demo.a", {})
  await until(() => heard.length > 0, "the list is shown")
  expect(heard).toEqual([{ added: ["demo.c"], removed: ["demo.b"], changed: ["demo.a"] }])
  expect(registered).toEqual([[["c"], ["b"], ["new"]]])
  expect(registry.list()).toEqual(["demo.a", "demo.same", "demo.c"])
  expect(log.received("tools/list").length).toBeLessThanOrEqual(3)
  const calls = log.calls().length
  expect(await callError(held.handler({}))).toMatchObject({ code: "OPERATION_NOT_FOUND" })
  expect(log.calls()).toHaveLength(calls)
  await loader.closeAll()
})

test("a listing that shows what was there tells nobody anything", async () => {
  const { wrapper } = await connectScripted({ tools: [tool("a")] })
  const heard: ToolsChange[] = []
  const unhear = wrapper.onToolsChange((change) => heard.push(change))
  await wrapper.refresh()
  unhear()
  expect(heard).toEqual([])
})

test("a server that says that its tools have changed each time that they are listed is asked later and later", async () => {
  const since = performance.now()
  const { log } = await connectScripted({ list: [changed, { result: { tools: [tool("a")] } }] })
  await until(() => log.received("tools/list").length >= 6, "it is asked five more times")
  // 50, 100, 200, 400 and 800 ms.
  expect(performance.now() - since).toBeGreaterThan(1_500)
})

test("a notification in the same read as the first listing is not missed", async () => {
  const { wrapper } = await connectScripted({
    list: [
      [{ raw: `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"a"}]}}\n{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n` }],
      [{ result: { tools: [tool("a"), tool("late")] } }],
    ],
  })
  await until(() => wrapper.getTool("late") !== undefined, "the list is asked for again")
})

test("a new connection that refuses to list its tools leaves the old list, and is a warning", async () => {
  let listings = 0
  let isDown = false
  const server = await serverByHand({
    first: ({ message, response }) => {
      if (message?.method !== "tools/list" || ++listings === 1) return false
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: "not yet" } }))
      return true
    },
  })
  const down = () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }))
  const wrapper = await connect("demo", { url: server.url }, {
    reconnect: { firstDelayMs: 1, maxDelayMs: 5 },
    fetch: (url, init) => {
      if (!isDown) return fetch(url, init)
      isDown = false
      return down()
    },
  })
  const before = wrapper.tools
  isDown = true
  expect((await callerOf(wrapper)("t", { n: 1 })).data).toEqual({ n: 1 })
  expect([wrapper.tools === before, listings, wrapper.status]).toEqual([true, 2, "ready"])
  expect(wrapper.warnings.filter(({ kind }) => kind === "listing")).toMatchObject([{ message: expect.stringContaining("after reconnecting") }])
})
