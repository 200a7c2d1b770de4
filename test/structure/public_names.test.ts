/**
 * The public surface as literals: a name, code or path that consumers hold changes only where it is changed here too.
 *
 * Nothing in the expected values comes from src.
 */
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import * as events from "../../src/call.js"
import { CALL_ERROR_CODES } from "../../src/error.js"

describe("the value names of the doors", () => {
  test("of the root", async () => {
    expect(Object.keys(await import("../../src/index.js")).sort()).toEqual([
      "AccessControl",
      "AudioBlock",
      "CALL_ERROR_CODES",
      "CallAborted",
      "CallAnswer",
      "CallCompleted",
      "CallError",
      "CallErrorEvent",
      "CallProgress",
      "CallRequested",
      "CallResponded",
      "CallRouter",
      "Conformance",
      "DataChange",
      "DataFrom",
      "FromSchema",
      "HTTPResponseMeta",
      "Identity",
      "ImageBlock",
      "Limiter",
      "LocalResponseMeta",
      "Lock",
      "LockedServer",
      "LockedTool",
      "MCPContentBlock",
      "MCPResponseMeta",
      "OperationRegistry",
      "OperationSpecJSON",
      "PendingRequestMap",
      "Reduction",
      "ResourceBlock",
      "ResourceLinkBlock",
      "ResponseEnvelopeSchema",
      "ResponseMeta",
      "SchemaIssue",
      "TextBlock",
      "Type",
      "TypeCompiler",
      "Value",
      "approve",
      "audit",
      "buildCallHandler",
      "buildEnv",
      "callErrorFromJSON",
      "callErrorToJSON",
      "canonicalJSON",
      "checkAccess",
      "cleanText",
      "clipChanges",
      "clipIssues",
      "collectErrors",
      "compareSchemas",
      "compareServers",
      "compile",
      "conform",
      "createInProcessTransport",
      "defineOperation",
      "describeReductions",
      "filter",
      "httpEnvelope",
      "isCallError",
      "isCallErrorCode",
      "isNamespace",
      "isResponseEnvelope",
      "jsonDigest",
      "limitResult",
      "localEnvelope",
      "lockServer",
      "lossOf",
      "mapError",
      "mapMCPContentBlocks",
      "matchesOperationId",
      "mcpEnvelope",
      "memorySpillStore",
      "operationDigest",
      "operationId",
      "parseOperationId",
      "prepareInput",
      "readLock",
      "redact",
      "sanitizeText",
      "sourceOf",
      "specFromJSON",
      "specToJSON",
      "spill",
      "subscribe",
      "timing",
      "toCallError",
      "toNamespace",
      "unsafeIntegers",
      "unwrap",
      "validateOrThrow",
      "writeLock",
    ])
  })

  test("of from-mcp", async () => {
    expect(Object.keys(await import("../../src/from_mcp.js")).sort()).toEqual([
      "MCPClientLoader",
      "MCPClientWrapper",
      "closeMCPClient",
      "createMCPClient",
      "fromMCP",
      "loadConfigFile",
      "parseConfig",
      "readConfig",
    ])
  })

  test("of otel", async () => {
    expect(Object.keys(await import("../../src/otel.js"))).toEqual(["otel"])
  })

  test("of tools", async () => {
    expect(Object.keys(await import("../../src/tools.js")).sort()).toEqual([
      "ToolError",
      "connectTools",
      "forProvider",
      "isToolError",
      "mapResult",
      "mcp",
      "toAnthropicTools",
      "toOpenAIResponsesTools",
      "toOpenAITools",
      "toTool",
      "toToolDefinitions",
      "toTools",
      "toolName",
      "toolNames",
    ])
  })
})

test("the error codes", () => {
  expect(Object.keys(CALL_ERROR_CODES).sort()).toEqual([
    "ABORTED",
    "ACCESS_DENIED",
    "AUTH_REQUIRED",
    "CONFIGURATION_ERROR",
    "EXECUTION_ERROR",
    "OPERATION_NOT_FOUND",
    "PROTOCOL_ERROR",
    "RESOURCE_EXHAUSTED",
    "SCHEMA_ERROR",
    "TIMEOUT",
    "TRANSPORT_ERROR",
    "UNKNOWN_ERROR",
    "VALIDATION_ERROR",
  ])
})

test.each([
  [events.CallRequested, "call.requested", ["input", "operationId", "requestId", "type"]],
  [events.CallResponded, "call.responded", ["output", "requestId", "type"]],
  [events.CallProgress, "call.progress", ["progress", "requestId", "type"]],
  [events.CallCompleted, "call.completed", ["requestId", "type"]],
  [events.CallErrorEvent, "call.error", ["code", "message", "requestId", "type"]],
  [events.CallAborted, "call.aborted", ["requestId", "type"]],
])("the event %#: its name, and the members that it always has", (event, name, members) => {
  expect(event.properties.type.const).toBe(name)
  expect([...(event.required ?? [])].sort()).toEqual(members)
})

describe("the manifest", () => {
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

  test("exports a path for each door, types first", () => {
    expect(manifest["exports"]).toEqual({
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./from-mcp": { types: "./dist/from_mcp.d.ts", default: "./dist/from_mcp.js" },
      "./tools": { types: "./dist/tools.d.ts", default: "./dist/tools.js" },
      "./otel": { types: "./dist/otel.d.ts", default: "./dist/otel.js" },
      "./package.json": "./package.json",
    })
  })

  test("has one command, is a module without side effects and names the oldest Node that it runs on", () => {
    expect(manifest).toMatchObject({
      name: "mcp-operations",
      type: "module",
      sideEffects: false,
      license: "MIT",
      engines: { node: ">=20.19" },
      bin: { "mcp-operations": "dist/cli.js" },
      peerDependencies: { "@sinclair/typebox": "^0.34.52" },
    })
  })
})
