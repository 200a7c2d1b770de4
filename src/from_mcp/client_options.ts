/**
 * What a host may say about one client, and the defaults.
 *
 * Shapes and numbers; every limit can be set.
 */
import type { Lock, ServerChange } from "../drift.js"
import type { AccessControl, RequestInstrument } from "../operation.js"
import type { AuthProvider } from "./auth_provider.js"
import type { ClientHandlers, LogEntry } from "./handlers.js"
import type { NetworkPolicy } from "./http/network.js"
import type { PrepareInputOptions } from "../schema.js"

/** Something that cost nothing but should be known; `message` has at most 500 characters. Nothing is ever printed. */
export interface MCPWarning {
  readonly server: string
  readonly kind: "junk" | "message" | "tool" | "schema" | "listing" | "config" | "connection" | "drift"
  readonly message: string
  readonly tool?: string | undefined
}

/** A tool as the server listed it: the members that the specification names are not promised. */
export type WireTool = Readonly<Record<string, unknown>> & { readonly name: string }

/** How a lost connection is made again. */
export interface ReconnectOptions {
  /** Attempts in a row, then the client is `failed` until somebody calls it again. Default 5. */
  readonly attempts?: number | undefined
  /** The longest wait before the first attempt, in milliseconds; it doubles with each further one. Default 500. */
  readonly firstDelayMs?: number | undefined
  /** The longest wait before any attempt, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number | undefined
}

/** Which calls may be sent a second time although they may have run. */
export interface RetryOptions {
  /** Tools that the server marks `readOnlyHint` or `idempotentHint`, where the client is `trusted`. Default false. */
  readonly hints?: boolean | undefined
  /** Ids of operations. Default none. */
  readonly operations?: readonly string[] | undefined
  /** HTTP statuses that say that nothing was started, for example 503. Default none. */
  readonly statuses?: readonly number[] | undefined
}

/** When calls of a server that does not work are refused without trying. */
export interface BreakerOptions {
  /** Failures of the connection in a row that open it. Default 5. */
  readonly failures?: number | undefined
  /** Time after which one call is tried, in milliseconds. Default 10,000. */
  readonly probeAfterMs?: number | undefined
}

/** How one client behaves. */
export interface MCPClientOptions {
  /**
   * What happens to structured content that does not fit its output schema: `"cast"` (default) brings it to the schema and
   * lists each change, `"repair"` fills stated defaults only, `"raw"` changes nothing. Issues are reported in all three.
   */
  readonly normalize?: "cast" | "repair" | "raw" | undefined
  /** Takes a text block as `data` where the tool declares an output schema that the parsed text fits. Default false. */
  readonly parseText?: boolean | undefined
  /** `"object"` sends `arguments: {}` where no input is given, for servers that insist on it. Default `"omit"`. */
  readonly emptyArguments?: "omit" | "object" | undefined
  /**
   * What is done to an input before it is checked and sent: `defaults` adds missing members for which the schema states a default,
   * `coerce` reads scalars as the kind that fits (`"5"` as 5). Default neither: the input is sent as given.
   */
  readonly input?: PrepareInputOptions | undefined
  /** Believes the server's `readOnlyHint`: such tools become queries. Default false: every tool is a mutation. */
  readonly trusted?: boolean | undefined
  /** What callers of this server's operations must be allowed. */
  readonly access?: AccessControl | ((tool: WireTool) => AccessControl | undefined) | undefined
  /** Whether `format` is a note (`"annotate"`, default) or is checked (`"assert"`). */
  readonly formats?: "annotate" | "assert" | undefined
  /** Time for the connection and the first listing, in milliseconds. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined
  /** The longest duration of a call whose context says none, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** The longest silence of a call whose context says none, in milliseconds: progress starts it anew. Default: none. */
  readonly idleTimeoutMs?: number | undefined
  /** Calls on the wire at once; further ones wait, until their deadline. Default 256. */
  readonly maxInFlight?: number | undefined
  /** Calls that wait for their turn; further ones are refused with RESOURCE_EXHAUSTED. Default 10,000. */
  readonly maxQueued?: number | undefined
  /** How a lost connection is made again; `false`: it is not, and the client stays `failed`. */
  readonly reconnect?: false | ReconnectOptions | undefined
  /** Calls that may be sent again although they may have run. Default none: a call runs at most once. */
  readonly retry?: RetryOptions | undefined
  /** When calls of a server that fails each of them are refused at once; `false`: never. */
  readonly breaker?: false | BreakerOptions | undefined
  /** Asks a server that nobody calls for a sign of life, so often in milliseconds; without one it is connected anew. Default: never. */
  readonly pingIntervalMs?: number | undefined
  /**
   * Ends the server's process also when the host is killed (SIGKILL), by one small process that watches over all servers. Default
   * false; without it servers are ended when the host exits by itself. Not on Windows.
   */
  readonly orphanGuard?: boolean | undefined
  /** The largest message taken from the server, in bytes. Default 16 MiB. */
  readonly maxResultBytes?: number | undefined
  /** Pages of a listing that are followed. Default 64. */
  readonly maxPages?: number | undefined
  /** Hears each warning; the newest ones also stand in `wrapper.warnings`. What it throws is ignored. */
  readonly onWarning?: ((warning: MCPWarning) => void) | undefined
  /** Answers to requests of the server: roots, elicitation, sampling. What has no handler is not announced and refused at once. */
  readonly handlers?: ClientHandlers | undefined
  /** Hears what the server logs, secrets of the config masked. What it throws is ignored. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined
  /** Hears of each call that is sent, and how it ended: see `otel()` of `mcp-operations/otel`. */
  readonly instrument?: RequestInstrument | undefined
  /** What was reviewed (`readLock`). Each listing is compared with it, also while running. */
  readonly lock?: Lock | undefined
  /**
   * What happens to tools that are not as the lock has them: `"warn"` (default) reports each change, `"block"` also keeps changed and new tools out
   * (they are `rejected`, with what changed), a function decides: anything but true keeps the tool out.
   */
  readonly onDrift?: "warn" | "block" | ((change: ServerChange) => boolean | Promise<boolean>) | undefined
  /** How this client introduces itself to the server. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined
  /** Gives up the connecting. */
  readonly signal?: AbortSignal | undefined
  /**
   * Gives the credentials of a server over HTTP, unless the headers of its config hold an Authorization of their own. What the server
   * refuses is renewed once for all calls that wait, and sent again: a request that was refused has not run.
   */
  readonly authProvider?: AuthProvider | undefined
  /** Which hosts and addresses may be reached over HTTP; checked for each connection and each redirect. Default: all. */
  readonly network?: NetworkPolicy | undefined
  /** Used for all requests over HTTP in place of this library's own; cannot be given together with `network`. */
  readonly fetch?: typeof fetch | undefined
}

/** The values of the options that are left out. */
export const CLIENT_DEFAULTS = {
  connectTimeoutMs: 30_000,
  timeoutMs: 60_000,
  maxInFlight: 256,
  maxQueued: 10_000,
  reconnect: { attempts: 5, firstDelayMs: 500, maxDelayMs: 30_000 },
  breaker: { failures: 5, probeAfterMs: 10_000 },
  maxResultBytes: 16 * 1024 * 1024,
  maxPages: 64,
} as const

/** Options after the defaults were put in. */
export type Settled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** What the client does about a lost connection. */
export function reconnectOf({ reconnect }: MCPClientOptions): Settled<ReconnectOptions> | false {
  const { attempts, firstDelayMs, maxDelayMs } = CLIENT_DEFAULTS.reconnect
  if (reconnect === false) return false
  return { attempts: reconnect?.attempts ?? attempts, firstDelayMs: reconnect?.firstDelayMs ?? firstDelayMs, maxDelayMs: reconnect?.maxDelayMs ?? maxDelayMs }
}

/** What the client does about a server that fails each call. */
export function breakerOf({ breaker }: MCPClientOptions): Settled<BreakerOptions> | false {
  const { failures, probeAfterMs } = CLIENT_DEFAULTS.breaker
  return breaker === false ? false : { failures: breaker?.failures ?? failures, probeAfterMs: breaker?.probeAfterMs ?? probeAfterMs }
}
