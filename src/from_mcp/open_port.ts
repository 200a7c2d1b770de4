/**
 * Makes ports: from a transport that is to be connected, or from an SDK client that is connected already.
 *
 * In: a transport or a client. Out: a port whose handshake is done. A handshake that fails, is stopped or takes too long leaves
 * nothing behind: the transport is closed before the error is thrown. The SDK is loaded here, when it is first needed.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { CallError } from "../error.js"
import { atDeadline } from "../operation.js"
import { capabilitiesOf } from "./answer_server.js"
import type { ContextualTransport, ReplaceablePort } from "./connection.js"
import { requestError, toPortError, type RequestPlace } from "./errors.js"
import type { MCPPort } from "./port.js"
import { SDK1Port, type PortSettings } from "./sdk1_port.js"
import { TappedTransport, tapInPlace } from "./tapped_transport.js"

/** How a connection is made. */
export interface OpenPortSettings extends PortSettings {
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined
  /** The latest end of the handshake, in epoch milliseconds. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
}

const CLIENT_INFO = { name: "mcp-operations", version: "0.1.0" }
/** The SDK would make a validator that compiles code, for checks that are never asked of it. */
const NO_VALIDATOR = { getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }) }
const CONNECTION_CLOSED = -32000
const NO_TIMEOUT = { timeout: 2 ** 31 - 1 }

/**
 * A port over a transport that was not started yet.
 *
 * @throws CallError TIMEOUT, ABORTED, TRANSPORT_ERROR, AUTH_REQUIRED or PROTOCOL_ERROR; the transport is closed then.
 */
export async function openPort(transport: ContextualTransport, settings: OpenPortSettings): Promise<ReplaceablePort> {
  const sdk = await import("@modelcontextprotocol/sdk/client/index.js")
  const client = new sdk.Client(settings.clientInfo ?? CLIENT_INFO, { capabilities: capabilitiesOf(settings.handlers ?? {}), jsonSchemaValidator: NO_VALIDATOR })
  const port = new SDK1Port(client, { transport, alone: true }, settings)
  const tapped = new TappedTransport(transport, port.exchange)
  let stopped: Stop | undefined
  try {
    stopped = await withinTime(() => client.connect(tapped, NO_TIMEOUT), settings)
    if (stopped === undefined) {
      port.protocolVersion = tapped.protocolVersion
      settings.logging?.opened(port)
      return port
    }
  } catch (cause) {
    await closeBoth(port, transport)
    throw connectError(cause, transport, settings)
  }
  await closeBoth(port, transport)
  throw stoppedError(stopped, transport, settings)
}

/**
 * A port over a client that its host has connected. Closing the port closes the client.
 *
 * @throws CallError CONFIGURATION_ERROR where the client is not connected.
 */
export function adoptClient(client: Client, settings: PortSettings): MCPPort {
  const { transport } = client
  if (transport === undefined) {
    throw new CallError("CONFIGURATION_ERROR", `The client given for server "${settings.server}" is not connected`, { details: { remedy: "await client.connect(transport) first" } })
  }
  // Requests of the port are sent past the tap, which takes what it sees for the host's own.
  const send = transport.send.bind(transport)
  const port = new SDK1Port(client, { transport: { send, sessionId: transport.sessionId }, alone: false }, settings)
  port.onClose(tapInPlace(transport, port.exchange))
  return port
}

/** The SDK forgets a transport whose handshake failed, perhaps before it is closed: both are waited for. */
async function closeBoth(port: MCPPort, transport: ContextualTransport): Promise<void> {
  await port.close().catch(() => undefined)
  await transport.close().catch(() => undefined)
}

/** Why a handshake was given up from outside. */
interface Stop {
  readonly code: "ABORTED" | "TIMEOUT"
  readonly reason?: unknown
}

/** Undefined once the handshake is done; what ended it before. A failing handshake rejects. */
async function withinTime(shake: () => Promise<void>, { deadline, signal }: OpenPortSettings): Promise<Stop | undefined> {
  if (signal?.aborted === true) return { code: "ABORTED", reason: signal.reason }
  return new Promise((resolve, reject) => {
    const stop = () => resolve({ code: "ABORTED", reason: signal?.reason })
    const cancel = atDeadline(deadline, () => resolve({ code: "TIMEOUT" }))
    signal?.addEventListener("abort", stop, { once: true })
    shake()
      .then(() => resolve(undefined), reject)
      .finally(() => {
        cancel()
        signal?.removeEventListener("abort", stop)
      })
  })
}

function stoppedError({ code, reason }: Stop, transport: ContextualTransport, settings: OpenPortSettings): CallError {
  const details = { ...transport.diagnose?.(), outcome: "not_started" }
  return code === "TIMEOUT"
    ? requestError(placeOf(settings), code, "the handshake was not finished in time", { deadline: settings.deadline, ...details })
    : requestError(placeOf(settings), code, "the connecting was stopped", details, reason)
}

function connectError(cause: unknown, transport: ContextualTransport, settings: OpenPortSettings): CallError {
  const facts = transport.diagnose?.()
  const { lossReason } = transport
  const error = toPortError(cause, placeOf(settings), "not_started")
  // The SDK's word for a lost connection is an error answer like any other; the transport knows better.
  if (lossReason !== undefined && error.details["rpcCode"] === CONNECTION_CLOSED) {
    return new CallError("TRANSPORT_ERROR", lossReason.message, { details: { ...lossReason.details, outcome: "not_started" }, cause: lossReason })
  }
  return facts === undefined ? error : new CallError(error.code, error.message, { details: { ...facts, ...error.details }, cause: error.cause })
}

function placeOf({ server, mask }: OpenPortSettings): RequestPlace {
  return { server, method: "connect", mask }
}
