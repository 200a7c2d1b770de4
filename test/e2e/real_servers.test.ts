/**
 * Servers as people run them: everything over stdio and Streamable HTTP, filesystem, memory.
 *
 * Each has a folder and a HOME of its own and an environment that is stated; nothing is fetched. What the servers answer is
 * stated here as recorded from them.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createMCPClient, type MCPClientWrapper } from "../../src/from_mcp.js"
import type { ResponseEnvelope } from "../../src/envelope.js"
import { everythingOverHTTP } from "../fixtures/servers/http_everything.js"
import { openScope } from "../fixtures/servers/scope.js"
import { callerOf } from "../fixtures/servers/scripted.js"

const { scope, end } = openScope()
afterAll(end)

const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-operations-real-")))
scope(() => rmSync(folder, { recursive: true, force: true }))
const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))
const env = { HOME: folder, PATH: process.env["PATH"] ?? "", TMPDIR: folder }

async function open(name: string, config: Parameters<typeof createMCPClient>[1]): Promise<MCPClientWrapper> {
  const wrapper = await createMCPClient(name, config)
  scope(() => wrapper.close())
  return wrapper
}

function stdio(program: string, args: string[] = [], more: Record<string, string> = {}) {
  return { command: process.execPath, args: [bin(program), ...args], env: { ...env, ...more }, cwd: folder }
}

/** What is compared with the stated value: an image stands for its bytes. */
function shown({ data, meta }: ResponseEnvelope) {
  return { data: bytesOf(data), meta: bytesOf(meta) }
}
function bytesOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === "data" && typeof member === "string" ? `sha256 ${createHash("sha256").update(Buffer.from(member, "base64")).digest("hex")}` : member,
  )
}
const TINY_IMAGE = "sha256 4466be3b7a0e51778f8634f5e984197ec35c748caf4c3b32763f89c577d29614"
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more })
const image = { type: "image", data: TINY_IMAGE, mimeType: "image/png" }

const EVERYTHING_TOOLS = [
  "echo",
  "get-annotated-message",
  "get-env",
  "get-resource-links",
  "get-resource-reference",
  "get-structured-content",
  "get-sum",
  "get-tiny-image",
  "gzip-file-as-resource",
  "simulate-research-query",
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-long-running-operation",
]

/** Tool, input, and either the blocks or the whole of data and meta. */
const EVERYTHING_CALLS: [string, unknown, unknown[], Record<string, unknown>?][] = [
  ["echo", { message: "hi" }, [text("Echo: hi")]],
  ["get-sum", { a: 2, b: 3 }, [text("The sum of 2 and 3 is 5.")]],
  ["get-tiny-image", {}, [text("Here's the image you requested:"), image, text("The image above is the MCP logo.")]],
  [
    "get-annotated-message",
    { messageType: "error", includeImage: true },
    [
      text("Error: Operation failed", { annotations: { audience: ["user", "assistant"], priority: 1 } }),
      { ...image, annotations: { audience: ["user"], priority: 0.5 } },
    ],
  ],
  ["get-annotated-message", { messageType: "success" }, [text("Operation completed successfully", { annotations: { audience: ["user"], priority: 0.7 } })]],
  [
    "get-resource-links",
    { count: 2 },
    [
      text("Here are 2 resource links to resources available in this server:"),
      { type: "resource_link", name: "Blob Resource 1", uri: "demo://resource/dynamic/blob/1", description: "Resource 1: plaintext resource", mimeType: "text/plain" },
      { type: "resource_link", name: "Text Resource 2", uri: "demo://resource/dynamic/text/2", description: "Resource 2: plaintext resource", mimeType: "text/plain" },
    ],
  ],
  [
    "get-resource-reference",
    { resourceType: "Blob", resourceId: 2 },
    [
      text("Returning resource reference for Resource 2:"),
      { type: "resource", resource: { uri: "demo://resource/dynamic/blob/2", mimeType: "text/plain", blob: expect.stringMatching(/^UmVzb3VyY2UgMjog/) } },
      text("You can access this resource using the URI: demo://resource/dynamic/blob/2"),
    ],
  ],
  [
    "gzip-file-as-resource",
    { name: "x.gz", data: "data:text/plain;base64,aGVsbG8=", outputType: "resource" },
    [{ type: "resource", resource: { uri: "demo://resource/session/x.gz", mimeType: "application/gzip", blob: expect.stringMatching(/^H4sIA/) } }],
  ],
  ["trigger-long-running-operation", { duration: 0.1, steps: 2 }, [text("Long running operation completed. Duration: 0.1 seconds, Steps: 2.")]],
  ["simulate-research-query", { topic: "x" }, [text("MCP error -32601: Tool simulate-research-query requires task augmentation (taskSupport: 'required')")], { isError: true }],
]

