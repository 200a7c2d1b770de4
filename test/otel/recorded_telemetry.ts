/**
 * OpenTelemetry's own SDK with everything kept in memory.
 *
 * Out: providers for `otel(…)`, and what was exported. Nothing global is set, so that tests do not see each other.
 */
import { DataPointType, InMemoryMetricExporter, AggregationTemporality, MeterProvider, PeriodicExportingMetricReader, type HistogramMetricData } from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base"

/** One point of a histogram, as tests look at it. */
export interface Point {
  readonly count: number
  readonly sum: number | undefined
  readonly boundaries: readonly number[]
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A recorder, and its providers. */
export function recordedTelemetry() {
  const spanExporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  return {
    tracerProvider,
    meterProvider,
    spans: (): ReadableSpan[] => spanExporter.getFinishedSpans(),
    /** The unit of a metric and its points, one for each set of attributes. */
    async metric(name: string): Promise<{ unit: string; points: Point[] }> {
      await reader.forceFlush()
      const found = metricExporter.getMetrics().at(-1)?.scopeMetrics.flatMap(({ metrics }) => metrics).find(({ descriptor }) => descriptor.name === name)
      if (found?.dataPointType !== DataPointType.HISTOGRAM) throw new Error(`There is no histogram ${name}`)
      const { descriptor, dataPoints }: HistogramMetricData = found
      return {
        unit: descriptor.unit,
        points: dataPoints.map(({ value, attributes }) => ({ count: value.count, sum: value.sum, boundaries: value.buckets.boundaries, attributes })),
      }
    },
    /** All that was exported, as text to search in. */
    async everything(): Promise<string> {
      await reader.forceFlush()
      const spans = spanExporter.getFinishedSpans().map(({ name, attributes, events, links, status, resource }) => ({ name, attributes, events, links, status, resource: resource.attributes }))
      return JSON.stringify([spans, metricExporter.getMetrics().map(({ scopeMetrics }) => scopeMetrics)])
    },
  }
}

/** The span of this name. */
export function spanOf(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`There is no span ${name}, only ${spans.map((span) => span.name).join(", ")}`)
  return found
}
