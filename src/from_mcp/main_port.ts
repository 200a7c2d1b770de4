/**
 * The port that lists a server's tools, opened again when it is lost.
 *
 * In: the first port, and how another one is opened. Out: the present port, or a promise for the next one that all callers
 * share; the status. Attempts are bounded and come later and later; they are counted until a call was answered, so that a server
 * which dies right after each handshake is not started for ever. After the last one the status is `failed`, and whoever asks
 * for the port then begins anew. Knows no tools: its owner makes each new port ready to use.
 */
import { CallError, toCallError } from "../error.js"
import type { ReconnectOptions, Settled } from "./client_options.js"
import { StatusLog } from "./client_status.js"
import type { Connection, ReplaceablePort } from "./connection.js"
import { backoffMs, pauseUntil } from "./pause.js"
import type { MCPPort } from "./port.js"

/** One attempt to open a port. */
export interface Attempt {
  /** Its latest end, in epoch milliseconds. */
  readonly deadline: number
  /** Aborts when the client is closed. */
  readonly signal: AbortSignal
}

/** How a port is kept. */
export interface MainPortSettings {
  readonly server: string
  /** False where a lost port stays lost. */
  readonly reconnect: Settled<ReconnectOptions> | false
  /** Time for each attempt, in milliseconds. */
  readonly connectTimeoutMs: number
}

/** What becomes of the port that was lost: closed first, closed after its last answer, or asked whether its server is there again. */
type Fate = "closed" | "retired" | "asked"

/** Who uses the port. */
export interface MainPortOwner {
  /** Makes a new port ready to use. A rejection counts as a failed attempt. */
  adopt(port: MCPPort, attempt: Attempt): Promise<void>
}

/** A connection that has lasted so long counts as a good one, whether or not anybody called. */
const GOOD_AFTER_MS = 30_000

/** Keeps the port of one server. */
export class MainPort {
  readonly status = new StatusLog()
  #port: MCPPort
  #owner: MainPortOwner | undefined
  #isReady = true
  #readySince = Date.now()
  /** Attempts in a row after which no call was answered. */
  #unproven = 0
  #round: Promise<MCPPort> | undefined
  #closing: Promise<void> | undefined
  readonly #closed = new AbortController()
  /** A port whose server was not reached: it is asked again before another one is opened. */
  #asleep: ReplaceablePort | undefined
  /** Ports that were replaced and still wait for answers. */
  readonly #retired = new Set<MCPPort>()

  constructor(
    first: MCPPort,
    private readonly settings: MainPortSettings,
    private readonly open?: (attempt: Attempt) => Promise<ReplaceablePort>,
  ) {
    this.#port = first
  }

  /** The newest port, also while it is lost. */
  get port(): MCPPort {
    return this.#port
  }

  /** Aborts when the client is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** From now on a loss is noticed. */
  start(owner: MainPortOwner): void {
    this.#owner = owner
    this.#watch(this.#port)
  }

