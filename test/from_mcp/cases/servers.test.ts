/**
 * Several servers at once: one that fails or sleeps takes nothing from the others, and equal names never meet.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import { MCPClientLoader, type MCPConfig, type MCPServerConfig, type ServerOutcome } from "../../../src/from_mcp.js"
import type { Script } from "../../fixtures/servers/scripted_core.mjs"
import { isRunning, stdioFaultServer } from "../../fixtures/servers/fault_servers.mjs"
import { callError, connect, expectWithin, scriptedServer, testFolder, timed, toolOf, BY_THE_CLOCK } from "../../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../../fixtures/servers/scripted_http.js"
import { isAlive, until } from "../../fixtures/servers/server_log.js"

function newLoader(): MCPClientLoader {
  const loader = new MCPClientLoader()
  onTestFinished(() => loader.closeAll())
  return loader
}

// langchain-ai/langchain-mcp-adapters#492, #401, #276, #179
describe("one good server, one that does not exist, one that nobody listens at", () => {
  const servers = () => {
    const good = scriptedServer({ tools: [{ name: "t" }] })
    const config: MCPConfig = { servers: { good: good.config, missing: { command: "no-such-binary-anywhere" }, closed: { url: "http://127.0.0.1:1/mcp" } } }
    return { config, good }
  }

  test("the good one works, each of the others is told with its reason", async () => {
    const { config } = servers()
    const loader = newLoader()
    const outcomes = await loader.load(config)
    expect(outcomes.map(({ name, ok }) => [name, ok])).toEqual([
      ["good", true],
      ["missing", false],
      ["closed", false],
    ])
    for (const outcome of outcomes) {
      expect(outcome.durationMs).toBeGreaterThanOrEqual(0)
      if (outcome.ok) continue
      expect(outcome.error.code).toBe("TRANSPORT_ERROR")
      expect(outcome.error.message).toContain(outcome.name)
    }
    expect(outcomes[1]).toMatchObject({ error: { message: expect.stringContaining("no-such-binary-anywhere") } })
    expect(loader.getAllOperations().map(({ namespace, name }) => `${namespace}.${name}`)).toEqual(["good.t"])
    expect((await toolOf(loader.getClient("good")).handler({ a: 1 })).data).toEqual({ given: { a: 1 } })
    expect(loader.getAllWrappers().map(({ name }) => name)).toEqual(["good"])
    expect(loader.getClient("good")?.name).toBe("good")
    expect(loader.getClient("missing")).toBeUndefined()
  })

  test("with strict the loading rejects, and the good one does not live on unseen", async () => {
    const { config, good } = servers()
    const loader = newLoader()
    const error = await callError(loader.load(config, { strict: true }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.message).toMatch(/missing|closed/)
    await loader.closeAll()
    await until(() => good.log.pids().every((pid) => !isAlive(pid)), "the good server is gone")
  })
})

// can1357/oh-my-pi#2100, iOfficeAI/aionrs#121, stacklok/mecatl#1695
describe("four servers that take 300 ms to greet, and one that never does", () => {
  const outcomesOf = (outcomes: ServerOutcome[]) => outcomes.map(({ name, ok }) => [name, ok])
  const EXPECTED = [["silent", false], ...["a", "b", "c", "d"].map((name) => [name, true])]
  const scriptOf = (name: string): Script => (name === "silent" ? { initialize: "never" } : { initialize: { delay: 300 }, tools: [{ name: `tool_${name}` }] })

  test("are connected side by side: all is over when the silent one is given up", BY_THE_CLOCK, async () => {
    const servers: Record<string, MCPServerConfig> = {}
    // Without processes: how long five of them take to start is the machine's affair.
    for (const name of ["silent", "a", "b", "c", "d"]) servers[name] = { url: (await scriptedHTTPServer(scriptOf(name))).url, transport: "http" }
    // What is loaded at first use is loaded before the clock runs.
    await connect("first", { url: (await scriptedHTTPServer({ tools: [] })).url })
    const loader = newLoader()
    let loaded = false
    const { value: outcomes, ms } = await timed(async () => {
      const loading = loader.load({ servers }, { clients: { silent: { connectTimeoutMs: 3_000 } } }).finally(() => (loaded = true))
      await until(() => loader.getAllOperations().length === 4, "the four quick ones are there")
      expect(loaded).toBe(false)
      return loading
    })
    expectWithin(ms, 3_500)
    expect(outcomesOf(outcomes)).toEqual(EXPECTED)
    expect(outcomes[0]).toMatchObject({ error: { code: "TIMEOUT" } })
  })

  test("as processes, the four can be called while the silent one is still waited for", async () => {
    const servers = Object.fromEntries(["silent", "a", "b", "c", "d"].map((name) => [name, scriptedServer(scriptOf(name)).config]))
    const loader = newLoader()
    const stop = new AbortController()
    let loaded = false
    const loading = loader.load({ servers }, { clients: { silent: { signal: stop.signal } } }).finally(() => (loaded = true))
    await until(() => loader.getAllOperations().length === 4, "the four quick ones are there")
    for (const { handler } of loader.getAllOperations()) expect((await handler({ n: 1 })).data).toEqual({ given: { n: 1 } })
    expect(loaded).toBe(false)
    stop.abort()
    const outcomes = await loading
    expect(outcomesOf(outcomes)).toEqual(EXPECTED)
    expect(outcomes[0]).toMatchObject({ error: { code: "ABORTED" } })
  })
})

test("no more servers connect at once than the host allows, and a place in the queue costs a server nothing of its own time", async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`s${String(index)}`, scriptedServer({ initialize: { delay: 2_500 }, tools: [{ name: "t" }] })]),
  )
  const loader = newLoader()
  const config = { servers: Object.fromEntries(Object.entries(servers).map(([name, { config: one }]) => [name, one])) }
  const outcomes = await loader.load(config, { concurrency: 2, connectTimeoutMs: 7_000 })
  // Three rounds of 2.5 s are longer than one server may take.
  expect(outcomes.every(({ ok }) => ok)).toBe(true)
})

describe("sixty servers that take 800 ms to greet, eight at once", () => {
  /** Servers in this process, which count who is between its greeting and its list. */
  async function sixty() {
    const connecting = new Set<number>()
    let most = 0
    const servers: Record<string, MCPServerConfig> = {}
    for (let index = 0; index < 60; index++) {
      const { url } = await scriptedHTTPServer({ initialize: { delay: 800 }, tools: [{ name: "t" }] }, {
        answers: "json",
        intercept: ({ message }) => {
          if (message?.method === "initialize") most = Math.max(most, connecting.add(index).size)
          if (message?.method === "tools/list") connecting.delete(index)
          return undefined
        },
      })
      servers[`s${String(index)}`] = { url, transport: "http" }
    }
    return { servers, most: () => most }
  }

  test("all connect, never more than eight at a time, and none pays for its place in the queue", async () => {
    const { servers, most } = await sixty()
    const loader = newLoader()
    // The last ones wait longer than a server may take: eight rounds of 800 ms at least.
    const limitMs = 5_500
    const { value: outcomes, ms } = await timed(() => loader.load({ servers }, { concurrency: 8, connectTimeoutMs: limitMs }))
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([])
    expect(ms).toBeGreaterThan(limitMs)
    expect(most()).toBe(8)
    expect(loader.getAllOperations()).toHaveLength(60)
    for (const { durationMs } of outcomes) expect(durationMs).toBeLessThan(limitMs)
  })

  test("as processes too", async () => {
    const folder = testFolder()
    const all = Array.from({ length: 60 }, () => stdioFaultServer(folder, {}))
    const loader = newLoader()
    const outcomes = await loader.load({ servers: Object.fromEntries(all.map(({ config }, index) => [`s${String(index)}`, config])) }, { concurrency: 8 })
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([])
    await loader.closeAll()
    const pids = all.flatMap(({ journal }) => journal().pids)
    expect(pids).toHaveLength(60)
    await until(() => !pids.some(isRunning), "all are gone")
  }, 240_000)
})

