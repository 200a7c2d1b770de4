/**
 * `mcp-operations nats-config`, and what it refuses of the member `nats`.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonHere, runHere } from "../fixtures/cli_host.js"
import { describeWithNATS, natsServer } from "../fixtures/nats_server.js"

let folder: string
let file: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-nats-config-"))
  file = join(folder, "servers.json")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function natsConfig(text: string, ...words: string[]) {
  await writeFile(file, text)
  return runHere(["nats-config", "--config", file, ...words])
}

const GOOD = `\uFEFF{
  // The servers are not started, and their variables are not read.
  "mcpServers": { "files": { "command": "no-such-program", "env": { "KEY": "\${NOT_SET_ANYWHERE}" } } },
  "nats": {
    "callers": {
      "alice": { "scopes": ["files:read"], "resources": { "repo": ["read"] } },
      "__proto__": { "scopes": [], "operations": ["files.*"], },
    },
    "workers": { "w1": { "expose": ["files.*"] } },
    "monitor": "ops-monitor",
    "prefix": "shop",
  },
}`

test("prints the text of the file, into a pipe too", async () => {
  const { status, stdout, stderr } = await natsConfig(GOOD)
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  expect(stdout).toMatch(/^# Configuration of nats-server/)
  expect(stdout.endsWith("  ]\n}\n")).toBe(true)
  for (const part of ['user: "alice", password: $NATS_PASSWORD_ALICE\n', '"shop.v1.call.__proto__.files.>"', '"shop.v1.call.*.files.> ops"', 'user: "ops-monitor"']) expect(stdout).toContain(part)
  expect(stdout).not.toContain("files:read")
})

test("--json wraps the text in a document", async () => {
  const { stdout } = await natsConfig(GOOD)
  const { status, document } = await jsonHere(["nats-config", "--config", file, "--json"])
  expect(status).toBe(0)
  expect(document).toEqual({ config: stdout.trimEnd() + "\n" })
})

test("a config with a member nats is a config of MCP servers as before", async () => {
  await writeFile(file, GOOD.replace("${NOT_SET_ANYWHERE}", ""))
  const { document, stderr } = await jsonHere(["list", "--config", file])
  expect(document.error).toMatchObject({ code: "TRANSPORT_ERROR", message: expect.stringContaining("no-such-program") })
  expect(stderr).not.toContain("nats")
})

describe("refuses", () => {
  const worker = '"workers": { "w1": { "expose": ["files.*"] } }'
  test.each([
    ["a text that is no JSON", "{ nats }", "", /:1:3: not valid JSON/],
    ["a config without the member", '{ "mcpServers": {} }', "/nats", /has no member "nats"/],
    ["a member that is no object", '{ "nats": [] }', "/nats", /:1:11: .*object/],
    ["a name that stands twice", '{ "nats": { "callers": {\n "a": { "scopes": [] },\n "a": { "scopes": ["all"] } } } }', "/nats/callers/a", /:3:2: the name stands here a second time/],
    ["two members nats", '{ "nats": {},\n"nats": {} }', "/nats", /:2:1: the name stands here a second time/],
    ["a caller without scopes", '{ "nats": { "callers": {\n "a": {} } } }', "/nats/callers/a/scopes", /:2:7: is required/],
    ["a member that is misspelt", '{ "nats": { "callers": { "a": { "scopes": [], "operation": [] } } } }', "/nats/callers/a/operation", /not a known property/],
    ["resources of a wrong form", '{ "nats": { "callers": { "a/b": { "scopes": [], "resources": { "repo": "read" } } } } }', "/nats/callers/a~1b/resources/repo", /must be an array/],
    ["a worker that exposes nothing", '{ "nats": { "workers": { "w": { "expose": [] } } } }', "/nats/workers/w/expose", /at least 1/],
    ["a monitor that is no text", `{ "nats": { ${worker}, "monitor": 1 } }`, "/nats/monitor", /must be a string/],
    ["a pattern that subjects cannot say", `{ "nats": { ${worker}, "callers": { "a": { "scopes": [], "operations": ["files.get_*"] } } } }`, "/nats/callers/a/operations/0", /cannot tell the operations/],
    ["a name that is no token", `{ "nats": { ${worker}, "callers": { "a.b": { "scopes": [] } } } }`, "/nats/callers/a.b", /cannot be the name of a caller/],
    ["two names with one variable", `{ "nats": { ${worker}, "callers": { "W1": { "scopes": [] } } } }`, "/nats/workers/w1", /NATS_PASSWORD_W1/],
    ["nobody", '{ "nats": {} }', "/nats", /lets everybody do everything/],
  ])("%s, with file and pointer", async (_what, text, pointer, message) => {
    const { status, stdout } = await natsConfig(text)
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({ code: "CONFIGURATION_ERROR", message: expect.stringMatching(message), details: { file, pointer, remedy: expect.any(String) } })
    expect(JSON.parse(stdout).error.message).toContain(file)
  })

  test("a file that is not there", async () => {
    const { status, stdout } = await runHere(["nats-config", "--config", join(folder, "none.json")])
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error.message).toMatch(/none\.json cannot be read \(ENOENT\)/)
  })

  test("a command line without a config, and says how it is done", async () => {
    const { status, stdout } = await runHere(["nats-config"])
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error.message).toContain("--config")
    expect((await runHere(["nats-config", "--help"])).stdout).toContain('"workers": { "w1": { "expose": ["files.*"] } }')
  })
})

describeWithNATS("nats-server", () => {
  test("takes what was printed", async () => {
    const { stdout } = await natsConfig(GOOD)
    const env = { NATS_PASSWORD_ALICE: '"of alice"', NATS_PASSWORD___PROTO__: "x", NATS_PASSWORD_W1: "x", NATS_PASSWORD_OPS_MONITOR: "x" }
    const server = await natsServer({ config: stdout, env })
    try {
      await (await connect({ servers: server.url, user: "alice", pass: "of alice", reconnect: false })).close()
    } finally {
      await server.stop()
    }
  })
})
