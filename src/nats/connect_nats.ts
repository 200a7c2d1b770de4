/**
 * A connection with the settings that calls need.
 *
 * In: where the server is and who connects. Out: a connection; whoever asked for it closes it.
 * The library's own defaults give up for good after 20 seconds without a server and build an Error with a stack for each request.
 */
import { CallError } from "../error.js"
import type { NATSConnection } from "./connection.js"
import { loadClient } from "./headers.js"
import { inboxPrefix, tokenOrThrow } from "./subjects.js"

/** Where to connect, and as whom. */
export interface ConnectNATSOptions {
  /** `nats://host:port`, one or several of a cluster. User and password may stand in it. */
  readonly servers: string | readonly string[]
  /** The caller's or the worker's name: its answers go to `_INBOX.<name>.>`. With permissions on the server, the name of its user. */
  readonly caller: string
  readonly user?: string | undefined
  readonly pass?: string | undefined
  /** A token of the server's own authorization; not the token that `identify` gets. */
  readonly token?: string | undefined
  /** What monitoring shows. Default: the caller's name. */
  readonly name?: string | undefined
  /** TLS as `@nats-io/transport-node` takes it: `{}` demands it, files of certificates stand in it. */
  readonly tls?: Readonly<Record<string, unknown>> | undefined
  /** Waits for a server that is not there yet instead of failing. Default false. */
  readonly waitOnFirstConnect?: boolean | undefined
  /** Milliseconds between two attempts to connect again; some more by chance. Default 250. */
  readonly reconnectTimeWait?: number | undefined
  /** Milliseconds after which an attempt to connect has failed. Default 5,000. */
  readonly timeout?: number | undefined
}

/**
 * Connects to a NATS server. The connection comes back by itself for as long as it is not closed.
 *
 * @throws CallError CONFIGURATION_ERROR without the package `@nats-io/transport-node`, or for a name that is no token; AUTH_REQUIRED where
 * the server refuses the credentials; TRANSPORT_ERROR where there is no server.
 */
export async function connectNATS(options: ConnectNATSOptions): Promise<NATSConnection> {
  const { caller, servers, tls, waitOnFirstConnect = false, reconnectTimeWait = 250, timeout = 5_000 } = options
  tokenOrThrow(caller, "a caller")
  const { connect } = await loadClient()
  const named = readServers(typeof servers === "string" ? [servers] : servers)
  const user = options.user ?? named.user
  const pass = options.pass ?? named.pass
  try {
    return await connect({
      servers: named.hosts,
      name: options.name ?? caller,
      inboxPrefix: inboxPrefix(caller),
      noAsyncTraces: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait,
      reconnectJitter: Math.ceil(reconnectTimeWait * 0.4),
      pingInterval: 10_000,
      maxPingOut: 2,
      // Not among the documented options: so many bytes of a burst are one write. With its 32 kB, three messages of 10 kB are one.
      pendingLimit: 128 * 1024,
      timeout,
      waitOnFirstConnect,
      ...(user === undefined ? {} : { user }),
      ...(pass === undefined ? {} : { pass }),
      ...(options.token === undefined ? {} : { token: options.token }),
      ...(tls === undefined ? {} : { tls: { ...tls } }),
    })
  } catch (cause) {
    throw connectError(named.hosts, cause)
  }
}

function readServers(servers: readonly string[]): { hosts: string[]; user?: string | undefined; pass?: string | undefined } {
  let user: string | undefined
  let pass: string | undefined
  const hosts = servers.map((server) => {
    const text = server.includes("://") ? server : `nats://${server}`
    if (!URL.canParse(text)) throw new CallError("CONFIGURATION_ERROR", "The address of a NATS server is no url", { details: { remedy: "nats://host:4222" } })
    const url = new URL(text)
    if (url.protocol !== "nats:" && url.protocol !== "tls:") {
      throw new CallError("CONFIGURATION_ERROR", `"${url.protocol}//" is no address of a NATS server`, { details: { remedy: "nats://host:4222" } })
    }
    if (url.username !== "") user ??= decodeURIComponent(url.username)
    if (url.password !== "") pass ??= decodeURIComponent(url.password)
    return `${url.hostname}:${url.port === "" ? "4222" : url.port}`
  })
  return { hosts, user, pass }
}

function connectError(hosts: readonly string[], cause: unknown): CallError {
  const where = hosts.join(", ")
  // The library's own classes cannot be compared: the host may have loaded another copy.
  const name = cause instanceof Error ? cause.name : ""
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError") {
    return new CallError("AUTH_REQUIRED", `The NATS server at ${where} refused the user or the password`, { details: { kind: "nats", outcome: "not_started" }, cause })
  }
  return new CallError("TRANSPORT_ERROR", `No NATS server could be reached at ${where}`, {
    details: { kind: "connect", outcome: "not_started", remedy: "start nats-server there, or give another address" },
    cause,
  })
}
