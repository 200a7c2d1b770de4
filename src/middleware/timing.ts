/**
 * Measures how long calls take.
 */
import { isCallError } from "../error.js"
import type { Middleware } from "../registry.js"

/** One measured call, or one item of a subscription. */
export interface Timing {
  readonly operationId: string
  /** Milliseconds, with fractions. */
  readonly durationMs: number
  /** `"ok"`, `"isError"` for an answer that says so, else the code of the error. */
  readonly result: string
}

/** A middleware that tells how long each call took, its inner middleware counted. What the function throws is ignored. */
export function timing(sink: (timing: Timing) => void): Middleware {
  return async (call, next) => {
    const start = performance.now()
    const tell = (result: string) => {
      try {
        sink({ operationId: call.id, durationMs: performance.now() - start, result })
      } catch {
        // A fault of the listener does not end the call.
      }
    }
    try {
      const envelope = await next()
      if (!call.ended) tell(envelope.meta.source === "mcp" && envelope.meta.isError ? "isError" : "ok")
      return envelope
    } catch (thrown) {
      tell(isCallError(thrown) ? thrown.code : "EXECUTION_ERROR")
      throw thrown
    }
  }
}
