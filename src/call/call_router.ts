/**
 * Sends each call to where its operation lives.
 *
 * In: routes from id patterns to targets (a registry, a map of pending requests over a transport, another router). Out: the
 * target's envelope. A target's calls in flight are bounded; what waits past its deadline is refused without running.
 * The longest pattern that fits wins, so that the order of the routes does not matter.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import { matchesOperationId, narrowContext, resolveDeadline, type OperationContext } from "../operation.js"
import type { CallTarget } from "../registry.js"
import { Limiter } from "./limiter.js"

/** Where the operations of a pattern live. */
export interface CallRoute {
  /** `"fs.read"`, `"fs.*"`, `"*"`. */
  readonly match: string
  readonly target: CallTarget
  /** Most calls of this route in flight. Default 1,000. */
  readonly maxInFlight?: number | undefined
  /** Most calls of this route that wait for a place. Default 10,000. */
  readonly maxQueued?: number | undefined
}

/** What a router is made with. */
export interface CallRouterOptions {
  readonly routes: readonly CallRoute[]
  /** Where everything else goes; without it, that is OPERATION_NOT_FOUND. */
  readonly fallback?: CallTarget | undefined
  /** The longest duration of a call that names none, its time in the queue counted, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
}

interface Lane {
  readonly match: string
  readonly target: CallTarget
  readonly limiter: Limiter
}

/** Routes calls to targets by operation id. */
export class CallRouter implements CallTarget {
  readonly #lanes: readonly Lane[]
  readonly #timeoutMs: number

  constructor({ routes, fallback, timeoutMs = 60_000 }: CallRouterOptions) {
    const all = fallback === undefined ? routes : [...routes, { match: "*", target: fallback }]
    this.#lanes = all
      .map(({ match, target, maxInFlight = 1_000, maxQueued = 10_000 }: CallRoute) => ({
        match,
        target,
        limiter: new Limiter({ maxInFlight, maxQueued, name: `the route "${match}"` }),
      }))
      // A stable sort: of two equal patterns the first one given wins.
      .sort((one, other) => weight(other.match) - weight(one.match))
    this.#timeoutMs = timeoutMs
  }

  /** Calls an operation where it lives. @throws CallError always, never anything else */
  async execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> {
    const lane = this.#laneOf(operationId)
    const deadline = this.#deadlineOf(operationId, context, this.#timeoutMs)
    return lane.limiter.run(() => lane.target.execute(operationId, input, narrowContext(context, deadline)), { operationId, deadline, context })
  }

  /** The envelopes of a subscription where it lives; it holds one place of its route until it ends. @throws CallError from `next()` */
  async *subscribe(operationId: string, input?: unknown, context?: OperationContext): AsyncGenerator<ResponseEnvelope, undefined> {
    const lane = this.#laneOf(operationId)
    const deadline = this.#deadlineOf(operationId, context, Infinity)
    await lane.limiter.acquire(operationId, deadline, context)
    try {
      yield* lane.target.subscribe(operationId, input, context)
    } finally {
      lane.limiter.release()
    }
  }

  #laneOf(operationId: string): Lane {
    const lane = this.#lanes.find(({ match }) => matchesOperationId(match, operationId))
    if (lane !== undefined) return lane
    throw new CallError("OPERATION_NOT_FOUND", `No route leads to "${operationId}"`, { details: { operationId, nearest: [], outcome: "not_started" } })
  }

  #deadlineOf(operationId: string, context: OperationContext | undefined, timeoutMs: number): number {
    const now = Date.now()
    const deadline = resolveDeadline(context, timeoutMs, now)
    if (deadline <= now) {
      throw new CallError("TIMEOUT", `The deadline of "${operationId}" passed before it began`, { details: { operationId, deadline, outcome: "not_started" } })
    }
    return deadline
  }
}

/** An exact id weighs more than any pattern, a longer pattern more than a shorter one. */
function weight(pattern: string): number {
  return pattern.includes("*") ? pattern.length : Number.MAX_SAFE_INTEGER
}
