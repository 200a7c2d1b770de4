/**
 * The spans of calls that are running, so that what happens inside of a call finds its parent.
 *
 * In: the context of a call and its span. Out: the span for the same context object, or for the request id that a child call
 * names. A host that has set up a context manager needs none of it: the active span is then the nearest parent.
 */
import type { Span } from "@opentelemetry/api"
import type { OperationContext } from "../operation.js"

/** The running calls of one telemetry. */
export class ActiveCalls {
  readonly #byContext = new WeakMap<OperationContext, Span>()
  readonly #byRequest = new Map<string, Span>()

  /** Adds a call; gives the function that takes it out. */
  add(context: OperationContext, span: Span): () => void {
    this.#byContext.set(context, span)
    const { requestId } = context
    if (requestId === undefined) return () => undefined
    this.#byRequest.set(requestId, span)
    return () => {
      if (this.#byRequest.get(requestId) === span) this.#byRequest.delete(requestId)
    }
  }

  /** The span of the call with this context, or of the call that it is a child of. */
  spanFor(context: OperationContext | undefined): Span | undefined {
    if (context === undefined) return undefined
    const own = this.#byContext.get(context)
    if (own !== undefined || context.parentRequestId === undefined) return own
    return this.#byRequest.get(context.parentRequestId)
  }
}
