/**
 * The metrics, made when they are first recorded.
 *
 * In: a measurement and its attributes. `mcp.client.operation.duration` and its buckets follow the semantic conventions for MCP
 * (open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md); the others, which no convention names, bear our own name.
 * The global meter provider is asked each time: unlike tracers, a meter from before the SDK was set up stays without effect.
 */
import type { Attributes, Histogram, Meter, MeterProvider } from "@opentelemetry/api"
import type { API } from "./load_api.js"
import { SCOPE } from "./ready.js"
import type { MeterProviderLike } from "./telemetry.js"

const SECONDS = { unit: "s", advice: { explicitBucketBoundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] } }
const BYTES = { unit: "By", advice: { explicitBucketBoundaries: [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216] } }

/** The histograms of one meter provider. */
interface Histograms {
  readonly provider: MeterProvider
  readonly requestDuration: Histogram
  readonly operationDuration: Histogram
  readonly resultSize: Histogram
}

/** Records measurements. */
export class Meters {
  #histograms: Histograms | undefined

  constructor(
    private readonly api: API,
    private readonly given: MeterProviderLike | undefined,
  ) {}

  /** How long a request to a server took, in seconds. */
  requestDuration(seconds: number, attributes: Attributes): void {
    this.#current().requestDuration.record(seconds, attributes)
  }

  /** How long an operation took, in seconds. */
  operationDuration(seconds: number, attributes: Attributes): void {
    this.#current().operationDuration.record(seconds, attributes)
  }

  /** How large the result of a request was as JSON, in bytes. */
  resultSize(bytes: number, attributes: Attributes): void {
    this.#current().resultSize.record(bytes, attributes)
  }

  #current(): Histograms {
    // What the host gave as a meter provider is one; its type is kept out of the door.
    const provider = (this.given as MeterProvider | undefined) ?? this.api.metrics.getMeterProvider()
    if (this.#histograms?.provider !== provider) this.#histograms = { provider, ...histogramsOf(provider.getMeter(SCOPE)) }
    return this.#histograms
  }
}

function histogramsOf(meter: Meter): Omit<Histograms, "provider"> {
  return {
    requestDuration: meter.createHistogram("mcp.client.operation.duration", { description: "The time from sending an MCP request to its answer", ...SECONDS }),
    operationDuration: meter.createHistogram("mcp_operations.operation.duration", { description: "The time that an operation of a registry took", ...SECONDS }),
    resultSize: meter.createHistogram("mcp_operations.result.size", { description: "The size of an MCP result as JSON", ...BYTES }),
  }
}
