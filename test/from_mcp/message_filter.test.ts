import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, test } from "vitest"
import { filterMessage } from "../../src/from_mcp/message_filter.js"

function filter(message: unknown) {
  const reports: string[] = []
  return { message: filterMessage(message, (text) => reports.push(text)), reports }
}

describe("messages that the SDK accepts", () => {
  test.each<[string, unknown]>([
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }],
    ["a result with _meta", { jsonrpc: "2.0", id: "a", result: { _meta: { progressToken: 1, "io.modelcontextprotocol/related-task": { taskId: "t" } } } }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: -1, message: "m", data: [1] } }],
    ["a request", { jsonrpc: "2.0", id: 1, method: "roots/list" }],
    ["a notification", { jsonrpc: "2.0", method: "n", params: { _meta: {} } }],
  ])("%s passes as the same object", (_name, message) => {
    expect(filter(message)).toEqual({ message, reports: [] })
    expect(filter(message).message).toBe(message)
    expect(JSONRPCMessageSchema.safeParse(message).success).toBe(true)
  })
})

describe("messages that the SDK would discard", () => {
  test.each<[string, unknown, unknown, number]>([
    ["a notification with _meta null", { jsonrpc: "2.0", method: "n", params: { _meta: null, a: 1 } }, { jsonrpc: "2.0", method: "n", params: { a: 1 } }, 1],
    ["a notification with params null", { jsonrpc: "2.0", method: "n", params: null }, { jsonrpc: "2.0", method: "n" }, 1],
    ["a notification with a list of params", { jsonrpc: "2.0", method: "n", params: [1] }, { jsonrpc: "2.0", method: "n" }, 1],
    ["a request with a member too many", { jsonrpc: "2.0", id: 1, method: "m", extra: 1 }, { jsonrpc: "2.0", id: 1, method: "m" }, 1],
    ["an error with a result that is null", { jsonrpc: "2.0", id: 1, result: null, error: { code: 1, message: "m" } }, { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }, 1],
    ["a related task that is none", { jsonrpc: "2.0", id: 1, result: { _meta: { "io.modelcontextprotocol/related-task": 5, a: 1 } } }, { jsonrpc: "2.0", id: 1, result: { _meta: { a: 1 } } }, 1],
    ["a progressToken that is null", { jsonrpc: "2.0", id: 1, result: { _meta: { progressToken: null } } }, { jsonrpc: "2.0", id: 1, result: { _meta: {} } }, 1],
  ])("%s is mended, and the mending reported", (_name, message, mended, reports) => {
    const before = structuredClone(message)
    expect(filter(message).message).toEqual(mended)
    expect(filter(message).reports).toHaveLength(reports)
    expect(JSONRPCMessageSchema.safeParse(mended).success).toBe(true)
    expect(message).toEqual(before)
  })

  test.each([[null], [5], ["text"], [[]], [{}], [{ jsonrpc: "2.0", id: 1.5, result: {} }], [{ jsonrpc: "2.0", id: {}, method: "m" }], [{ jsonrpc: "2.0", result: {} }]])(
    "%j is dropped with a report",
    (message) => {
      expect(filter(message)).toEqual({ message: undefined, reports: [expect.stringContaining("dropped")] })
    },
  )
})
