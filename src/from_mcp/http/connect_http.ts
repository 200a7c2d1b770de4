/**
 * Connects to a server over HTTP.
 *
 * In: its config. Out: a connection with one session, or one for each key of `sessionFor`.
 * Which transport the server speaks is found out once, as the specification says: Streamable HTTP first, and the older one only
 * where the first POST is refused with 400, 404 or 405. Any other failure is the true one and must not be hidden by a second.
 */
import { CallError } from "../../error.js"
import type { AuthProvider } from "../auth_provider.js"
import type { Connection, ReplaceablePort } from "../connection.js"
import { createMask } from "../mask.js"
import { openPort, type OpenPortSettings } from "../open_port.js"
import { MainPort, onePort, type Attempt, type MainPortSettings } from "../main_port.js"
import type { PortContext } from "../port.js"
import type { HTTPServerConfig } from "../server_config.js"
import { Authorizer } from "./authorizer.js"
import { endpointOf } from "./endpoint.js"
import { headerSource, MadeSecrets, sessionKey } from "./header_source.js"
import { HTTPTransport } from "./http_transport.js"
import { openNetwork, type Network, type NetworkPolicy } from "./network.js"
import { SessionPool } from "./session_pool.js"

/** What connecting takes beside the config. */
export interface HTTPConnectSettings extends OpenPortSettings, MainPortSettings {
  readonly maxResultBytes: number
  /** Time for the handshake of each further session, in milliseconds; the first one has `deadline`. */
  readonly connectTimeoutMs: number
  /** The host's own, in place of a network of this library. */
  readonly fetch?: typeof fetch | undefined
  readonly network?: NetworkPolicy | undefined
  readonly authProvider?: AuthProvider | undefined
}

const FALLS_BACK = new Set<number | undefined>([400, 404, 405])

/**
 * Opens the first session.
 *
 * @throws CallError CONFIGURATION_ERROR, AUTH_REQUIRED, TRANSPORT_ERROR, TIMEOUT, ABORTED or PROTOCOL_ERROR; nothing is left open then.
 */
export async function connectHTTP(config: HTTPServerConfig, given: HTTPConnectSettings): Promise<Connection> {
  requireTransport(given.server, config.transport)
  const network = await networkOf(given)
  const closed = new AbortController()
  const cutOff = () => {
    closed.abort()
    return network.close()
  }
  try {
    const connection = await connectOver(network, config, given, closed.signal)
    return {
      main: connection.main,
      portFor: (context, operationId) => connection.portFor(context, operationId),
      giveUp: (port, reason) => connection.giveUp(port, reason),
      close: () => connection.close().finally(cutOff),
    }
  } catch (error) {
    await cutOff()
    throw error
  }
}

async function networkOf({ server, network: policy, fetch, connectTimeoutMs }: HTTPConnectSettings): Promise<Network> {
  if (fetch === undefined) return openNetwork({ server, policy, connectTimeoutMs })
  if (policy === undefined) return { fetch, close: async () => undefined }
  throw new CallError("CONFIGURATION_ERROR", `Server "${server}": a network policy cannot be held with a fetch of the host's own`, {
    details: { server, remedy: "give one of network and fetch" },
  })
}

async function connectOver({ fetch }: Network, config: HTTPServerConfig, given: HTTPConnectSettings, closed: AbortSignal): Promise<Connection> {
  const { server, authProvider: provider } = given
  const secrets = new MadeSecrets()
  const { url, authorization } = endpointOf(server, config.url)
  const headers = headerSource(server, config, authorization, secrets)
  const secret = (value: string) => secrets.add(value)
  const authorizer = provider === undefined ? undefined : new Authorizer({ server, url, provider, fetch, secret, closed })
  const hide = createMask(undefined, () => secrets)
  const settings: HTTPConnectSettings = {
    ...given,
    mask: (text) => hide(given.mask(text)),
    warn: (kind, message, tool) => given.warn(kind, hide(message), tool),
  }
  const session = (wire: "http" | "sse", opener: Omit<PortContext, "purpose"> = {}) => {
    const { mask, maxResultBytes } = settings
    return new HTTPTransport({ server, wire, url, headers, authorizer, fetch, mask, maxBytes: maxResultBytes, opener })
  }
  const key = await sessionKey(server, config, { purpose: "connect" })
  const { wire, transport, port } = await openFirst(config, settings, session)
  const main: MainPort = new MainPort(port, settings, async (attempt: Attempt) => {
    // The transport that was found is kept: a server that is just starting may answer anything.
    const next = await openFirst({ ...config, transport: wire }, { ...settings, ...attempt }, session)
    watchSession(next, main)
    return next.port
  })
  watchSession({ transport, port }, main)
  if (config.sessionFor === undefined) return onePort(main)
  return new SessionPool({
    main,
    mainKey: key,
    keyFor: (context) => sessionKey(server, config, context),
    check: headers,
    open: (opener, signal) =>
      opened(session(wire, opener), { ...settings, context: { ...opener, purpose: "connect" }, deadline: Date.now() + settings.connectTimeoutMs, signal }),
  })
}

function watchSession({ transport, port }: { readonly transport: HTTPTransport; readonly port: ReplaceablePort }, main: MainPort): void {
  transport.onstale = (reason) => main.stale(port, reason, "retired")
}

function requireTransport(server: string, transport: unknown): void {
  if (transport === undefined || transport === "http" || transport === "sse") return
  throw new CallError("CONFIGURATION_ERROR", `Server "${server}": its transport is neither "http" nor "sse"`, {
    details: { server, remedy: "leave it out, and the one that the server speaks is found" },
  })
}

async function openFirst(
  config: HTTPServerConfig,
  given: HTTPConnectSettings,
  session: (wire: "http" | "sse") => HTTPTransport,
): Promise<{ wire: "http" | "sse"; transport: HTTPTransport; port: ReplaceablePort }> {
  const settings: OpenPortSettings = { ...given, context: { purpose: "connect" } }
  const wire = config.transport ?? "http"
  const transport = session(wire)
  try {
    return { wire, transport, port: await opened(transport, settings) }
  } catch (refusal) {
    if (config.transport !== undefined || !FALLS_BACK.has(transport.refusedWith)) throw refusal
    const older = session("sse")
    try {
      return { wire: "sse", transport: older, port: await opened(older, settings) }
    } catch (failure) {
      throw neither(given.server, refusal, failure)
    }
  }
}

/** An open port. Whatever a failed handshake did at the server, no call was run by it. */
async function opened(transport: HTTPTransport, settings: OpenPortSettings): Promise<ReplaceablePort> {
  try {
    return await openPort(transport, settings)
  } catch (error) {
    if (!(error instanceof CallError) || error.details["outcome"] === "not_started") throw error
    throw new CallError(error.code, error.message, { details: { ...error.details, outcome: "not_started" }, cause: error.cause })
  }
}

/** Both causes in one error; code and details are those of the older transport, which the server pointed to. */
function neither(server: string, refusal: unknown, failure: unknown): unknown {
  if (!(refusal instanceof CallError) || !(failure instanceof CallError)) return failure
  const attempts = [
    { transport: "http", code: refusal.code, status: refusal.details["status"], message: refusal.message },
    { transport: "sse", code: failure.code, status: failure.details["status"], message: failure.message },
  ]
  return new CallError(failure.code, `Server "${server}" could not be reached. Streamable HTTP: ${refusal.message}. SSE: ${failure.message}`, {
    details: { ...failure.details, attempts },
    cause: new AggregateError([refusal, failure], "Both transports failed"),
  })
}
