/**
 * The span of one `tools/call` on its way to a server, by the semantic conventions for MCP clients.
 *
 * In: what an adapter says of the request. Out: what it wants told: members for `_meta`, and a listener for id and end.
 * Follows open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md, but for one thing: the message of an error answer does
 * not become the description of the status. It is a stranger's text and may quote what must not be seen.
 */
import type { Attributes } from "@opentelemetry/api"
import type { CallError } from "../error.js"
import type { OutgoingRequest, RequestEnd, RequestObservation } from "../operation.js"
import { finish, tracerOf, type Ready } from "./ready.js"
import { parentOf, traceMembers } from "./trace_context.js"

const LONGEST_NAME = 256

/** Begins the span of a request. */
export function observeRequest(ready: Ready, request: OutgoingRequest): RequestObservation {
  const { api, meters } = ready
  const tool = request.tool.slice(0, LONGEST_NAME)
  const measured: Attributes = {
    "mcp.method.name": request.method,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "mcp_operations.server.name": request.server,
    ...present("mcp.protocol.version", request.protocolVersion),
    ...networkAttributes(request),
  }
  const attributes = { ...measured, "mcp_operations.operation.id": request.operationId, ...present("mcp.session.id", request.sessionId) }
  const span = tracerOf(ready).startSpan(`${request.method} ${tool}`, { kind: api.SpanKind.CLIENT, attributes }, parentOf(ready, request.context))
  const began = performance.now()
  return {
    meta: traceMembers(ready, span.spanContext()),
    onRequestId: (id) => void span.setAttribute("jsonrpc.request.id", String(id)),
    onEnd(end) {
      const seconds = (performance.now() - began) / 1_000
      const how = "error" in end ? errorAttributes(end.error) : resultAttributes(end.result)
      finish(ready, span, how)
      meters.requestDuration(seconds, { ...measured, ...how })
      if ("result" in end) meters.resultSize(sizeOf(end), { ...measured, ...how })
    },
  }
}

function networkAttributes({ network }: OutgoingRequest): Attributes {
  if (network === undefined) return {}
  return {
    "network.transport": network.transport,
    ...present("network.protocol.name", network.protocol),
    ...present("server.address", network.address),
    ...present("server.port", network.port),
  }
}

function errorAttributes({ code, details }: CallError): Attributes {
  const { rpcCode } = details
  if (typeof rpcCode !== "number") return { "error.type": code }
  return { "error.type": String(rpcCode), "rpc.response.status_code": String(rpcCode) }
}

function resultAttributes(result: Readonly<Record<string, unknown>>): Attributes {
  return result["isError"] === true ? { "error.type": "tool_error" } : {}
}

function sizeOf({ result }: Extract<RequestEnd, { result: unknown }>): number {
  return new TextEncoder().encode(JSON.stringify(result)).length
}

function present(name: string, value: string | number | undefined): Attributes {
  return value === undefined ? {} : { [name]: value }
}
