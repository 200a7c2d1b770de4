/**
 * The context that a handler gets: the caller's words, brought to one deadline, one abort and one environment.
 *
 * In: what the caller said. Out: a context whose signal and env are made when they are first read: most handlers read neither.
 * Aborting it reaches everyone who listens, by the hook or by the signal. The reason stays in this process.
 */
import { ON_ABORT, type AbortHook, type OperationContext, type OperationEnv, type Progress } from "../operation.js"

/** The context of one running call. */
export class CallContext implements OperationContext, AbortHook {
  readonly deadline: number
  readonly #caller: OperationContext | undefined
  readonly #makeEnv: (context: CallContext) => OperationEnv
  #env: OperationEnv | undefined
  #controller: AbortController | undefined
  #listeners: Set<(reason: unknown) => void> | undefined
  #aborted = false
  #reason: unknown

  constructor(caller: OperationContext | undefined, deadline: number, makeEnv: (context: CallContext) => OperationEnv) {
    this.#caller = caller
    this.deadline = deadline
    this.#makeEnv = makeEnv
  }

  get identity(): OperationContext["identity"] {
    return this.#caller?.identity
  }

  get requestId(): string | undefined {
    return this.#caller?.requestId
  }

  get parentRequestId(): string | undefined {
    return this.#caller?.parentRequestId
  }

  get idleTimeoutMs(): number | undefined {
    return this.#caller?.idleTimeoutMs
  }

  get traceparent(): string | undefined {
    return this.#caller?.traceparent
  }

  get metadata(): OperationContext["metadata"] {
    return this.#caller?.metadata
  }

  get onProgress(): ((progress: Progress) => void) | undefined {
    return this.#caller?.onProgress
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get env(): OperationEnv {
    return (this.#env ??= this.#makeEnv(this))
  }

  [ON_ABORT](listener: (reason: unknown) => void): () => void {
    if (this.#aborted) {
      listener(this.#reason)
      return () => undefined
    }
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Stops the call for everyone who listens; the second time does nothing. */
  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) for (const listener of listeners) listener(reason)
  }
}
