import { describe, expect, test } from "vitest"
import { closeMCPClient, createMCPClient } from "../src/from_mcp.js"

const everything = { command: process.execPath, args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"] }

describe("createMCPClient on a real server", () => {
  test("lists the tools, calls them, and gives envelopes", async () => {
    const wrapper = await createMCPClient("everything", everything)
    expect(wrapper.tools.map((tool) => tool.name)).toContain("get-structured-content")
    expect(wrapper.rejected).toEqual([])
    expect(wrapper.server).toMatchObject({ name: "mcp-servers/everything", version: "2.0.0" })
    expect(await wrapper.getTool("echo")?.handler({ message: "hi" })).toEqual({
      data: [{ type: "text", text: "Echo: hi" }],
      meta: { source: "mcp", server: "everything", tool: "echo", isError: false, content: [{ type: "text", text: "Echo: hi" }], dataFrom: "content", conformance: "untyped" },
    })
    const structured = await wrapper.getTool("everything.get-structured-content")?.handler({ location: "New York" })
    expect(structured).toMatchObject({ data: { temperature: 33, conditions: "Cloudy", humidity: 82 }, meta: { conformance: "exact", dataFrom: "structuredContent" } })
    await expect(wrapper.getTool("echo")?.handler({ message: 5 })).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { outcome: "not_started", issues: [{ path: "/message" }] } })
    await closeMCPClient(wrapper)
    expect(wrapper.status).toBe("closed")
    await expect(wrapper.getTool("echo")?.handler({ message: "hi" })).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
  })
})
