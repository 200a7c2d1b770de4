/**
 * Telemetry whose package is loaded: what each part of the room is handed, and how a span is begun and ended.
 */
import type { Attributes, Span, Tracer, TracerProvider } from "@opentelemetry/api"
import type { ActiveCalls } from "./active_calls.js"
import type { API } from "./load_api.js"
import type { Meters } from "./meters.js"
import type { OtelOptions } from "./telemetry.js"

/** The name under which spans and metrics of this package are found. */
export const SCOPE = "mcp-operations"

/** Telemetry that is ready to use. */
export interface Ready {
  readonly api: API
  readonly calls: ActiveCalls
  readonly meters: Meters
  readonly options: OtelOptions
}

/** Ends a span with these attributes; with the status of an error where they name one. */
export function finish({ api }: Ready, span: Span, attributes: Attributes): void {
  span.setAttributes(attributes)
  if (attributes["error.type"] !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
  span.end()
}

/** The tracer of the provider that counts now. */
export function tracerOf({ api, options }: Ready): Tracer {
  // What the host gave as a tracer provider is one; its type is kept out of the door.
  const provider = (options.tracerProvider as TracerProvider | undefined) ?? api.trace.getTracerProvider()
  return provider.getTracer(SCOPE)
}
