/**
 * Real MCP servers and a local operation that composes two of them, called through the call protocol in process.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Type } from "@sinclair/typebox"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildCallHandler, createInProcessTransport, PendingRequestMap } from "../../src/call.js"
import { MCPClientLoader } from "../../src/from_mcp.js"
import { defineOperation } from "../../src/operation.js"
import { filter } from "../../src/middleware.js"
import { OperationRegistry } from "../../src/registry.js"

const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))

describe("operations of real servers through PendingRequestMap", () => {
  const loader = new MCPClientLoader()
  const registry = new OperationRegistry()
  const transport = createInProcessTransport()
  const map = new PendingRequestMap({ transport })
  let folder = ""

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mcp-operations-"))
    await writeFile(join(folder, "greeting.txt"), "hello from a file")
    const env = { HOME: folder, PATH: process.env["PATH"] ?? "" }
    const stopFollowing = loader.registerAll(registry)
    expect(stopFollowing).toBeTypeOf("function")
    const outcomes = await loader.load(
      {
        servers: {
          everything: { command: bin("mcp-server-everything"), env, cwd: folder },
          files: { command: bin("mcp-server-filesystem"), args: [folder], env, cwd: folder },
        },
      },
      { clients: { files: { access: { requiredScopes: ["files"] } } } },
    )
    expect(outcomes.map(({ name, ok }) => [name, ok])).toEqual([
      ["everything", true],
      ["files", true],
    ])
    registry.register(
      defineOperation({
        namespace: "local",
        name: "announce",
        inputSchema: Type.Object({ path: Type.String() }),
        outputSchema: Type.Object({ text: Type.String() }),
        handler: async ({ path }, { env: operations }) => {
          const file = await operations?.["files"]?.["read_text_file"]?.({ path })
          const { content } = file?.data as { content: string }
          const echo = await operations?.["everything"]?.["echo"]?.({ message: content })
          const [block] = echo?.data as [{ text: string }]
          return { text: block.text }
        },
      }),
    )
    buildCallHandler({ registry, transport })
  }, 180_000)

  afterAll(async () => {
    await map.close()
    await transport.close()
    await loader.closeAll()
    await rm(folder, { recursive: true, force: true })
  })

  const identity = { id: "ada", scopes: ["files"] }

  test("a tool's answer arrives as the envelope that its handler gave", async () => {
    const { data, meta } = await map.call("everything.get-structured-content", { location: "Chicago" })
    expect(data).toEqual({ temperature: 36, conditions: "Light rain / drizzle", humidity: 82 })
    expect(meta).toMatchObject({ source: "mcp", server: "everything", tool: "get-structured-content", isError: false, conformance: "exact" })
  })

  test("a local operation composes tools of two servers with its caller's rights", async () => {
    const { data, meta } = await map.call("local.announce", { path: join(folder, "greeting.txt") }, { identity })
    expect(data).toEqual({ text: "Echo: hello from a file" })
    expect(meta).toMatchObject({ source: "local", operationId: "local.announce" })
    await expect(map.call("local.announce", { path: join(folder, "greeting.txt") })).rejects.toMatchObject({
      code: "ACCESS_DENIED",
      details: { operationId: "files.read_text_file" },
    })
  })

  test("an answer that says isError is an answer", async () => {
    const { meta } = await map.call("files.read_text_file", { path: join(folder, "..", "outside.txt") }, { identity })
    expect(meta).toMatchObject({ source: "mcp", isError: true })
  })

  test("an input that does not fit is refused with its pointer, and nothing is sent", async () => {
    await expect(map.call("everything.get-sum", { a: 2, b: "3" })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      details: { issues: [{ path: "/b" }], outcome: "not_started" },
    })
  })

  test("progress of a tool reaches the caller, and an abort stops the tool", async () => {
    const steps: number[] = []
    await map.call("everything.trigger-long-running-operation", { duration: 0.4, steps: 4 }, { onProgress: ({ progress }) => steps.push(progress) })
    expect(steps).toEqual([1, 2, 3, 4])
    const abort = new AbortController()
    const begun = Date.now()
    const call = map.call("everything.trigger-long-running-operation", { duration: 30, steps: 30 }, { signal: abort.signal })
    setImmediate(() => abort.abort())
    await expect(call).rejects.toMatchObject({ code: "ABORTED" })
    expect(Date.now() - begun).toBeLessThan(5_000)
  })

  test("a denying middleware stops the road to a server", async () => {
    const remove = registry.use(filter({ deny: ["everything.*"] }))
    await expect(map.call("everything.echo", { message: "hi" })).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    remove()
    expect((await map.call("everything.echo", { message: "hi" })).data).toEqual([{ type: "text", text: "Echo: hi" }])
  })

  test("closing the loader takes its operations out of the registry", async () => {
    expect(registry.list().length).toBeGreaterThan(20)
    await loader.closeAll()
    expect(registry.list()).toEqual(["local.announce"])
  })
})
