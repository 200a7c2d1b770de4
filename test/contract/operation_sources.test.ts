/**
 * Every way to reach an MCP server keeps one contract.
 */
import { afterAll, describe } from "vitest"
import { createMCPClient, fromMCP } from "../../src/from_mcp.js"
import { scriptedClient } from "../fixtures/servers/in_memory.js"
import { openScope } from "../fixtures/servers/scope.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../fixtures/servers/scripted_http.js"
import { CONTRACT_SCRIPT, keepsTheContract } from "./operation_source.js"

const { scope, end } = openScope()
afterAll(end)

describe("stdio", () => keepsTheContract(() => createMCPClient("demo", scriptedServer(CONTRACT_SCRIPT, scope).config)))
describe("Streamable HTTP, answers as event streams", () =>
  keepsTheContract(async () => createMCPClient("demo", { url: (await scriptedHTTPServer(CONTRACT_SCRIPT, { sessions: true }, scope)).url })))
describe("Streamable HTTP, answers as JSON documents", () =>
  keepsTheContract(async () => createMCPClient("demo", { url: (await scriptedHTTPServer(CONTRACT_SCRIPT, { answers: "json" }, scope)).url })))
describe("the older SSE transport", () =>
  keepsTheContract(async () => createMCPClient("demo", { url: (await scriptedHTTPServer(CONTRACT_SCRIPT, { transport: "sse" }, scope)).url, transport: "sse" })))
describe("an SDK client of the host", () => keepsTheContract(async () => fromMCP("demo", (await scriptedClient(CONTRACT_SCRIPT)).client)))
