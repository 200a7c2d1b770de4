/**
 * Secrets of env, headers, arguments and results never stand in what goes to logs, users and error reports.
 *
 * Two things are the server's own words by definition: the `message` of a ToolError, for the model, and `details.sent` of an answer that
 * is none. Secrets of the host are masked in the second one; everything else is searched for all of them.
 */
import { createServer, type AddressInfo } from "node:net"
import { inspect } from "node:util"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { isCallError } from "../../src/error.js"
import { ToolError, connectTools, errorOutcome, mcp, type ConnectedServers } from "../../src/tools.js"
import { toAISDKTools } from "../../src/tools/ai_sdk.js"
import { toLangChainTools } from "../../src/tools/langchain.js"
import { toOpenAIAgentsTools } from "../../src/tools/openai_agents.js"
import { scriptedServer } from "../fixtures/servers/scripted.js"

const ENV = "env-secret-4f1c9a"
const HEADER = "header-secret-77b2e0"
const ARGUMENT = "argument-secret-0d3f5b"
const RESULT = "result-secret-c81e66"
const SECRETS = [ENV, HEADER, ARGUMENT, RESULT]

let written: string[]
beforeEach(() => {
  written = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      written.push(String(chunk))
      return true
    })
  }
})
afterEach(() => void vi.restoreAllMocks())

/** Everything that somebody may log or send of an error that is no ToolError, or of a ToolError that a user gets to see. */
function shownOf(error: unknown): string {
  if (error instanceof ToolError) return [error.safeMessage, JSON.stringify(error), JSON.stringify(Object.entries(error)), error.name].join("\n")
  return [inspect(error, { depth: 10 }), JSON.stringify(error), String(error), isCallError(error) ? JSON.stringify(error.details) : "", errorOutcome(error).result].join("\n")
}

const secretsIn = (text: string) => SECRETS.filter((secret) => text.includes(secret))
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object", properties: { token: { type: "string", maxLength: 3 } } }, ...more })

async function thrownBy(servers: ConnectedServers): Promise<unknown[]> {
  const errors: unknown[] = []
  for (const each of servers.tools) {
    const args = each.metadata.tool === "checked" ? { token: ARGUMENT } : {}
    errors.push(await each.call(args).then(() => undefined, (error: unknown) => error))
  }
  return errors
}

describe("with secrets in env, arguments and results", () => {
  const server = () =>
    scriptedServer({
      tools: [tool("checked"), tool("failed"), tool("sound"), tool("refused"), tool("garbled"), tool("dies")],
      calls: {
        failed: [{ result: { isError: true, content: [{ type: "text", text: `no: ${RESULT} ${ENV}` }], structuredContent: { key: RESULT } } }],
        sound: [{ result: { content: [{ type: "text", text: RESULT }, { type: "audio", data: RESULT, mimeType: "audio/wav" }] } }],
        refused: [{ error: { code: -32000, message: `cannot log in with ${ENV}`, data: { key: ENV } } }],
        garbled: [{ answer: { result: `key ${ENV}` } }],
        dies: [{ stderr: `panic: ${ENV}\n` }, { exit: 3 }],
      },
    })

  test("no error of a tool shows one, and nothing is written", async () => {
    const { config } = server()
    await using servers = await connectTools({ s: mcp.stdio({ ...config, env: { API_KEY: ENV } }) }, { profile: "strict" })
    const errors = await thrownBy(servers)
    expect(errors.map((error) => (isCallError(error) ? error.code : error instanceof ToolError ? error.reason : error))).toEqual([
      "VALIDATION_ERROR",
      "failed",
      "unsupported",
      "PROTOCOL_ERROR",
      "PROTOCOL_ERROR",
      "TRANSPORT_ERROR",
    ])
    expect(errors.filter((error) => secretsIn(shownOf(error)).length > 0).map(shownOf)).toEqual([])
    expect(written.join("")).toBe("")
  })

  test("no toolset writes one, nor puts it into what it tells a model of the tools", async () => {
    const { config } = server()
    await using servers = await connectTools({ s: mcp.stdio({ ...config, env: { API_KEY: ENV } }) })
    const [langchain] = await toLangChainTools(servers.tools)
    const [agents] = await toOpenAIAgentsTools(servers.tools)
    const sdk = await toAISDKTools(servers.tools)
    const errors = [
      await langchain?.invoke({ token: ARGUMENT }).catch((error: unknown) => error),
      await sdk["s__checked"]?.execute?.({ token: ARGUMENT }, { toolCallId: "1", messages: [] }).catch((error: unknown) => error),
    ]
    expect(errors.map((error) => isCallError(error))).toEqual([true, true])
    expect(secretsIn([...errors.map(shownOf), inspect([langchain, agents, sdk, servers.tools], { depth: 8 })].join("\n"))).toEqual([])
    expect(secretsIn(written.join(""))).toEqual([])
  })
})

test("with a secret in headers, a server that cannot be reached or quotes it back shows none", async () => {
  const echo = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", (data) => socket.end(`HTTP/1.1 500 No\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${data.toString()}`))
  })
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve))
  // A server that listens at a port has such an address.
  const { port } = echo.address() as AddressInfo
  try {
    for (const url of [`http://127.0.0.1:${String(port)}/mcp?key=${HEADER}`, `http://127.0.0.1:1/mcp?key=${HEADER}`]) {
      const error: unknown = await connectTools({ s: mcp.http({ url, headers: { authorization: `Bearer ${HEADER}` } }) }).catch((caught: unknown) => caught)
      expect(isCallError(error)).toBe(true)
      expect(secretsIn(shownOf(error))).toEqual([])
    }
    expect(secretsIn(written.join(""))).toEqual([])
  } finally {
    await new Promise((resolve) => echo.close(resolve))
  }
})