  /** The port, or a promise for the next one. Where there will be none, the lost one: it says why. */
  ready(): MCPPort | Promise<MCPPort> {
    if (this.#isReady) return this.#port
    if (this.#round === undefined) {
      if (!this.#canReopen()) return this.#port
      this.#unproven = 0
      this.#begin(this.status.detail.reason, this.#asleep === undefined ? "closed" : "asked", "connecting")
    }
    return this.#round ?? this.#port
  }

  /** Tells that a call found a port to take no more requests; what is under way in it goes on. True where it pays to ask `ready` again. */
  giveUp(port: MCPPort, reason: CallError): boolean {
    if (!this.#canReopen()) return false
    if (port !== this.#port || !this.#isReady) return true
    this.#unproven = 0
    // A server that was not reached may know the session still, and what the session stands for.
    this.#begin(reason, reason.details["kind"] === "connection" ? "asked" : "retired")
    return true
  }

  /** Tells that a port seems to be of no use any more, though no call has met that: like a loss. */
  stale(port: MCPPort, reason: CallError, fate: "closed" | "retired"): void {
    if (!this.#canReopen() || port !== this.#port || !this.#isReady) return
    this.#forgetIfGood()
    this.#begin(reason, fate)
  }

  /** A call was answered: the server is worth coming back to. */
  proved(): void {
    this.#unproven = 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isReady = false
    this.status.set("closed")
    this.#closed.abort()
    const ports = [this.#port, ...this.#retired]
    await Promise.all([...ports.map((port) => port.close()), this.#round?.catch(nothing)])
  }

  #canReopen(): boolean {
    return this.open !== undefined && this.settings.reconnect !== false && this.#owner !== undefined && this.status.detail.status !== "closed"
  }

  #watch(port: MCPPort): void {
    port.onClose((reason) => {
      this.#retired.delete(port)
      if (port === this.#asleep) this.#asleep = undefined
      if (port !== this.#port || !this.#isReady) return
      this.#isReady = false
      if (reason === undefined) this.status.set("closed")
      else if (this.#canReopen()) {
        this.#forgetIfGood()
        this.#begin(reason, "closed")
      } else this.status.set("failed", reason)
    })
  }

  #forgetIfGood(): void {
    if (Date.now() - this.#readySince >= GOOD_AFTER_MS) this.#unproven = 0
  }

  /** Begins a round of attempts. */
  #begin(reason: CallError | undefined, fate: Fate, status: "connecting" | "reconnecting" = "reconnecting"): void {
    this.#isReady = false
    // Only a port of ours is replaced, and those can be retired.
    const old = this.#port as ReplaceablePort
    this.#asleep = fate === "asked" ? old : undefined
    if (fate === "retired") this.#retire(old)
    this.#round = this.#reopen(reason, fate === "closed" && !this.#retired.has(old) ? old : undefined)
    this.#round.catch(nothing)
    this.status.set(status, reason)
  }

  #retire(port: ReplaceablePort): void {
    this.#retired.add(port)
    port.retire()
  }

  /** Attempts until one succeeds. `dead` is closed before: two processes of one server may stand in each other's way. */
  async #reopen(reason: CallError | undefined, dead: MCPPort | undefined): Promise<MCPPort> {
    const { server, reconnect } = this.settings
    // A round is begun only where there is a way to reconnect; see `#canReopen`.
    const { attempts, ...delays } = reconnect as Settled<ReconnectOptions>
    // The server answers at once that it knows a session no more: it is there.
    let isThere = this.#unproven === 0 && reason?.details["kind"] === "session_expired"
    let last = reason
    await dead?.close().catch(nothing)
    while (this.#unproven < attempts || isThere) {
      if (!isThere) await pauseUntil(Date.now() + Math.max(backoffMs(this.#unproven, delays), Math.min(wishOf(last), delays.maxDelayMs)), this.closed)
      this.#refuseClosed()
      isThere = false
      this.#unproven++
      try {
        return this.#become(await this.#attempt())
      } catch (error) {
        last = toCallError(error)
        this.#refuseClosed()
        if (isFinal(last)) break
      }
    }
    this.#round = undefined
    this.status.set("failed", last)
    throw notReached(server, last)
  }

  #refuseClosed(): void {
    const { server } = this.settings
    if (!this.closed.aborted) return
    throw new CallError("TRANSPORT_ERROR", `Server "${server}": the client was closed while it was reconnecting`, {
      details: { server, kind: "closed", outcome: "not_started" },
    })
  }

  async #attempt(): Promise<MCPPort> {
    const { open } = this
    const owner = this.#owner
    // As above: a round is begun only where both are there.
    if (open === undefined || owner === undefined) throw new TypeError("a port without a way to open it was lost")
    const attempt: Attempt = { deadline: Date.now() + this.settings.connectTimeoutMs, signal: this.closed }
    const asleep = this.#asleep
    if (asleep !== undefined && (await isAwake(asleep, owner, attempt))) return asleep
    const port = await open(attempt)
    if (asleep !== undefined) this.#retire(asleep)
    try {
      await owner.adopt(port, attempt)
      this.closed.throwIfAborted()
      return port
    } catch (error) {
      await port.close().catch(nothing)
      throw error
    }
  }

  #become(port: MCPPort): MCPPort {
    const isNew = port !== this.#port
    this.#port = port
    this.#asleep = undefined
    this.#isReady = true
    this.#readySince = Date.now()
    this.#round = undefined
    this.status.set("ready")
    if (isNew) this.#watch(port)
    return port
  }
}

/** The connection of a server that has one port for everybody. */
export function onePort(main: MainPort): Connection {
  return { main, portFor: () => main.ready(), giveUp: (port, reason) => (main.giveUp(port, reason) ? "now" : "never"), close: () => main.close() }
}

/** True where the server is there again and knows the session of this port; false where it has forgotten it. */
async function isAwake(port: MCPPort, owner: MainPortOwner, attempt: Attempt): Promise<boolean> {
  try {
    await owner.adopt(port, attempt)
    return true
  } catch (error) {
    if (toCallError(error).details["kind"] === "session_expired") return false
    throw error
  }
}

/** Attempts that would end the same way are not made: what is missing is a person's to give. A new session is not renewed at once. */
function isFinal({ code, details }: CallError): boolean {
  return code === "AUTH_REQUIRED" || code === "CONFIGURATION_ERROR" || details["kind"] === "session_expired"
}

/** How long the server asked to be left alone, in milliseconds. */
function wishOf(error: CallError | undefined): number {
  const wish = error?.details["retryAfterMs"]
  return typeof wish === "number" ? wish : 0
}

function notReached(server: string, last: CallError | undefined): CallError {
  if (last === undefined) return new CallError("TRANSPORT_ERROR", `Server "${server}": the connection was lost`, { details: { server, kind: "closed", outcome: "not_started" } })
  return new CallError(last.code, last.message, { details: { ...last.details, outcome: "not_started" }, cause: last })
}

function nothing(): void {
  // The error has another way to whom it concerns.
}
