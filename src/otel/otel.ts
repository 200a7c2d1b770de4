/**
 * Puts the two observers of calls together: the middleware, which sees operations, and the hook, which sees requests.
 *
 * Both are given out before OpenTelemetry is loaded, so that neither importing nor wiring has to be awaited.
 */
import type { Middleware } from "../registry.js"
import { ActiveCalls } from "./active_calls.js"
import { loadAPI } from "./load_api.js"
import { Meters } from "./meters.js"
import { observeOperation } from "./operation_span.js"
import { observeRequest } from "./request_span.js"
import type { OtelOptions, Telemetry } from "./telemetry.js"

/**
 * Telemetry of calls: one span for each operation that a registry runs, below it one for each request to a server, and metrics of
 * duration and size. No span, metric or attribute holds what was given or came back, or the text of an error. Loads
 * `@opentelemetry/api`, an optional peer; the host sets up its SDK and exporters.
 *
 * A call rejects with CONFIGURATION_ERROR, and nothing is sent, where that package is not installed.
 *
 * @example
 * const telemetry = otel()
 * registry.use(telemetry)
 * const files = await createMCPClient("files", { command: "mcp-server-filesystem", args: ["."] }, { instrument: telemetry.instrument })
 */
export function otel(options: OtelOptions = {}): Telemetry {
  const calls = new ActiveCalls()
  const ready = loadAPI().then((api) => ({ api, calls, meters: new Meters(api, options.meterProvider), options }))
  // Whoever calls hears of it; until then it is no unhandled rejection.
  ready.catch(() => undefined)
  const middleware: Middleware = async (call, next) => observeOperation(await ready, call, next)
  return Object.assign(middleware, { instrument: { onRequest: async (request: Parameters<Telemetry["instrument"]["onRequest"]>[0]) => observeRequest(await ready, request) } })
}