test("closing the loader ends every process", async () => {
  const servers = [scriptedServer({ tools: [{ name: "t" }] }), scriptedServer({ tools: [{ name: "t" }] })] as const
  const loader = new MCPClientLoader()
  await loader.load({ servers: { one: servers[0].config, two: servers[1].config } })
  await loader.closeAll()
  expect(loader.getAllWrappers()).toEqual([])
  await until(() => servers.every(({ log }) => log.starts().length === 1 && log.pids().every((pid) => !isAlive(pid))), "both are gone")
})

// langchain-ai/langchain-mcp-adapters#605, CopilotKit/CopilotKit#2409
describe("equal names on two servers", () => {
  test("each call reaches its own server", async () => {
    const tool = (member: string) => ({ name: "send_email", inputSchema: { type: "object", properties: { [member]: { type: "string" } }, required: [member] } })
    const s1 = scriptedServer({ tools: [tool("to")] })
    const s2 = scriptedServer({ tools: [tool("recipient")] })
    const loader = newLoader()
    await loader.load({ servers: { s1: s1.config, s2: s2.config } })
    const ids = loader.getAllOperations().map(({ namespace, name }) => `${namespace}.${name}`)
    expect(ids.sort()).toEqual(["s1.send_email", "s2.send_email"])
    await toolOf(loader.getClient("s1"), "send_email").handler({ to: "a" })
    await toolOf(loader.getClient("s2"), "s2.send_email").handler({ recipient: "b" })
    expect(s1.log.calls().map(({ arguments: input }) => input)).toEqual([{ to: "a" }])
    expect(s2.log.calls().map(({ arguments: input }) => input)).toEqual([{ recipient: "b" }])
    expect(loader.getClient("s1")?.getTool("s2.send_email")).toBeUndefined()
  })

  test("names that would meet when they are glued together do not meet", async () => {
    const one = scriptedServer({ tools: [{ name: "c" }] })
    const two = scriptedServer({ tools: [{ name: "b_c" }, { name: "b.c" }] })
    const loader = newLoader()
    await loader.load({ servers: { a_b: one.config, a: two.config } })
    await toolOf(loader.getClient("a_b"), "a_b.c").handler({ to: "one" })
    await toolOf(loader.getClient("a"), "a.b_c").handler({ to: "two" })
    await toolOf(loader.getClient("a"), "b.c").handler({ to: "three" })
    expect(one.log.calls().map(({ name, arguments: input }) => [name, input])).toEqual([["c", { to: "one" }]])
    expect(two.log.calls().map(({ name, arguments: input }) => [name, input])).toEqual([
      ["b_c", { to: "two" }],
      ["b.c", { to: "three" }],
    ])
  })
})

