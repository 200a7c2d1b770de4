/**
 * What a network policy lets through, judged by the address that is really connected to.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { openNetwork, type Network, type NetworkPolicy } from "../../../src/from_mcp/http/network.js"
import { callError } from "../../fixtures/servers/scripted.js"

/** What names resolve to, one list for each time that they are asked for; the last one stays. */
const names = vi.hoisted(() => new Map<string, string[][]>())

vi.mock(import("node:dns"), async (original) => {
  const dns = await original()
  const lookup = (name: string, options: object, callback: (error: Error | null, addresses: unknown) => void): void => {
    const answers = names.get(name)
    if (answers === undefined) {
      dns.lookup(name, options, callback as never)
      return
    }
    const now = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    callback(null, now.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
  }
  return { ...dns, lookup: lookup as never }
})

afterEach(() => names.clear())

/** A server that counts its requests and keeps no connection. */
async function counting(): Promise<{ port: number; count: () => number }> {
  let count = 0
  const server = createServer((_request, response) => {
    count++
    response.writeHead(200, { connection: "close" }).end("here")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, count: () => count }
}

async function network(policy?: NetworkPolicy): Promise<Network> {
  const opened = await openNetwork({ server: "demo", policy, connectTimeoutMs: 30_000 })
  onTestFinished(() => opened.close())
  return opened
}

describe("denyPrivate", () => {
  test.each(["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:127.0.0.1]", "inside.test", "INSIDE.test."])(
    "refuses http://%s/ and connects to nothing",
    async (host) => {
      for (const name of ["inside.test", "inside.test."]) names.set(name, [["127.0.0.1"]])
      const { port, count } = await counting()
      const { fetch } = await network({ denyPrivate: true })
      const error = await callError(fetch(`http://${host}:${String(port)}/`))
      expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "network_policy", outcome: "not_started" } })
      expect(error.message).toMatch(/^Server "demo": the host ".*" .*may not be reached: .*network\.allowHosts.*network\.denyPrivate/)
      expect(error.message).toContain(new URL(`http://${host}`).hostname.replace(/[[\]]/g, "").replace(/\.$/, ""))
      expect(count()).toBe(0)
    },
  )

  test("lets through an address that is listed itself", async () => {
    const { port, count } = await counting()
    const { fetch } = await network({ denyPrivate: true, allowHosts: ["localhost", "127.0.0.1", "::1"] })
    expect(await (await fetch(`http://localhost:${String(port)}/`)).text()).toBe("here")
    expect(count()).toBe(1)
  })

  test("judges what a name resolves to now, not what it resolved to before", async () => {
    names.set("rebind.test", [["127.0.0.1"], ["127.0.0.2"]])
    const { port, count } = await counting()
    const { fetch } = await network({ denyPrivate: true, allowHosts: ["rebind.test", "127.0.0.1"] })
    const url = `http://rebind.test:${String(port)}/`
    expect(await (await fetch(url)).text()).toBe("here")
    expect(await callError(fetch(url))).toMatchObject({ details: { kind: "network_policy", host: "rebind.test", address: "127.0.0.2" } })
    expect(count()).toBe(1)
  })

  test("of several addresses connects to those that are allowed alone", async () => {
    names.set("both.test", [["10.0.0.1", "127.0.0.1"]])
    const { port } = await counting()
    const { fetch } = await network({ denyPrivate: true, allowHosts: ["both.test", "127.0.0.1"] })
    expect(await (await fetch(`http://both.test:${String(port)}/`)).text()).toBe("here")
  })
})

describe("allowHosts", () => {
  test.each([
    [["localhost"], "localhost", true],
    [["LocalHost."], "localhost", true],
    [["*.test"], "a.b.test", true],
    [["*.test"], "test", false],
    [["*.test"], "atest", false],
    [["a.test"], "b.a.test", false],
    [["127.0.0.1"], "127.1", true],
    [[], "localhost", false],
  ])("%j lets %s through: %s", async (allowHosts, host, expected) => {
    for (const name of ["a.b.test", "test", "atest", "b.a.test"]) names.set(name, [["127.0.0.1"]])
    const { port, count } = await counting()
    const { fetch } = await network({ allowHosts })
    const url = `http://${host}:${String(port)}/`
    if (expected) expect(await (await fetch(url)).text()).toBe("here")
    else expect(await callError(fetch(url))).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "network_policy", host, outcome: "not_started" } })
    expect(count()).toBe(expected ? 1 : 0)
  })
})

test("without a policy everything is reached, and a name without an address is a failure like any other", async () => {
  names.set("gone.test", [[]])
  const { port } = await counting()
  const { fetch } = await network()
  expect(await (await fetch(`http://127.0.0.1:${String(port)}/`)).text()).toBe("here")
  await expect(fetch("http://gone.test/")).rejects.toMatchObject({ cause: { code: "ENOTFOUND" } })
})

test("closing it cuts off what is under way", async () => {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const asked = new Promise<void>((resolve) => server.once("request", () => resolve()))
  const { fetch, close } = await network()
  const ended = expect(fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`)).rejects.toThrow()
  await asked
  await close()
  await ended
})
