/**
 * The loader: servers side by side, each with its own outcome, names that cannot meet, and an end that leaves nothing.
 */
import { describe, expect, onTestFinished, test } from "vitest"
import { MCPClientLoader, parseConfig, type MCPConfig, type MCPServerConfig } from "../../src/from_mcp.js"
import { serverByHand, type Received, type ServerByHand } from "../fixtures/servers/http_by_hand.js"
import { callError, scriptedServer } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"

function newLoader(): MCPClientLoader {
  const loader = new MCPClientLoader()
  onTestFinished(() => loader.closeAll())
  return loader
}

/** A server whose handshake waits until the test lets it go. */
async function gated(): Promise<ServerByHand & { open(): void; refuse(): void; arrived(): number }> {
  const held: Received[] = []
  let isOpen = false
  const answer = ({ message, response }: Received) => {
    const result = { protocolVersion: message?.params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "gated", version: "1" } }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message?.id, result }))
  }
  const server = await serverByHand({
    first: (received) => {
      if (isOpen || received.message?.method !== "initialize") return false
      held.push(received)
      return true
    },
  })
  return {
    ...server,
    arrived: () => held.length,
    open() {
      isOpen = true
      for (const received of held.splice(0)) answer(received)
    },
    refuse() {
      for (const { response } of held.splice(0)) response.writeHead(500).end()
    },
  }
}

/** How often a stream was asked for, which takes a road of its own. */
const streams = ({ requests }: ServerByHand) => requests.filter(({ method }) => method === "GET").length

const DEAD: MCPServerConfig = { url: "http://127.0.0.1:1/mcp" }

