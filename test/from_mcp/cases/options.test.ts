/**
 * What a host says about a client, where getting it wrong would be silent: access, warnings, names.
 */
import { describe, expect, test } from "vitest"
import { fromMCP } from "../../../src/from_mcp.js"
import { toolsPort } from "../../fixtures/servers/in_memory.js"
import { callError, callerOf, connect, connectScripted, scriptedServer } from "../../fixtures/servers/scripted.js"

describe("access", () => {
  const TOOLS = [
    { name: "read", annotations: { readOnlyHint: true } },
    { name: "write", annotations: { readOnlyHint: false } },
  ]

  test("one requirement stands on every operation", async () => {
    const wrapper = await fromMCP("demo", toolsPort(TOOLS), { access: { requiredScopes: ["mcp"] } })
    expect(wrapper.tools.map(({ accessControl }) => accessControl)).toEqual([{ requiredScopes: ["mcp"] }, { requiredScopes: ["mcp"] }])
  })

  test("a function decides for each tool as the server listed it", async () => {
    const wrapper = await fromMCP("demo", toolsPort(TOOLS), {
      access: (tool) => (tool.name === "write" ? { requiredScopes: ["write"] } : undefined),
    })
    expect(wrapper.tools.map(({ name, accessControl }) => [name, accessControl])).toEqual([
      ["read", undefined],
      ["write", { requiredScopes: ["write"] }],
    ])
  })

  test("a function that throws never leaves its tool open", async () => {
    const open = await fromMCP("demo", toolsPort(TOOLS), {
      access: (tool) => {
        if (tool.name === "write") throw new Error("no rule")
        return undefined
      },
    }).then(
      (wrapper) => wrapper.tools.filter(({ accessControl }) => accessControl === undefined).map(({ name }) => name),
      () => [],
    )
    expect(open).not.toContain("write")
  })
})

test("a listener of warnings that throws stops nothing", async () => {
  const { call, wrapper } = await connectScripted(
    { tools: [{ name: "t" }, { name: "bad", inputSchema: 5 }], calls: { t: [{ raw: "junk\n" }, { echo: true }] } },
    {
      onWarning: () => {
        throw new Error("thrown by the host")
      },
    },
  )
  expect((await call("t", {})).data).toEqual({ given: {} })
  expect(wrapper.warnings.map(({ kind }) => kind)).toEqual(["tool", "junk"])
})

test("the client introduces itself as the host says", async () => {
  const { log } = await connectScripted({ tools: [] }, { clientInfo: { name: "my-host", version: "9.9.9" } })
  expect(log.received("initialize")).toMatchObject([{ clientInfo: { name: "my-host", version: "9.9.9" } }])
})

test("what the server says of itself is there as it said it", async () => {
  const { wrapper } = await connectScripted({
    initialize: { serverInfo: { name: "a b/c@1", version: "", title: "T" }, instructions: "Use me", capabilities: { tools: {}, odd: { x: 1 } }, protocolVersion: "2024-11-05" },
    tools: [{ name: "t" }],
  })
  expect(wrapper.server).toMatchObject({ name: "a b/c@1", version: "", protocolVersion: "2024-11-05", instructions: "Use me", capabilities: { tools: {}, odd: { x: 1 } } })
  expect(wrapper.name).toBe("demo")
  expect(wrapper.tools[0]?.namespace).toBe("demo")
})

test("input that leaves out what is required is refused when nothing is given, too", async () => {
  const wrapper = await fromMCP("demo", toolsPort([{ name: "t", inputSchema: { type: "object", properties: { a: {} }, required: ["a"] } }]))
  for (const input of [undefined, null, {}]) {
    const error = await callError(callerOf(wrapper)("t", input))
    expect([error.code, error.details["outcome"]]).toEqual(["VALIDATION_ERROR", "not_started"])
  }
})

test.each([
  ["neither command nor url", {}],
  ["a url that is none", { url: "not a url" }],
  ["a url of another kind", { url: "file:///etc/passwd" }],
  ["an empty command", { command: "" }],
  ["both a command and a url", { command: "x", url: "http://127.0.0.1:1/" }],
])("a config with %s is told as one, and starts nothing", async (_, config) => {
  const error = await callError(connect("demo", config as never))
  expect(error.code).toBe("CONFIGURATION_ERROR")
  expect(error.message).toContain("demo")
})

test("a signal that was given beforehand starts nothing", async () => {
  const { config, log } = scriptedServer({ tools: [] })
  const error = await callError(connect("demo", config, { signal: AbortSignal.abort() }))
  expect(error.code).toBe("ABORTED")
  expect(log.starts()).toEqual([])
})
