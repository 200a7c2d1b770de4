/**
 * What telemetry is to a host: a middleware with a hook, and what can be said about it.
 *
 * Shapes only, and none of OpenTelemetry's own: a host without its packages compiles these types too.
 */
import type { RequestInstrument } from "../operation.js"
import type { Middleware } from "../registry.js"

/** A tracer provider of OpenTelemetry. */
export interface TracerProviderLike {
  getTracer(name: string, version?: string): unknown
}

/** A meter provider of OpenTelemetry. */
export interface MeterProviderLike {
  getMeter(name: string, version?: string): unknown
}

/** How telemetry is made. */
export interface OtelOptions {
  /** Where spans go. Default: the global provider. */
  readonly tracerProvider?: TracerProviderLike | undefined
  /** Where metrics go. Default: the global provider. */
  readonly meterProvider?: MeterProviderLike | undefined
  /** Sends `traceparent` and `tracestate` to servers, in `params._meta`. Default true. */
  readonly propagate?: boolean | undefined
}

/** A middleware for `registry.use`, with the hook for a client's `instrument` option. */
export type Telemetry = Middleware & { readonly instrument: RequestInstrument }
