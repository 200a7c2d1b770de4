/**
 * Whether a call that has failed may be sent again.
 *
 * In: how each sending of one call ended. Out: a promise that settles when it may be sent again, or the error that the call ends
 * with. It is sent again where it provably did not reach the server, and where the host has said that running twice does no
 * harm; nothing else is ever sent twice. What a call may have done in an earlier sending stays in its outcome.
 */
import { toCallError, CallError, type Outcome } from "../error.js"
import type { OperationContext } from "../operation.js"
import type { CallRoad } from "./call_tool.js"
import { backoffMs, pauseUntil } from "./pause.js"
import type { MCPPort } from "./port.js"
import type { ToolOperation } from "./tool_operation.js"
import { waitUntil } from "./wait_until.js"

/** How often one call is sent again, whatever the reasons. */
const SENT_AGAIN = 3
const DIED = new Set(["ECONNRESET", "EPIPE"])
const DELAYS = { firstDelayMs: 200, maxDelayMs: 5_000 }

/** A call that was sent. */
interface SentCall {
  readonly tool: ToolOperation
  readonly deadline: number
  readonly context: OperationContext | undefined
  /** Of the gate, when the call entered. */
  readonly round: number
}

/** The sendings of one call. */
export class CallAgain {
  #sentAgain = 0
  #isRenewed = false
  #mayHaveRun = false

  constructor(
    private readonly call: SentCall,
    private readonly road: CallRoad,
  ) {}

  /** Settles when the call may be sent again. `port` is the one it was sent through, if it came so far. @throws CallError that the call ends with */
  async after(thrown: unknown, port: MCPPort | undefined): Promise<void> {
    const error = this.#judged(toCallError(thrown))
    const pauseMs = port === undefined || this.#sentAgain >= SENT_AGAIN ? undefined : this.#pauseBefore(error, port)
    if (outcomeOf(error) === "unknown") this.#mayHaveRun = true
    if (pauseMs === undefined || Date.now() + pauseMs >= this.call.deadline) throw this.#final(error)
    this.#sentAgain++
    if (pauseMs === 0) return
    const { closed } = this.road.connection.main
    try {
      await waitUntil(pauseUntil(Date.now() + pauseMs, closed), this.call.deadline, this.call.context, this.call.tool)
    } catch {
      throw this.#final(error)
    }
  }

  /** Milliseconds to wait before the call is sent again; undefined where it is not. */
  #pauseBefore(error: CallError, port: MCPPort): number | undefined {
    if (error.code !== "TRANSPORT_ERROR") return undefined
    const { connection, gate, retry } = this.road
    const { kind, status, systemCode, retryAfterMs } = error.details
    const wishMs = typeof retryAfterMs === "number" ? retryAfterMs : undefined
    if (status === 429) {
      if (wishMs !== undefined) gate.rest(wishMs)
      return undefined
    }
    const outcome = outcomeOf(error)
    if (kind === "session_expired") {
      const mayRenew = !this.#isRenewed && connection.giveUp(port, error) !== "never"
      this.#isRenewed = true
      return mayRenew ? 0 : undefined
    }
    if (typeof status === "number" && retry?.statuses?.includes(status) === true) return wishMs ?? backoffMs(this.#sentAgain, DELAYS)
    if (outcome === "not_started" && (kind === "connection" || kind === "closed")) {
      // A connection that was kept and has died says nothing about the server.
      const when = typeof systemCode === "string" && DIED.has(systemCode) ? "now" : connection.giveUp(port, error)
      return when === "now" ? 0 : when === "later" ? backoffMs(this.#sentAgain, DELAYS) : undefined
    }
    if (outcome === "unknown" && this.#isSafe()) return kind === "closed" || kind === "exit" ? 0 : (wishMs ?? backoffMs(this.#sentAgain, DELAYS))
    return undefined
  }

  /** True where the host has said that running this tool twice does no harm, or that it believes the server which says so. */
  #isSafe(): boolean {
    const { retry, trusted } = this.road
    if (retry?.operations?.includes(this.call.tool.id) === true) return true
    const { readOnlyHint, idempotentHint } = this.call.tool.annotations ?? {}
    return retry?.hints === true && trusted && (readOnlyHint === true || idempotentHint === true)
  }

  /** A status of which the host has said that nothing was started. */
  #judged(error: CallError): CallError {
    const { status } = error.details
    return typeof status === "number" && this.road.retry?.statuses?.includes(status) === true ? withOutcome(error, "not_started") : error
  }

  #final(error: CallError): CallError {
    this.road.gate.failed(error, this.call.round)
    return this.#mayHaveRun ? withOutcome(error, "unknown") : error
  }
}

function outcomeOf({ details }: CallError): unknown {
  return details["outcome"]
}

function withOutcome(error: CallError, outcome: Outcome): CallError {
  if (error.details["outcome"] === outcome) return error
  return new CallError(error.code, error.message, { details: { ...error.details, outcome }, cause: error.cause ?? error })
}