describe("loading", () => {
  test("makes the quick servers usable while a slow one still connects", async () => {
    const slow = await gated()
    const quick = await serverByHand()
    const loader = newLoader()
    let done = false
    const loading = loader.load({ servers: { slow: { url: slow.url }, quick: { url: quick.url }, dead: DEAD } }).finally(() => (done = true))
    await until(() => loader.getClient("quick") !== undefined, "the quick one is there")
    const [operation] = loader.getAllOperations()
    expect((await operation?.handler({ a: 1 }))?.data).toEqual({ a: 1 })
    expect(done).toBe(false)
    expect(loader.getClient("slow")).toBeUndefined()
    slow.open()
    expect((await loading).map(({ name, ok }) => [name, ok])).toEqual([
      ["slow", true],
      ["quick", true],
      ["dead", false],
    ])
    expect(loader.getAllWrappers().map(({ name }) => name)).toEqual(["slow", "quick"])
    expect(loader.getAllOperations().map(({ namespace, name }) => [namespace, name])).toEqual([
      ["slow", "t"],
      ["quick", "t"],
    ])
  })

  test.each([
    [undefined, 10],
    [3, 3],
    [1, 1],
  ])("with concurrency %j connects %d at once, and all in the end", async (concurrency, expected) => {
    const servers = await Promise.all(Array.from({ length: 12 }, gated))
    const loader = newLoader()
    const loading = loader.load({ servers: Object.fromEntries(servers.map(({ url }, index) => [`s${String(index)}`, { url }])) }, { concurrency })
    const arrived = () => servers.reduce((sum, server) => sum + server.arrived(), 0)
    await until(() => arrived() === expected, "the first ones arrive")
    servers[0]?.open()
    await until(() => servers[expected]?.arrived() === 1, "one that is done makes room for the next")
    expect(arrived()).toBe(expected)
    for (const server of servers) server.open()
    expect((await loading).every(({ ok }) => ok)).toBe(true)
  })

  test.each([0, -1, 1.5, Number.NaN])("with concurrency %d is a CONFIGURATION_ERROR", async (concurrency) => {
    expect(await callError(newLoader().load({ servers: {} }, { concurrency }))).toMatchObject({ code: "CONFIGURATION_ERROR" })
  })

  test("counts the time of a server from its own turn", async () => {
    const first = await gated()
    const second = await serverByHand()
    const loader = newLoader()
    const loading = loader.load({ servers: { first: { url: first.url }, second: { url: second.url } } }, { concurrency: 1, clients: { second: { connectTimeoutMs: 30_000 } } })
    await until(() => first.arrived() === 1, "the first one connects")
    expect(second.requests).toEqual([])
    const turn = performance.now()
    first.open()
    const outcomes = await loading
    expect(outcomes[1]?.ok).toBe(true)
    // Counted from the beginning of the loading it would be longer than all the time since the turn.
    expect(outcomes[1]?.durationMs).toBeLessThan(performance.now() - turn)
  })

  test("gives each client the common options, and its own ones over them", async () => {
    const server = await serverByHand({ call: ({ message, response }) => void response.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc":"2.0","id":${String(message?.id)},"result":{"structuredContent":"${"x".repeat(1_000)}"}}`) })
    const loader = newLoader()
    const servers = { small: { url: server.url }, large: { url: server.url } }
    await loader.load({ servers }, { maxResultBytes: 1_000, clients: { large: { maxResultBytes: 10_000 } } })
    const call = async (name: string) => loader.getClient(name)?.getTool("t")?.handler({})
    expect(await callError(call("small"))).toMatchObject({ code: "RESOURCE_EXHAUSTED" })
    expect((await call("large"))?.data).toBe("x".repeat(1_000))
  })

  test("of what parseConfig gives works, names of Object.prototype included", async () => {
    const server = await serverByHand()
    const config = parseConfig(`{ "mcpServers": { "__proto__": { "url": "\${URL}" }, "constructor": { "url": "\${URL}" } } }`, { env: { URL: server.url } })
    const loader = newLoader()
    expect((await loader.load(config)).map(({ name, ok }) => [name, ok])).toEqual([
      ["__proto__", true],
      ["constructor", true],
    ])
    expect(loader.getClient("constructor")?.name).toBe("constructor")
    expect(loader.getClient("__proto__")?.name).toBe("__proto__")
    expect(loader.getClient("toString")).toBeUndefined()
  })

  test("a config of nothing gives no outcomes", async () => {
    expect(await newLoader().load({ servers: {} })).toEqual([])
  })
})

describe("a name that is taken", () => {
  test("already is a CONFIGURATION_ERROR for its server alone, and nothing is started for it", async () => {
    const server = await serverByHand()
    const loader = newLoader()
    await loader.load({ servers: { a: { url: server.url } } })
    const before = server.requests.length
    const outcomes = await loader.load({ servers: { a: { url: `${server.url}?second` }, b: { url: server.url } } })
    expect(outcomes).toMatchObject([
      { name: "a", ok: false, durationMs: 0, error: { code: "CONFIGURATION_ERROR", message: 'Server "a": it is loaded already' } },
      { name: "b", ok: true },
    ])
    expect(server.requests.slice(before).every(({ path }) => path === "/mcp")).toBe(true)
    expect(loader.getClient("a")?.status).toBe("ready")
  })

  test("by a server that is still connecting counts as well", async () => {
    const slow = await gated()
    const loader = newLoader()
    const first = loader.load({ servers: { a: { url: slow.url } } })
    expect(await loader.load({ servers: { a: DEAD } })).toMatchObject([{ ok: false, error: { code: "CONFIGURATION_ERROR" } }])
    slow.open()
    expect(await first).toMatchObject([{ ok: true }])
  })

  test.each([
    ["a b", "a_b"],
    ["a.b", "a/b"],
  ])("as a namespace (%j and %j): the first is kept, the second told", async (one, two) => {
    const server = await serverByHand()
    const loader = newLoader()
    const outcomes = await loader.load({ servers: { [one]: { url: server.url }, [two]: { url: server.url } } })
    expect(outcomes).toMatchObject([
      { name: one, ok: true },
      { name: two, ok: false, error: { code: "CONFIGURATION_ERROR", message: `Server "${two}": its name meets that of server "${one}" in the namespace "a_b"` } },
    ])
    expect(loader.getClient(one)?.name).toBe(one)
    expect(loader.getClient(two)).toBeUndefined()
  })

  test("is free again after a failure, and after its client was closed", async () => {
    const server = await serverByHand()
    const loader = newLoader()
    expect(await loader.load({ servers: { a: DEAD } })).toMatchObject([{ ok: false, error: { code: "TRANSPORT_ERROR" } }])
    expect(await loader.load({ servers: { a: { url: server.url } } })).toMatchObject([{ ok: true }])
    await loader.getClient("a")?.close()
    expect(await loader.load({ servers: { a: { url: server.url } } })).toMatchObject([{ ok: true }])
    expect(loader.getAllWrappers()).toHaveLength(1)
  })
})

describe("strict loading", () => {
  test("rejects with the first failure, gives up what still connects, and closes what was open", async () => {
    const good = scriptedServer({ tools: [{ name: "t" }] })
    const slow = await gated()
    const failing = await gated()
    const loader = newLoader()
    const config: MCPConfig = { servers: { good: good.config, slow: { url: slow.url }, failing: { url: failing.url } } }
    const result = callError(loader.load(config, { strict: true }))
    await until(() => loader.getClient("good") !== undefined && slow.arrived() === 1 && failing.arrived() === 1, "the good one is there, the others connect")
    failing.refuse()
    expect(await result).toMatchObject({ code: "TRANSPORT_ERROR", details: { status: 500 }, message: expect.stringContaining('"failing"') })
    expect(loader.getAllWrappers()).toEqual([])
    await until(() => good.log.pids().every((pid) => !isAlive(pid)), "the good server is gone")
    await until(() => slow.requests.every(({ cut }) => cut), "the slow one is cut off")
    expect(slow.requests).toHaveLength(1)
  })

  test("does not begin with servers whose turn comes after the failure", async () => {
    const later = await serverByHand()
    const loader = newLoader()
    expect(await callError(loader.load({ servers: { dead: DEAD, later: { url: later.url } } }, { strict: true, concurrency: 1 }))).toMatchObject({ code: "TRANSPORT_ERROR" })
    expect(later.requests).toEqual([])
  })

  test("leaves alone what was loaded before", async () => {
    const server = await serverByHand()
    const loader = newLoader()
    await loader.load({ servers: { before: { url: server.url } } })
    await callError(loader.load({ servers: { dead: DEAD } }, { strict: true }))
    expect(loader.getAllWrappers().map(({ name, status }) => [name, status])).toEqual([["before", "ready"]])
  })

  test("gives the outcomes where all is well", async () => {
    const server = await serverByHand()
    expect(await newLoader().load({ servers: { a: { url: server.url } } }, { strict: true })).toMatchObject([{ name: "a", ok: true }])
  })
})

describe("closing all", () => {
  test("gives up what still connects, and the loader can be used again", async () => {
    const slow = await gated()
    const quick = await serverByHand({ sessions: true })
    const loader = newLoader()
    const loading = loader.load({ servers: { slow: { url: slow.url }, quick: { url: quick.url } } })
    await until(() => slow.arrived() === 1 && loader.getClient("quick") !== undefined, "one is there, one connects")
    await until(() => streams(quick) === 1, "its stream is asked for")
    await loader.closeAll()
    expect(await loading).toMatchObject([
      { name: "slow", ok: false, error: { code: "ABORTED" } },
      { name: "quick", ok: true },
    ])
    expect(loader.getAllWrappers()).toEqual([])
    expect(quick.requests.at(-1)?.method).toBe("DELETE")
    await until(() => slow.requests[0]?.cut === true, "the slow one is cut off")
    slow.open()
    expect(await loader.load({ servers: { slow: { url: slow.url }, quick: { url: quick.url } } })).toMatchObject([{ ok: true }, { ok: true }])
  })

  test("happens at the end of an `await using` block", async () => {
    const server = await serverByHand({ sessions: true })
    {
      await using loader = new MCPClientLoader()
      await loader.load({ servers: { a: { url: server.url } } })
      await until(() => streams(server) === 1, "its stream is asked for")
    }
    expect(server.requests.at(-1)?.method).toBe("DELETE")
  })

  test("is stopped by the signal of the host as well", async () => {
    const slow = await gated()
    const abort = new AbortController()
    const loading = newLoader().load({ servers: { slow: { url: slow.url } } }, { signal: abort.signal })
    await until(() => slow.arrived() === 1, "it connects")
    abort.abort()
    expect(await loading).toMatchObject([{ ok: false, error: { code: "ABORTED" } }])
  })
})

// langchain-ai/langchain-mcp-adapters#320
test("ten calls on one connection start the process once; a second loader starts its own", async () => {
  const { config, log } = scriptedServer({ tools: [{ name: "t" }] })
  const one = newLoader()
  const two = newLoader()
  await one.load({ servers: { files: config } })
  for (let index = 0; index < 10; index++) await one.getClient("files")?.getTool("t")?.handler({ index })
  expect(log.calls()).toHaveLength(10)
  expect(log.starts()).toHaveLength(1)
  await two.load({ servers: { files: config } })
  expect(log.starts()).toHaveLength(2)
})
