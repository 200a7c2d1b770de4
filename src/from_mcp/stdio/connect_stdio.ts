/**
 * Connects to a server that is a process.
 *
 * In: its config. Out: a connection with one port, shared by all callers: a process has no sessions.
 */
import type { Connection } from "../connection.js"
import { MainPort, onePort, type Attempt, type MainPortSettings } from "../main_port.js"
import { openPort, type OpenPortSettings } from "../open_port.js"
import type { StdioServerConfig } from "../server_config.js"
import { StdioTransport } from "./stdio_transport.js"

/** What connecting takes beside the config. */
export interface StdioConnectSettings extends OpenPortSettings, MainPortSettings {
  readonly maxResultBytes: number
  readonly orphanGuard?: boolean | undefined
}

/**
 * Starts the process and does the handshake; starts it again when it is lost.
 *
 * @throws CallError TRANSPORT_ERROR, TIMEOUT, ABORTED or PROTOCOL_ERROR; nothing of the process is left then.
 */
export async function connectStdio(config: StdioServerConfig, settings: StdioConnectSettings): Promise<Connection> {
  const { server, mask, warn, maxResultBytes, orphanGuard } = settings
  const open = (attempt?: Attempt) => openPort(new StdioTransport(config, { server, mask, warn, maxBytes: maxResultBytes, orphanGuard }), { ...settings, ...attempt })
  return onePort(new MainPort(await open(), settings, open))
}
