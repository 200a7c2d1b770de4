/**
 * Door of telemetry: spans and metrics of calls by the conventions of OpenTelemetry.
 *
 * Importing it loads nothing of OpenTelemetry; `otel()` does. Who does not import it pays nothing.
 */
export { otel } from "./otel/otel.js"
export type { MeterProviderLike, OtelOptions, Telemetry, TracerProviderLike } from "./otel/telemetry.js"
