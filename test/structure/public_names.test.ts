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
      "callerOf",
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
      "spillReader",
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
      "FileTokenStore",
      "MCPClientLoader",
      "MCPClientWrapper",
      "clientCredentials",
      "closeMCPClient",
      "createMCPClient",
      "fromMCP",
      "loadConfigFile",
      "parseConfig",
      "readConfig",
    ])
  })

  test("of nats", async () => {
    expect(Object.keys(await import("../../src/nats.js")).sort()).toEqual(["RemoteRegistry", "connectNATS", "createNATSTransport", "createRemoteRegistry", "natsServerConfig", "serve"])
  })

  test("of otel", async () => {
    expect(Object.keys(await import("../../src/otel.js"))).toEqual(["otel"])
  })

  test.each([
    ["ai_sdk", () => import("../../src/tools/ai_sdk.js"), ["toAISDKTools"]],
    ["langchain", () => import("../../src/tools/langchain.js"), ["toLangChainTools"]],
    ["openai_agents", () => import("../../src/tools/openai_agents.js"), ["toOpenAIAgentsTools"]],
  ])("of tools/%s", async (_file, load, names) => {
    expect(Object.keys(await load()).sort()).toEqual(names)
  })

  test("of codegen", async () => {
    expect(Object.keys(await import("../../src/codegen.js")).sort()).toEqual(["FOREIGN_TARGETS", "generateModules", "generateSchemas", "operationsFromTypes", "writeFiles"])
  })

  test("of tools", async () => {
    expect(Object.keys(await import("../../src/tools.js")).sort()).toEqual([
      "ToolError",
      "connectTools",
      "errorOutcome",
      "forProvider",
      "isToolError",
      "mapResult",
      "mcp",
      "toAnthropicResult",
      "toAnthropicTools",
      "toOpenAIMessage",
      "toOpenAIOutput",
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
      "./tools/ai-sdk": { types: "./dist/tools/ai_sdk.d.ts", default: "./dist/tools/ai_sdk.js" },
      "./tools/langchain": { types: "./dist/tools/langchain.d.ts", default: "./dist/tools/langchain.js" },
      "./tools/openai-agents": { types: "./dist/tools/openai_agents.d.ts", default: "./dist/tools/openai_agents.js" },
      "./otel": { types: "./dist/otel.d.ts", default: "./dist/otel.js" },
      "./codegen": { types: "./dist/codegen.d.ts", default: "./dist/codegen.js" },
      "./nats": { types: "./dist/nats.d.ts", default: "./dist/nats.js" },
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
      peerDependencies: { "@langchain/core": "^1.0.0", "@nats-io/transport-node": ">=3.3.1 <4", "@openai/agents-core": "^0.20.0", "@opentelemetry/api": "^1.9.0", "@sinclair/typebox": "^0.34.52", "@sinclair/typebox-codegen": "^0.11.1", ai: "^6.0.0 || ^7.0.0" },
      peerDependenciesMeta: { "@langchain/core": { optional: true }, "@nats-io/transport-node": { optional: true }, "@openai/agents-core": { optional: true }, "@opentelemetry/api": { optional: true }, "@sinclair/typebox-codegen": { optional: true }, ai: { optional: true } },
    })
  })
})