test.each([
  ["a b", "a_b"],
  ["a/b", "a b"],
  ["读", "取"],
])("server names that no id can hold (%j and %j) never make two tools one", async (first, second) => {
  const one = scriptedServer({ tools: [{ name: "t" }] })
  const two = scriptedServer({ tools: [{ name: "t" }] })
  const loader = newLoader()
  const outcomes = await loader.load({ servers: { [first]: one.config, [second]: two.config } })
  const ids = loader.getAllOperations().map(({ namespace, name }) => `${namespace}.${name}`)
  expect(new Set(ids).size).toBe(ids.length)
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(ids.length)
  for (const outcome of outcomes) if (!outcome.ok) expect(outcome.error.code).toBe("CONFIGURATION_ERROR")
  expect(ids.length).toBeGreaterThanOrEqual(1)
})

// anomalyco/opencode#3842, OpenCoworkAI/open-cowork#200
test("a tool's name goes on the wire byte for byte", async () => {
  const names = ["greet/tool", "my.resource.read", "ns:action", "读取", "with space", "x".repeat(128)]
  const { config, log } = scriptedServer({ tools: names.map((name) => ({ name })) })
  const wrapper = await connect("demo", config)
  expect(wrapper.tools.map(({ name }) => name)).toEqual(names)
  for (const name of names) await toolOf(wrapper, name).handler({})
  expect(log.calls().map(({ name }) => name)).toEqual(names)
})
