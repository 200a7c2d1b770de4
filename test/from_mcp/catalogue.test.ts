import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { listTools, type ListSettings } from "../../src/from_mcp/catalogue.js"
import type { MCPPort } from "../../src/from_mcp/port.js"

type Page = Record<string, unknown> | CallError

async function list(pages: Page[] | ((request: number) => Page), more: Partial<ListSettings> & { capabilities?: Record<string, unknown> } = {}) {
  const cursors: unknown[] = []
  const warnings: string[] = []
  const port = {
    capabilities: more.capabilities ?? { tools: {} },
    request: async (_method: string, params: { cursor?: unknown }) => {
      cursors.push(params.cursor)
      const page = typeof pages === "function" ? pages(cursors.length) : pages[cursors.length - 1]
      if (page instanceof CallError) throw page
      return page
    },
    // The other members of a port have no part in a listing.
  } as unknown as MCPPort
  const listing = await listTools(port, { server: "demo", maxPages: 64, warn: (_kind, message) => warnings.push(message), deadline: Date.now() + 30_000, ...more })
  return { names: listing.tools.map((tool) => tool.name), listing, cursors, warnings }
}

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })
const rpcError = (rpcCode: number) => new CallError("PROTOCOL_ERROR", "m", { details: { rpcCode } })

describe("pages", () => {
  test("all are followed, an empty one does not stop the walk", async () => {
    const { names, cursors } = await list([{ tools: [tool("a")], nextCursor: "c1" }, { tools: [], nextCursor: "c2" }, { tools: [tool("b")] }])
    expect([names, cursors]).toEqual([["a", "b"], [undefined, "c1", "c2"]])
  })

  test("a repeated cursor ends the listing with one warning, and repeated tools count once", async () => {
    const { names, cursors, warnings } = await list(() => ({ tools: [tool("a"), tool("b")], nextCursor: "same" }))
    expect([names, cursors.length, warnings.length]).toEqual([["a", "b"], 2, 1])
  })

  test("the page limit ends a listing that would never end", async () => {
    const { cursors, warnings } = await list((request) => ({ tools: [tool(`t${request}`)], nextCursor: `c${request}` }), { maxPages: 5 })
    expect([cursors.length, warnings]).toEqual([5, ["The listing of tools was ended after 5 pages: no more than 5 pages are followed"]])
  })

  test.each([[undefined], [null], [""]])("a cursor %j is the end", async (nextCursor) => {
    expect((await list([{ tools: [tool("a")], nextCursor }])).cursors).toEqual([undefined])
  })

  test("a cursor that is no text ends the listing with a warning", async () => {
    const { names, warnings } = await list([{ tools: [tool("a")], nextCursor: 7 }])
    expect([names, warnings.length]).toEqual([["a"], 1])
  })
})

describe("servers without tools", () => {
  test("nothing is asked where the capability is missing", async () => {
    expect(await list([], { capabilities: { resources: {} } })).toMatchObject({ names: [], cursors: [] })
  })

  test("-32601 is an empty listing, every other error is an error", async () => {
    expect((await list([rpcError(-32601)])).names).toEqual([])
    await expect(list([rpcError(-32603)])).rejects.toMatchObject({ details: { rpcCode: -32603 } })
  })

  test("tools: null is an empty page with a warning, tools that are no list are an error", async () => {
    expect(await list([{ tools: null }])).toMatchObject({ names: [], warnings: [expect.stringContaining("no list of tools")] })
    await expect(list([{ tools: {} }])).rejects.toMatchObject({ code: "PROTOCOL_ERROR", details: { pointer: "/tools" } })
  })
})

describe("single tools", () => {
  test.each([
    ["a name that is missing", { inputSchema: {} }, { name: "", reason: "the name of the tool is undefined, not a text", pointer: "/tools/1/name" }],
    ["an empty name", { name: "" }, { name: "", reason: "the name of the tool is empty", pointer: "/tools/1/name" }],
    ["an input schema that is a text", { name: "u", inputSchema: "nope" }, { name: "u", reason: "the inputSchema is a string, not a schema of an object", pointer: "/tools/1/inputSchema" }],
    ["an input schema that is a list", { name: "u", inputSchema: [] }, { name: "u", reason: "the inputSchema is a list, not a schema of an object", pointer: "/tools/1/inputSchema" }],
    ["null", null, { name: "", reason: "the tool is null, not an object", pointer: "/tools/1" }],
  ])("%s costs that tool only, with a warning that names server and reason", async (_name, bad, rejected) => {
    const { names, listing, warnings } = await list([{ tools: [tool("a"), bad, tool("c")] }])
    expect(names).toEqual(["a", "c"])
    expect(listing.rejected).toEqual([rejected])
    expect(warnings).toEqual([`Server "demo", tool "${rejected.name}" cannot be used: ${rejected.reason} (${rejected.pointer})`])
  })

  test.each([[undefined], [null], [{}], [true]])("an input schema %j means any object", async (inputSchema) => {
    expect((await list([{ tools: [{ name: "a", inputSchema }] }])).listing.tools[0]?.inputSchema).toEqual({ type: "object" })
  })

  test("odd members are left out with a warning, and the tool lives", async () => {
    const { listing, warnings } = await list([{ tools: [tool("a", { title: 5, description: {}, annotations: "x", icons: {}, _meta: [], outputSchema: "nope" })] }])
    expect(listing.tools).toMatchObject([{ name: "a", title: undefined, description: "", annotations: undefined, icons: undefined, meta: undefined, outputSchema: undefined }])
    expect(warnings).toHaveLength(6)
  })

  test("members that are null are left out without a word", async () => {
    const { warnings } = await list([{ tools: [tool("a", { title: null, description: null, annotations: null, icons: null, _meta: null, outputSchema: null })] }])
    expect(warnings).toEqual([])
  })

  test("odd annotations are kept as sent", async () => {
    expect((await list([{ tools: [tool("a", { annotations: { readOnlyHint: "yes", x: null } })] }])).listing.tools[0]?.annotations).toEqual({ readOnlyHint: "yes", x: null })
  })

  test("of two tools with one name the first counts and a differing second is rejected", async () => {
    const { names, listing } = await list([{ tools: [tool("a", { description: "1" }), { inputSchema: { type: "object" }, description: "1", name: "a" }, tool("a", { description: "2" })] }])
    expect(names).toEqual(["a"])
    expect(listing.rejected).toEqual([{ name: "a", reason: "another tool of this name was listed before and differs; the first one counts", pointer: "/tools/2" }])
  })
})
