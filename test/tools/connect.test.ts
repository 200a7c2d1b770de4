/**
 * Servers in, tools out: real processes, one of which may fail, and nothing that stays behind.
 */
import { describe, expect, test } from "vitest"
import { filter } from "../../src/middleware.js"
import { connectTools, mcp } from "../../src/tools.js"
import { callError, scriptedServer, testFolder } from "../fixtures/servers/scripted.js"
import { isAlive, until } from "../fixtures/servers/server_log.js"

const tool = (name: string) => ({ name, inputSchema: { type: "object" } })
const says = (text: string) => [{ result: { content: [{ type: "text", text }] } }]

describe("connected servers", () => {
  test("give the tools of each and of all, under names that differ, and close their processes", async () => {
    const one = scriptedServer({ tools: [tool("send_email")], calls: { send_email: says("sent by one") } })
    const two = scriptedServer({ tools: [tool("send_email"), tool("list")], calls: { send_email: says("sent by two") } })
    const servers = await connectTools({ s1: mcp.stdio(one.config), s2: mcp.stdio(two.config) })
    try {
      expect(servers.map(({ name, tools }) => [name, tools.map((each) => each.name)])).toEqual([
        ["s1", ["s1__send_email"]],
        ["s2", ["s2__send_email", "s2__list"]],
      ])
      expect(servers.tools.map(({ name }) => name)).toEqual(["s1__send_email", "s2__send_email", "s2__list"])
      expect(await Promise.all(servers.map(async ({ tools }) => tools[0]?.call()))).toEqual(["sent by one", "sent by two"])
    } finally {
      await servers.close()
    }
    const pids = [...one.log.starts(), ...two.log.starts()]
    expect(pids.length).toBe(2)
    await until(() => !pids.some(isAlive), "both processes are gone")
  })

  test("are closed one by one, or at the end of a block", async () => {
    const one = scriptedServer({ tools: [tool("a")] })
    const two = scriptedServer({ tools: [tool("b")], calls: { b: says("still there") } })
    {
      await using servers = await connectTools({ one: mcp.stdio(one.config), two: mcp.stdio(two.config) }, { naming: "short" })
      await servers[0]?.close()
      expect(await servers[1]?.tools[0]?.call()).toBe("still there")
      expect((await callError(servers[0]?.tools[0]?.call() ?? Promise.resolve())).code).toBe("TRANSPORT_ERROR")
      expect(servers.tools.map(({ name }) => name)).toEqual(["a", "b"])
    }
    await until(() => ![...one.log.starts(), ...two.log.starts()].some(isAlive), "both processes are gone")
  })

  test("do without the one that fails, and name it", async () => {
    const good = scriptedServer({ tools: [tool("a")] })
    await using servers = await connectTools({ bad: mcp.stdio({ command: `${testFolder()}/no-such-program` }), good: mcp.stdio(good.config) })
    expect(servers.map(({ name }) => name)).toEqual(["good"])
    expect(servers.failed.map(({ name, error }) => [name, error.code])).toEqual([["bad", "TRANSPORT_ERROR"]])
  })

  test.each([
    ["all fail", {}, []],
    ["one fails and all are wanted", { client: { strict: true } }, ["good"]],
  ])("are refused where %s, and nothing stays", async (_what, options, good) => {
    const server = scriptedServer({ tools: [tool("a")] })
    const config = Object.fromEntries([["bad", mcp.stdio({ command: `${testFolder()}/no-such-program` })], ...good.map((name) => [name, mcp.stdio(server.config)] as const)])
    expect((await callError(connectTools(config, options))).code).toBe("TRANSPORT_ERROR")
    await until(() => !server.log.starts().some(isAlive), "no process is left")
  })

  test("keep to the middleware that is given", async () => {
    const server = scriptedServer({ tools: [tool("a")] })
    await using servers = await connectTools({ s: mcp.stdio(server.config) }, { middleware: [filter({ deny: ["s.*"] })] })
    expect((await callError(servers.tools[0]?.call() ?? Promise.resolve())).code).toBe("ACCESS_DENIED")
    expect(server.log.calls()).toEqual([])
  })
})

test("the builders say which transport is meant", () => {
  expect([mcp.stdio({ command: "a", args: ["b"] }), mcp.http({ url: "https://a.example" }), mcp.sse({ url: "https://a.example", headers: { x: "y" } })]).toEqual([
    { command: "a", args: ["b"] },
    { url: "https://a.example", transport: "http" },
    { url: "https://a.example", transport: "sse", headers: { x: "y" } },
  ])
})
