/**
 * One envelope on its way through a middleware, as a registry runs it.
 */
import { Type } from "@sinclair/typebox"
import { mcpEnvelope, type MCPEnvelopeInput, type ResponseEnvelope } from "../../src/envelope.js"
import { defineOperation, type AnyOperation } from "../../src/operation.js"
import { OperationRegistry, type Middleware } from "../../src/registry.js"

/** What a registry with this middleware answers for `t.x`, whose handler gives `result` or is it. */
export async function through(middleware: Middleware | Middleware[], result: unknown, more: Partial<AnyOperation> = {}): Promise<ResponseEnvelope> {
  const registry = new OperationRegistry({ json: "off" })
  const handler = typeof result === "function" ? (input: unknown): unknown => result(input) : () => result
  registry.register({ ...defineOperation({ namespace: "t", name: "x", inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler }), ...more })
  for (const each of [middleware].flat()) registry.use(each)
  return registry.execute("t.x")
}

/** An envelope of an MCP result with no blocks unless they are given. */
export function mcp(data: unknown, more: Partial<MCPEnvelopeInput> = {}): ResponseEnvelope {
  return mcpEnvelope(data, { isError: false, content: [], ...more })
}

/** The meta of an MCP envelope. */
export function metaOf({ meta }: ResponseEnvelope) {
  if (meta.source !== "mcp") throw new Error("no envelope of an MCP result")
  return meta
}
