/**
 * How far a server may reach that a config of the folder names.
 */
import { createHash } from "node:crypto"
import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { networkFor, rememberFound } from "../../../src/cli/source/found_servers.js"
import { remember, trustFile } from "../../../src/cli/source/trust_store.js"
import { jsonHere } from "../../fixtures/cli_host.js"
import { serverByHand } from "../../fixtures/servers/http_by_hand.js"
import { testFolder } from "../../fixtures/servers/scripted.js"

vi.mock(import("node:dns"), async (original) => {
  const dns = await original()
  const lookup = (name: string, options: object, callback: (error: Error | null, addresses: unknown) => void): void => {
    if (name === "inside.test") callback(null, [{ address: "127.0.0.1", family: 4 }])
    else dns.lookup(name, options, callback as never)
  }
  return { ...dns, lookup: lookup as never }
})

test.each([
  ["https://api.example.org/mcp", { denyPrivate: true }],
  ["http://localhost:3000/mcp", undefined],
  ["http://app.localhost/mcp", undefined],
  ["http://127.0.0.1:3000/mcp", undefined],
  ["http://[::1]/mcp", undefined],
  ["http://notlocalhost/mcp", { denyPrivate: true }],
])("%s: %j", (url, expected) => {
  const server = { url }
  expect(networkFor(server)).toBeUndefined()
  rememberFound([server])
  expect(networkFor(server)).toEqual(expected)
})

test("a name in a config of the folder leads to no private address, and one that the user gives does", async () => {
  const server = await serverByHand()
  const url = server.url.replace("127.0.0.1", "inside.test")
  const cwd = realpathSync(testFolder())
  const env = { XDG_CONFIG_HOME: testFolder() }
  const file = join(cwd, ".mcp.json")
  const text = JSON.stringify({ mcpServers: { inside: { url } } })
  writeFileSync(file, text)
  await remember(trustFile(env), file, createHash("sha256").update(text).digest("hex"))

  const found = await jsonHere(["list"], { cwd, env })
  expect(found).toMatchObject({ status: 3, document: { error: { code: "TRANSPORT_ERROR", details: { kind: "network_policy", host: "inside.test", outcome: "not_started" } } } })
  expect(found.document.error.message).toContain("network.denyPrivate")
  expect(server.requests).toEqual([])
  expect((await jsonHere(["list", "--config", file], { env })).document.operations).toHaveLength(1)
})
