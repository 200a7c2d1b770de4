/**
 * The span of one operation that a registry runs, of whatever source.
 *
 * In: a call and the rest of the chain. Out: what the chain gives. The span says which operation, how long, and how it ended
 * by its code; messages of errors are left out, since servers put into them what they like.
 */
import type { Attributes } from "@opentelemetry/api"
import { isCallError } from "../error.js"
import type { ResponseEnvelope } from "../envelope.js"
import type { MiddlewareCall, Next } from "../registry.js"
import { finish, tracerOf, type Ready } from "./ready.js"
import { parentOf } from "./trace_context.js"

/** Runs the rest of the chain inside of a span. */
export async function observeOperation(ready: Ready, call: MiddlewareCall, next: Next): Promise<ResponseEnvelope> {
  const { api, calls, meters } = ready
  const attributes: Attributes = {
    "mcp_operations.operation.id": call.id,
    "mcp_operations.operation.version": call.spec.version,
    "mcp_operations.operation.type": call.spec.type,
    ...(call.seq === undefined ? {} : { "mcp_operations.item.seq": call.seq }),
  }
  const parent = parentOf(ready, call.context)
  const span = tracerOf(ready).startSpan(`execute ${call.id}`, { kind: api.SpanKind.INTERNAL, attributes }, parent)
  const done = calls.add(call.context, span)
  const began = performance.now()
  const end = (how: Attributes) => {
    const measured: Attributes = { "mcp_operations.operation.id": call.id, ...how }
    meters.operationDuration((performance.now() - began) / 1_000, measured)
    finish(ready, span, how)
  }
  try {
    const envelope = await api.context.with(api.trace.setSpan(parent, span), () => next())
    // The end of a subscription is no item: its span is never ended, so nobody sees it.
    if (!call.ended) end(endOf(envelope))
    return envelope
  } catch (thrown) {
    const { outcome } = isCallError(thrown) ? thrown.details : {}
    if (typeof outcome === "string") span.setAttribute("mcp_operations.outcome", outcome)
    end({ "error.type": isCallError(thrown) ? thrown.code : "EXECUTION_ERROR" })
    throw thrown
  } finally {
    done()
  }
}

function endOf({ meta }: ResponseEnvelope): Attributes {
  return { "mcp_operations.source": meta.source, ...(meta.source === "mcp" && meta.isError ? { "error.type": "tool_error" } : {}) }
}
