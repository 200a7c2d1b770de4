/**
 * Whether a call of a server may go now: how many are under way, whether the server wants a rest, whether it works at all.
 *
 * In: a call that wants to go, and how calls ended. Out: nothing where it may go at once, a promise for its turn, or a CallError
 * with the outcome `not_started`. As long as all goes well, a call costs a look at one flag and one count here.
 */
import { Limiter } from "../call.js"
import { CallError } from "../error.js"
import type { OperationContext } from "../operation.js"
import { CircuitBreaker } from "./circuit_breaker.js"
import type { BreakerOptions, Settled } from "./client_options.js"
import { pauseUntil } from "./pause.js"
import { waitUntil } from "./wait_until.js"

/** What bounds the calls of one server. */
export interface CallGateSettings {
  readonly server: string
  readonly maxInFlight: number
  readonly maxQueued: number
  readonly breaker: Settled<BreakerOptions> | false
  /** Aborts when the client is closed. */
  readonly closed: AbortSignal
  /** Hears of the first answer after a trouble. */
  readonly recovered: () => void
}

/** The call, as errors name it. */
interface GatedCall {
  readonly id: string
  readonly subject: string
}

/** The gate of one server. Each `enter` that succeeded is followed by one `leave`. */
export class CallGate {
  readonly #limiter: Limiter
  readonly #breaker: CircuitBreaker | undefined
  /** True while anything but the count must be looked at. */
  #isTroubled = false
  #restUntil = 0
  #rest: Promise<void> | undefined
  #resting = 0

  constructor(private readonly settings: CallGateSettings) {
    const { server, maxInFlight, maxQueued, breaker } = settings
    this.#limiter = new Limiter({ maxInFlight, maxQueued, name: `server "${server}"` })
    this.#breaker = breaker === false ? undefined : new CircuitBreaker(breaker)
  }

  /** True while no call is under way. */
  get isIdle(): boolean {
    return this.#limiter.inFlight === 0
  }

  /** What a call that enters now has to remember, for `failed`. */
  get round(): number {
    return this.#breaker?.round ?? 0
  }

  /** Undefined where the call may go now. */
  enter(call: GatedCall, deadline: number, context: OperationContext | undefined): Promise<void> | undefined {
    return !this.#isTroubled && this.#limiter.tryAcquire() ? undefined : this.#wait(call, deadline, context)
  }

  leave(): void {
    this.#limiter.release()
  }

  /** The server has answered a call. */
  answered(): void {
    if (this.#isTroubled) this.#recover()
  }

  /** A call that entered in this round has ended without an answer. */
  failed(error: CallError, round: number): void {
    if (isAnswer(error)) this.answered()
    else if (isFailure(error)) {
      this.#breaker?.failed(round)
      this.#isTroubled = true
    }
  }

  /** The connection is another one: the next answer is worth hearing of. */
  disturb(): void {
    this.#isTroubled = true
  }

  /** The server asked for a rest of so many milliseconds. */
  rest(ms: number): void {
    this.#restUntil = Math.max(this.#restUntil, Date.now() + ms)
    this.#isTroubled = true
  }

  #recover(): void {
    this.#breaker?.answered()
    this.#isTroubled = this.#restUntil > Date.now()
    this.settings.recovered()
  }

  async #wait(call: GatedCall, deadline: number, context: OperationContext | undefined): Promise<void> {
    for (;;) {
      this.#refuseWhere(this.#breaker?.remainingMs(), call)
      if (this.#restUntil > Date.now()) await this.#waitForRest(call, deadline, context)
      else {
        await this.#limiter.acquire(call.id, deadline, context)
        // Much may have happened while it stood in the queue.
        if (this.#restUntil > Date.now()) this.#limiter.release()
        else break
      }
    }
    try {
      this.#refuseWhere(this.#breaker?.takeRemainingMs(), call)
    } catch (error) {
      this.#limiter.release()
      throw error
    }
  }

  async #waitForRest(call: GatedCall, deadline: number, context: OperationContext | undefined): Promise<void> {
    const { server, maxInFlight, maxQueued, closed } = this.settings
    const until = this.#restUntil
    if (until >= deadline) {
      throw new CallError("TRANSPORT_ERROR", `${call.subject}: the server has asked for a rest (HTTP status 429) that ends after the deadline`, {
        details: { server, operationId: call.id, kind: "http", status: 429, retryAfterMs: until - Date.now(), deadline, outcome: "not_started" },
      })
    }
    if (this.#resting + this.#limiter.queued >= maxQueued) {
      throw new CallError("RESOURCE_EXHAUSTED", `${call.subject}: refused, since ${maxQueued} calls wait already`, {
        details: { server, operationId: call.id, limit: maxInFlight + maxQueued, value: maxInFlight + maxQueued, outcome: "not_started" },
      })
    }
    this.#resting++
    // One clock for all who wait.
    this.#rest ??= pauseUntil(until, closed).then(() => {
      this.#rest = undefined
    })
    try {
      await waitUntil(this.#rest, deadline, context, call)
    } finally {
      this.#resting--
    }
    // The port says what is to be said about a client that is closed.
    if (closed.aborted) this.#restUntil = 0
  }

  #refuseWhere(remainingMs: number | undefined, { id, subject }: GatedCall): void {
    if (remainingMs === undefined || remainingMs === 0) return
    const failures = this.#breaker?.failures
    throw new CallError("TRANSPORT_ERROR", `${subject}: refused, since the server has failed ${String(failures)} times in a row; it is tried again in ${remainingMs} ms`, {
      details: { server: this.settings.server, operationId: id, kind: "breaker_open", failures, retryAfterMs: remainingMs, outcome: "not_started" },
    })
  }
}

/** True where the server itself has refused: its connection works. */
function isAnswer({ code, details }: CallError): boolean {
  const { status } = details
  if (code === "TRANSPORT_ERROR") return typeof status === "number" && status >= 400 && status < 500
  return code === "AUTH_REQUIRED" || (code === "PROTOCOL_ERROR" && "rpcCode" in details)
}

function isFailure({ code, details }: CallError): boolean {
  return code === "TRANSPORT_ERROR" && details["kind"] !== "breaker_open" && details["kind"] !== "redirect"
}
