/**
 * W3C Trace Context as text: read where a call brings it, written where a request takes it along.
 *
 * Follows https://www.w3.org/TR/trace-context/. Written here and not by the host's propagator: servers are promised
 * `traceparent` and `tracestate` (SEP-414), and baggage, which may hold anything, is not for strangers.
 */
import type { Context, SpanContext } from "@opentelemetry/api"
import type { OperationContext } from "../operation.js"
import type { Ready } from "./ready.js"

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/

/**
 * Where a span belongs: below the active one, else below that of its call, else below what `traceparent` of the call's context
 * names, else nowhere.
 */
export function parentOf({ api, calls }: Ready, context: OperationContext | undefined): Context {
  const active = api.context.active()
  if (api.trace.getSpan(active) !== undefined) return active
  const span = calls.spanFor(context)
  if (span !== undefined) return api.trace.setSpan(active, span)
  const remote = spanContextOf(context?.traceparent)
  return remote === undefined || !api.isSpanContextValid(remote) ? active : api.trace.setSpanContext(active, remote)
}

/** The members of `_meta` that tell a server of a span; nothing for a span that belongs to no trace. */
export function traceMembers({ api, options }: Ready, spanContext: SpanContext): Record<string, string> | undefined {
  if (options.propagate === false || !api.isSpanContextValid(spanContext)) return undefined
  const { traceId, spanId, traceFlags, traceState } = spanContext
  const tracestate = traceState?.serialize()
  return {
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`,
    ...(tracestate === undefined || tracestate === "" ? {} : { tracestate }),
  }
}

function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
