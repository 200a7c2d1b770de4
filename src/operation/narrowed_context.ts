/**
 * A context with an earlier end.
 *
 * Contexts may compute their members (a signal that is made when it is read), so they are wrapped and never spread.
 */
import { ON_ABORT, onAbort, type AbortHook } from "./abort.js"
import type { OperationContext } from "./context.js"

/** The same context, ending at `deadline` (epoch milliseconds) at the latest. */
export function narrowContext(context: OperationContext | undefined, deadline: number): OperationContext {
  if (context === undefined) return deadline === Infinity ? {} : { deadline }
  return context.timeoutMs === undefined && (context.deadline ?? Infinity) <= deadline ? context : new NarrowedContext(context, deadline)
}

class NarrowedContext implements OperationContext, AbortHook {
  readonly deadline: number
  readonly #context: OperationContext

  constructor(context: OperationContext, deadline: number) {
    this.#context = context
    this.deadline = Math.min(context.deadline ?? Infinity, deadline)
  }

  get identity(): OperationContext["identity"] {
    return this.#context.identity
  }

  get signal(): AbortSignal | undefined {
    return this.#context.signal
  }

  get idleTimeoutMs(): number | undefined {
    return this.#context.idleTimeoutMs
  }

  get requestId(): string | undefined {
    return this.#context.requestId
  }

  get parentRequestId(): string | undefined {
    return this.#context.parentRequestId
  }

  get onProgress(): OperationContext["onProgress"] {
    return this.#context.onProgress
  }

  get traceparent(): string | undefined {
    return this.#context.traceparent
  }

  get metadata(): OperationContext["metadata"] {
    return this.#context.metadata
  }

  get env(): OperationContext["env"] {
    return this.#context.env
  }

  [ON_ABORT](listener: (reason: unknown) => void): () => void {
    return onAbort(this.#context, listener)
  }
}
