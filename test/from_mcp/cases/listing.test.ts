/**
 * How the tools of a server are listed when the list is paged, malformed, endless or absent.
 *
 * One bad tool costs only itself, and nothing is lost in silence.
 */
import { describe, expect, test } from "vitest"
import { fromMCP, type MCPWarning } from "../../../src/from_mcp.js"
import { CallError } from "../../../src/error.js"
import { collectErrors } from "../../../src/schema.js"
import { toolsPort } from "../../fixtures/servers/in_memory.js"
import { callError, callerOf, connect, connectScripted, scriptedServer, toolOf } from "../../fixtures/servers/scripted.js"

const OBJECT = { type: "object" }
const names = (wrapper: { tools: readonly { name: string }[] }) => wrapper.tools.map(({ name }) => name)

describe("a tool that is odd costs only itself", () => {
  // anthropics/claude-code#88049, mastra-ai/mastra#18255, kaeawc/auto-mobile#973
  test("an input schema that is a union at its root is listed, accepts each branch and refuses what fits none", async () => {
    const { wrapper, call, log } = await connectScripted({
      tools: [
        { name: "ok", inputSchema: OBJECT },
        {
          name: "u",
          inputSchema: {
            anyOf: [
              { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
              { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
            ],
          },
        },
      ],
    })
    expect(names(wrapper)).toEqual(["ok", "u"])
    expect((await call("u", { id: "1" })).data).toEqual({ given: { id: "1" } })
    expect((await call("u", { url: "x" })).data).toEqual({ given: { url: "x" } })
    const refused = await callError(call("u", {}))
    expect(refused.code).toBe("VALIDATION_ERROR")
    expect(refused.details["outcome"]).toBe("not_started")
    expect(log.calls("u").map((params) => params.arguments)).toEqual([{ id: "1" }, { url: "x" }])
  })

  test("an unusable tool is rejected by name with a reason and a pointer, and reported; all others live", async () => {
    const warnings: MCPWarning[] = []
    const { wrapper, call } = await connectScripted(
      { tools: [{ name: "bad", inputSchema: "nope" }, { name: "ok", inputSchema: OBJECT }] },
      { onWarning: (warning) => warnings.push(warning) },
    )
    expect(names(wrapper)).toEqual(["ok"])
    expect(wrapper.rejected).toEqual([{ name: "bad", pointer: "/tools/0/inputSchema", reason: expect.stringMatching(/\w/) }])
    expect(warnings.filter(({ server, tool }) => server === "demo" && tool === "bad")).toHaveLength(1)
    expect((await call("ok", { a: 1 })).data).toEqual({ given: { a: 1 } })
  })

  test.each([
    ["null", null],
    ["a text", "tool"],
    ["a number", 5],
    ["an array", []],
    ["an object without a name", { inputSchema: OBJECT }],
    ["a name that is no text", { name: 7, inputSchema: OBJECT }],
    ["an input schema that is an array", { name: "x", inputSchema: [] }],
    ["an input schema that is a number", { name: "x", inputSchema: 5 }],
    ["an output schema that is a text", { name: "x", inputSchema: OBJECT, outputSchema: "nope" }],
  ])("an entry of the list that is %s never takes the others along, and never vanishes in silence", async (_, entry) => {
    const wrapper = await fromMCP("demo", toolsPort([{ name: "first", inputSchema: OBJECT }, entry, { name: "last", inputSchema: OBJECT }]))
    const listed = names(wrapper)
    expect(listed.at(0)).toBe("first")
    expect(listed.at(-1)).toBe("last")
    expect(listed.length + wrapper.rejected.length).toBe(3)
    for (const rejected of wrapper.rejected) expect(rejected.reason).toMatch(/\w/)
  })

  test("members of a wrong type beside the schemas do not cost the tool", async () => {
    const wrapper = await fromMCP(
      "demo",
      toolsPort([{ name: "x", title: 5, description: null, annotations: { readOnlyHint: "yes" }, icons: "none", _meta: null, inputSchema: { type: "object", properties: { b: true } } }]),
    )
    expect(names(wrapper)).toEqual(["x"])
    expect((await callerOf(wrapper)("x", { b: [1] })).data).toEqual({ given: { b: [1] } })
    expect(typeof wrapper.tools[0]?.description).toBe("string")
  })

  // zereight/gitlab-mcp#286, WebMCP-org/npm-packages#117
  test("an empty and an absent input schema mean any object", async () => {
    const { wrapper, call } = await connectScripted({ tools: [{ name: "get_cart", inputSchema: {} }, { name: "x" }, { name: "nil", inputSchema: null }] })
    expect(names(wrapper)).toEqual(["get_cart", "x", "nil"])
    for (const name of names(wrapper)) {
      expect((await call(name, {})).data).toEqual({ given: {} })
      expect((await callError(call(name, [1]))).code).toBe("VALIDATION_ERROR")
    }
  })

  // modelcontextprotocol/typescript-sdk#1175
  test("an output schema that names an absent definition is reported as a loss, and the answer passes unchanged", async () => {
    const sent = { a: { x: 1 } }
    const { wrapper, call } = await connectScripted({
      tools: [
        { name: "dangling", inputSchema: OBJECT, outputSchema: { type: "object", properties: { a: { $ref: "#/$defs/M" } } } },
        { name: "good", inputSchema: OBJECT },
      ],
      calls: { dangling: [{ result: { content: [], structuredContent: sent } }] },
    })
    expect(names(wrapper)).toEqual(["dangling", "good"])
    const losses = wrapper.diagnose().losses
    expect(losses).toHaveLength(1)
    expect(losses[0]).toMatchObject({ tool: "dangling", schema: "outputSchema", keyword: "$ref" })
    expect(losses[0]?.pointer).toMatch(/^\/properties\/a/)
    expect(losses[0]?.reason).toContain("#/$defs/M")
    const envelope = await call("dangling", {})
    expect(envelope.data).toEqual(sent)
    expect(envelope.meta).toMatchObject({ structuredContent: sent, isError: false, unchecked: [losses[0]?.pointer] })
  })

  test("a tool listed twice: the first wins, an equal second counts once, a differing second is rejected", async () => {
    const wrapper = await fromMCP(
      "demo",
      toolsPort([
        { name: "same", description: "d", inputSchema: OBJECT },
        { name: "same", description: "d", inputSchema: { type: "object" } },
        { name: "other", description: "first", inputSchema: OBJECT },
        { name: "other", description: "second", inputSchema: OBJECT },
      ]),
    )
    expect(wrapper.tools.map(({ name, description }) => [name, description])).toEqual([
      ["same", "d"],
      ["other", "first"],
    ])
    expect(wrapper.rejected.map(({ name }) => name)).toEqual(["other"])
  })

  test("a schema nested deeper than 256 is told about and does not harm the tools beside it", async () => {
    let schema: Record<string, unknown> = { type: "string" }
    for (let depth = 0; depth < 300; depth++) schema = { type: "object", properties: { a: schema } }
    const wrapper = await fromMCP("demo", toolsPort([{ name: "deep", inputSchema: schema }, { name: "ok", inputSchema: OBJECT }]))
    expect(names(wrapper)).toContain("ok")
    const deepIsTold = wrapper.rejected.some(({ name }) => name === "deep") || wrapper.diagnose().losses.some(({ tool }) => tool === "deep")
    expect(deepIsTold).toBe(true)
    expect((await callerOf(wrapper)("ok", {})).data).toEqual({ given: {} })
  })
})

describe("pages", () => {
  // vercel/ai#19240, github/copilot-cli#4006, knowsuchagency/mcp2cli#64, Factory-AI/factory#7
  test("every page is followed, an empty one too", async () => {
    const { wrapper, log } = await connectScripted({
      pages: [
        { tools: [{ name: "a", inputSchema: OBJECT }], nextCursor: "c1" },
        { tools: [], nextCursor: "c2" },
        { tools: [{ name: "b", inputSchema: OBJECT }] },
      ],
    })
    expect(names(wrapper)).toEqual(["a", "b"])
    expect(log.received("tools/list").map((params) => params.cursor)).toEqual([undefined, "c1", "c2"])
  })

  // DeusData/codebase-memory-mcp#1247
  test("a cursor that never advances ends the walk after the second page, with one warning and each tool once", async () => {
    const tools = Array.from({ length: 8 }, (_, index) => ({ name: `t${String(index)}`, inputSchema: OBJECT }))
    const { wrapper, log } = await connectScripted({ pages: [{ tools, nextCursor: "same" }] })
    expect(names(wrapper)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"])
    expect(log.received("tools/list")).toHaveLength(2)
    expect(wrapper.warnings).toHaveLength(1)
    expect(wrapper.warnings[0]).toMatchObject({ server: "demo", kind: "listing" })
    expect(wrapper.rejected).toEqual([])
  })

  test("a cursor that goes round in a circle ends the walk", async () => {
    const page = (name: string, nextCursor: string) => ({ tools: [{ name, inputSchema: OBJECT }], nextCursor })
    const { wrapper, log } = await connectScripted({ pages: [page("a", "1"), page("b", "2"), page("c", "1"), page("d", "2")] })
    expect(names(wrapper)).toEqual(["a", "b", "c"])
    expect(log.received("tools/list")).toHaveLength(3)
  })

  test.each([[null], [""], [5], [{}], [false]])("a next cursor that is no cursor (%j) ends the walk and loses nothing", async (nextCursor) => {
    const { wrapper, log } = await connectScripted({ pages: [{ tools: [{ name: "a", inputSchema: OBJECT }], nextCursor }] })
    expect(names(wrapper)).toEqual(["a"])
    expect(log.received("tools/list")).toHaveLength(1)
  })

  test.each([
    ["64 pages where nothing else is said", undefined, 64],
    ["as many pages as the host allows", { maxPages: 3 }, 3],
  ])("a listing without an end stops at %s, keeps what it has, and says so", async (_, options, pages) => {
    const { wrapper, log } = await connectScripted({ endless: true }, options)
    expect(log.received("tools/list")).toHaveLength(pages)
    expect(wrapper.tools).toHaveLength(pages)
    expect(wrapper.warnings.map(({ kind }) => kind)).toEqual(["listing"])
  })
})

describe("servers without tools", () => {
  // nicobailon/pi-mcp-adapter#220, huggingface/chat-ui#2505
  test("a server that does not announce tools has none and is not asked", async () => {
    const { wrapper, log } = await connectScripted({ initialize: { capabilities: { resources: {} } } })
    expect(wrapper.tools).toEqual([])
    expect(wrapper.status).toBe("ready")
    expect(log.received("tools/list")).toEqual([])
  })

  test("a server that answers the listing with -32601 has no tools", async () => {
    const { wrapper } = await connectScripted({ list: [{ error: { code: -32601, message: "tools not supported" } }] })
    expect(wrapper.tools).toEqual([])
    expect(wrapper.status).toBe("ready")
  })

  test("any other error of the listing is an error, with the server's own code", async () => {
    const { config } = scriptedServer({ list: [{ error: { code: -32603, message: "database gone", data: { hint: 1 } } }] })
    const error = await callError(connect("demo", config))
    expect(error.code).toBe("PROTOCOL_ERROR")
    expect(error.details).toMatchObject({ rpcCode: -32603, rpcData: { hint: 1 }, outcome: "failed" })
    expect(error.message).toContain("demo")
  })

  test.each([
    ["no list at all", {}],
    ["a list that is no array", { tools: "many" }],
    ["a list that is null", { tools: null }],
  ])("an answer with %s is never taken for a server without tools in silence", async (_, result) => {
    const { config } = scriptedServer({ list: [{ result }] })
    const told = await connect("demo", config).then(
      (wrapper) => wrapper.warnings.map(({ kind }) => kind),
      (error: unknown) => [error instanceof CallError ? error.code : error],
    )
    expect([["listing"], ["PROTOCOL_ERROR"]]).toContainEqual(told)
  })
})

test("a listed operation says what the server said: name, namespace, version, title, description, hints, icons, _meta", async () => {
  const inputSchema = { type: "object", properties: { parent: { $ref: "#/definitions/P", description: "where" } }, definitions: { P: { type: "object", required: ["id"] } } }
  const wrapper = await fromMCP(
    "demo",
    toolsPort([
      {
        name: "greet/tool",
        title: "Greet",
        description: "Says hello",
        inputSchema,
        annotations: { readOnlyHint: true, title: "G" },
        icons: [{ src: "data:image/png;base64,AA==" }],
        _meta: { vendor: { x: 1 } },
      },
    ]),
  )
  const operation = toolOf(wrapper)
  expect(operation).toMatchObject({
    name: "greet/tool",
    namespace: "demo",
    version: "7.8.9",
    // A hint is unverified, so nothing follows from it.
    type: "mutation",
    title: "Greet",
    description: "Says hello",
    annotations: { readOnlyHint: true, title: "G" },
    icons: [{ src: "data:image/png;base64,AA==" }],
    _meta: { vendor: { x: 1 } },
  })
  expect(collectErrors(operation.inputSchema, { parent: {} }).map(({ path }) => path)).toEqual(["/parent/id"])
  expect(wrapper.getTool("greet/tool")).toBe(operation)
  expect(wrapper.getTool("demo.greet/tool")).toBe(operation)
  expect(Object.isFrozen(wrapper.tools)).toBe(true)
})

test("a read-only hint makes a query only where the host trusts the server", async () => {
  const wrapper = await fromMCP(
    "demo",
    toolsPort([
      { name: "r", annotations: { readOnlyHint: true } },
      { name: "w", annotations: { readOnlyHint: false } },
      { name: "s", annotations: { readOnlyHint: "true" } },
    ]),
    { trusted: true },
  )
  expect(wrapper.tools.map(({ name, type }) => [name, type])).toEqual([
    ["r", "query"],
    ["w", "mutation"],
    ["s", "mutation"],
  ])
})