describe.each<[string, () => Promise<MCPClientWrapper>]>([
  ["everything over stdio", () => open("everything", stdio("mcp-server-everything"))],
  ["everything over Streamable HTTP", async () => open("everything", { url: (await everythingOverHTTP("streamableHttp", scope)).url })],
])("%s", (_, start) => {
  let wrapper: MCPClientWrapper
  beforeAll(async () => {
    wrapper = await start()
  }, 120_000)

  test("says who it is and lists all its tools", () => {
    expect(wrapper.status).toBe("ready")
    expect(wrapper.server).toMatchObject({ name: "mcp-servers/everything", version: "2.0.0", protocolVersion: "2025-11-25" })
    expect(wrapper.tools.map(({ name }) => name).sort()).toEqual(EVERYTHING_TOOLS)
    expect(wrapper.rejected).toEqual([])
    expect(wrapper.diagnose()).toEqual({ rejected: [], losses: [] })
  })

  test.each(EVERYTHING_CALLS)("%s %j", async (tool, input, content, meta = {}) => {
    const envelope = await callerOf(wrapper)(tool, input)
    expect(shown(envelope)).toEqual({
      data: content,
      meta: { source: "mcp", server: "everything", tool, isError: false, content, dataFrom: "content", conformance: "untyped", ...meta },
    })
  })

  test("structured content that fits its schema", async () => {
    const weather = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 }
    expect(await callerOf(wrapper)("get-structured-content", { location: "Chicago" })).toEqual({
      data: weather,
      meta: {
        source: "mcp",
        server: "everything",
        tool: "get-structured-content",
        isError: false,
        content: [text('{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}')],
        structuredContent: weather,
        dataFrom: "structuredContent",
        conformance: "exact",
      },
    })
  })

  test("an input that the schema refuses is not sent", async () => {
    await expect(callerOf(wrapper)("echo", { message: 5 })).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { issues: [{ path: "/message" }] } })
  })
})

describe("filesystem", () => {
  let wrapper: MCPClientWrapper
  const file = join(folder, "a.txt")
  beforeAll(async () => {
    wrapper = await open("files", stdio("mcp-server-filesystem", [folder]))
  })
  const ok = (tool: string, content: string) => ({
    data: { content },
    meta: {
      source: "mcp",
      server: "files",
      tool,
      isError: false,
      content: [text(content)],
      structuredContent: { content },
      dataFrom: "structuredContent",
      conformance: "exact",
    },
  })

  test("lists its fourteen tools", () => {
    expect(wrapper.tools.map(({ name }) => name)).toEqual([
      "read_file",
      "read_text_file",
      "read_media_file",
      "read_multiple_files",
      "write_file",
      "edit_file",
      "create_directory",
      "list_directory",
      "list_directory_with_sizes",
      "directory_tree",
      "move_file",
      "search_files",
      "get_file_info",
      "list_allowed_directories",
    ])
    expect(wrapper.diagnose()).toEqual({ rejected: [], losses: [] })
  })

  test("writes, reads and shows a file", async () => {
    const call = callerOf(wrapper)
    expect(await call("write_file", { path: file, content: "one\ntwo\n" })).toEqual(ok("write_file", `Successfully wrote to ${file}`))
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n")
    expect(await call("read_text_file", { path: file, head: 1 })).toEqual(ok("read_text_file", "one"))
    expect(await call("list_allowed_directories", {})).toEqual(ok("list_allowed_directories", `Allowed directories:\n${folder}`))
    expect(await call("edit_file", { path: file, edits: [{ oldText: "one", newText: "1" }], dryRun: true })).toMatchObject({
      data: { content: expect.stringContaining("-one\n+1\n two") },
      meta: { conformance: "exact", isError: false },
    })
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n")
  })

  test("reads a picture as an image", async () => {
    const picture = join(folder, "p.png")
    writeFileSync(picture, Buffer.from([1, 2, 3]))
    const block = { type: "image", data: "AQID", mimeType: "image/png" }
    expect(await callerOf(wrapper)("read_media_file", { path: picture })).toMatchObject({ data: { content: [block] }, meta: { content: [block], conformance: "exact" } })
  })

  test("a path outside its folder is an error result, not an exception", async () => {
    const said = [text(`Access denied - path outside allowed directories: /etc/hostname not in ${folder}`)]
    expect(await callerOf(wrapper)("read_text_file", { path: "/etc/hostname" })).toEqual({
      data: said,
      meta: { source: "mcp", server: "files", tool: "read_text_file", isError: true, content: said, dataFrom: "content", conformance: "untyped" },
    })
  })
})

describe("memory", () => {
  let wrapper: MCPClientWrapper
  beforeAll(async () => {
    wrapper = await open("memory", stdio("mcp-server-memory", [], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }))
  })
  const ann = { name: "Ann", entityType: "person", observations: ["likes tea"] }

  test("lists its nine tools", () => {
    expect(wrapper.tools.map(({ name }) => name)).toEqual([
      "create_entities",
      "create_relations",
      "add_observations",
      "delete_entities",
      "delete_observations",
      "delete_relations",
      "read_graph",
      "search_nodes",
      "open_nodes",
    ])
    expect(wrapper.rejected).toEqual([])
  })

  test("keeps what it is told, and answers in structured data", async () => {
    const call = callerOf(wrapper)
    expect(await call("create_entities", { entities: [ann] })).toMatchObject({ data: { entities: [ann] }, meta: { conformance: "exact" } })
    expect(await call("search_nodes", { query: "tea" })).toMatchObject({ data: { entities: [ann], relations: [] }, meta: { conformance: "exact" } })
    for (const nothing of [undefined, {}]) {
      expect(await call("read_graph", nothing)).toMatchObject({ data: { entities: [ann], relations: [] }, meta: { conformance: "exact", isError: false } })
    }
    expect(await call("add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] })).toEqual({
      data: [text("Entity with name Nobody not found")],
      meta: {
        source: "mcp",
        server: "memory",
        tool: "add_observations",
        isError: true,
        content: [text("Entity with name Nobody not found")],
        dataFrom: "content",
        conformance: "untyped",
      },
    })
  })
})
