import { SseError } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { InitializeResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { EndOfCall } from "../../src/from_mcp/end_of_call.js"
import { answeredError, toPortError, type RequestPlace } from "../../src/from_mcp/errors.js"

const place: RequestPlace = { server: "s", method: "tools/call", tool: "t", mask: (text) => text.replaceAll("sesame", "***") }
const connectPlace: RequestPlace = { server: "s", method: "connect", mask: place.mask }
const zodError = InitializeResultSchema.safeParse({ protocolVersion: "x", capabilities: {}, serverInfo: { name: 5, version: "1" } }).error
const fetchFailed = (code: string) => Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new AggregateError([Object.assign(new Error("x"), { code })]), {}) })
const failed = (code: string, syscall: string) => Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) })

describe("toPortError", () => {
  test.each<[string, unknown, string, Record<string, unknown>]>([
    ["an error answer", new McpError(-32602, "bad sesame", { hint: "sesame" }), "PROTOCOL_ERROR", { rpcCode: -32602, rpcData: { hint: "***" }, outcome: "failed" }],
    ["an end from below", new McpError(-32603, "x", new EndOfCall("RESOURCE_EXHAUSTED", "too large", { limit: 5, outcome: "unknown" })), "RESOURCE_EXHAUSTED", { limit: 5, outcome: "unknown" }],
    ["an answer without its members", zodError, "PROTOCOL_ERROR", { outcome: "failed" }],
    ["status 401", new StreamableHTTPError(401, "no"), "AUTH_REQUIRED", { status: 401, outcome: "not_started" }],
    ["a refused login", new UnauthorizedError("no"), "AUTH_REQUIRED", { outcome: "not_started" }],
    ["status 404", new StreamableHTTPError(404, "no"), "TRANSPORT_ERROR", { kind: "http", status: 404, outcome: "failed" }],
    ["status 429", new StreamableHTTPError(429, "no"), "TRANSPORT_ERROR", { kind: "http", status: 429, outcome: "not_started" }],
    ["status 500", new StreamableHTTPError(500, "no"), "TRANSPORT_ERROR", { kind: "http", status: 500, outcome: "unknown" }],
    ["status 503 of SSE", new SseError(503, "no", {} as never), "TRANSPORT_ERROR", { kind: "http", status: 503, outcome: "unknown" }],
    ["a refused connection", fetchFailed("ECONNREFUSED"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ECONNREFUSED", outcome: "not_started" }],
    ["a connection that broke", fetchFailed("ECONNRESET"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ECONNRESET", outcome: "unknown" }],
    ["a route that is lost while the answer is waited for", failed("EHOSTUNREACH", "read"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "EHOSTUNREACH", outcome: "unknown" }],
    ["a network that is lost while the request is written", failed("ENETUNREACH", "write"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ENETUNREACH", outcome: "unknown" }],
    ["a connection that is refused after it was there", failed("ECONNREFUSED", "read"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ECONNREFUSED", outcome: "unknown" }],
    ["a host that cannot be connected to", failed("EHOSTUNREACH", "connect"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "EHOSTUNREACH", outcome: "not_started" }],
    ["a host that does not answer while it is connected to", failed("ETIMEDOUT", "connect"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ETIMEDOUT", outcome: "not_started" }],
    ["a name that has no address", failed("ENOTFOUND", "getaddrinfo"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ENOTFOUND", outcome: "not_started" }],
    ["a program that is not there", failed("ENOENT", "spawn nothing"), "TRANSPORT_ERROR", { kind: "connection", systemCode: "ENOENT", outcome: "not_started" }],
    ["any other error", new Error("odd sesame"), "TRANSPORT_ERROR", { kind: "connection", outcome: "unknown" }],
    ["no error at all", "text", "TRANSPORT_ERROR", { kind: "connection", outcome: "unknown" }],
  ])("%s", (_name, cause, code, details) => {
    const error = toPortError(cause, place, "unknown")
    expect(error).toBeInstanceOf(CallError)
    expect([error.code, error.details]).toEqual([code, { server: "s", tool: "t", ...details }])
    expect(error.message).toMatch(/^Server "s", tool "t": /)
    expect(error.message).not.toContain("sesame")
  })

  test("a CallError passes as it is", () => {
    const error = new CallError("TIMEOUT", "m")
    expect(toPortError(error, place, "unknown")).toBe(error)
  })

  test("an answer without its members is told by its place", () => {
    expect(toPortError(zodError, connectPlace, "not_started").message).toBe('Server "s", connect: the answer does not have the members that the protocol demands (at /serverInfo/name)')
  })
})

test("what a server said is clipped in the message, and large data is kept as its beginning", () => {
  const error = answeredError(place, { code: 1, message: "x".repeat(10_000), data: { blob: "y".repeat(5_000) } })
  expect(error.message.length).toBeLessThan(1_100)
  expect(error.details["rpcData"]).toMatch(/^\{"blob":"y+…$/)
})
