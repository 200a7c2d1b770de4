/**
 * What a host may say about one client, and the defaults.
 *
 * Shapes and numbers; every limit can be set.
 */
import type { AccessControl } from "../operation.js"
import type { ClientHandlers, LogEntry } from "./handlers.js"
import type { PrepareInputOptions } from "../schema.js"

/** Something that cost nothing but should be known; `message` has at most 500 characters. Nothing is ever printed. */
export interface MCPWarning {
  readonly server: string
  readonly kind: "junk" | "message" | "tool" | "schema" | "listing" | "config" | "connection"
  readonly message: string
  readonly tool?: string | undefined
}

/** A tool as the server listed it: the members that the specification names are not promised. */
export type WireTool = Readonly<Record<string, unknown>> & { readonly name: string }

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
  /** Calls on the wire at once; further ones wait, until their deadline. Default 256. */
  readonly maxInFlight?: number | undefined
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
  /** How this client introduces itself to the server. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined
  /** Gives up the connecting. */
  readonly signal?: AbortSignal | undefined
  /** Used for all requests over HTTP in place of the global one. */
  readonly fetch?: typeof fetch | undefined
}

/** The values of the options that are left out. */
export const CLIENT_DEFAULTS = {
  connectTimeoutMs: 30_000,
  timeoutMs: 60_000,
  maxInFlight: 256,
  maxResultBytes: 16 * 1024 * 1024,
  maxPages: 64,
} as const
