/**
 * The ways to a client: from a config, from a port, from a connected SDK client; and the way out.
 *
 * Out: a wrapper whose tools are listed. A client that cannot be made leaves nothing behind: no process, no connection.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { CallError } from "../error.js"
import { answerServer } from "./answer_server.js"
import { listTools } from "./catalogue.js"
import { CLIENT_DEFAULTS, reconnectOf, type MCPClientOptions } from "./client_options.js"
import { MCPClientWrapper } from "./client_wrapper.js"
import type { Connection } from "./connection.js"
import { checkAgainstLock } from "./lock_check.js"
import { Logging } from "./logging.js"
import { MainPort, onePort } from "./main_port.js"
import { createMask, type Mask } from "./mask.js"
import { adoptClient } from "./open_port.js"
import type { MCPPort } from "./port.js"
import { RefreshOnChange } from "./refresh_on_change.js"
import type { MCPServerConfig } from "./server_config.js"
import { WarningLog } from "./warning_log.js"

/**
 * Connects to a server and lists its tools. The caller closes the wrapper.
 *
 * @throws CallError CONFIGURATION_ERROR, TRANSPORT_ERROR, AUTH_REQUIRED, TIMEOUT, ABORTED or PROTOCOL_ERROR; nothing else.
 *
 * @example
 * const files = await createMCPClient("files", { command: "mcp-server-filesystem", args: ["."] })
 * const { data } = await files.getTool("read_text_file")?.handler({ path: "README.md" })
 * await files.close()
 */
export async function createMCPClient(name: string, config: MCPServerConfig, options: MCPClientOptions = {}): Promise<MCPClientWrapper> {
  requireName(name)
  const mask = createMask(config)
  return makeWrapper(name, mask, options, (setup) => connect(name, config, setup))
}

/**
 * Lists the tools of a connection that the host has made: an `MCPPort`, or a connected client of the official SDK, version 1.
 * Closing the wrapper closes the connection.
 *
 * @throws CallError CONFIGURATION_ERROR where the client is not connected, and the errors of a listing.
 */
export async function fromMCP(name: string, portOrClient: MCPPort | Client, options: MCPClientOptions = {}): Promise<MCPClientWrapper> {
  requireName(name)
  const mask = createMask()
  return makeWrapper(name, mask, options, async ({ warnings, logging }) => {
    if (isPort(portOrClient)) {
      logging.listen(portOrClient)
      if (options.handlers !== undefined) answerServer(options.handlers, { server: name }, portOrClient.onRequest.bind(portOrClient))
    }
    const port = isPort(portOrClient) ? portOrClient : adoptClient(portOrClient, { server: name, mask, warn: warnings.add, handlers: options.handlers, logging })
    return onePort(new MainPort(port, { server: name, reconnect: false, connectTimeoutMs: 0 }))
  })
}

/** Closes a client; a process is ended with all its children. */
export function closeMCPClient(wrapper: MCPClientWrapper): Promise<void> {
  return wrapper.close()
}

/** What a connection is made with. */
interface Setup {
  readonly mask: Mask
  readonly warnings: WarningLog
  readonly logging: Logging
  readonly options: MCPClientOptions
  readonly deadline: number
}

async function makeWrapper(name: string, mask: Mask, options: MCPClientOptions, open: (setup: Setup) => Promise<Connection>): Promise<MCPClientWrapper> {
  const warnings = new WarningLog(name, mask, options.onWarning)
  const deadline = Date.now() + (options.connectTimeoutMs ?? CLIENT_DEFAULTS.connectTimeoutMs)
  const logging = new Logging({ server: name, mask, warn: warnings.add, onLog: options.onLog })
  const connection = await open({ mask, warnings, logging, options, deadline })
  try {
    const maxPages = options.maxPages ?? CLIENT_DEFAULTS.maxPages
    const { port } = connection.main
    const changes = new RefreshOnChange(warnings.add)
    changes.follow(port)
    const listed = await listTools(port, { server: name, maxPages, warn: warnings.add, deadline, signal: options.signal })
    const listing = await checkAgainstLock(listed, { server: name, info: port.serverInfo, instructions: port.instructions, options, warn: warnings.add })
    return new MCPClientWrapper({ name, connection, listing, options, warnings, logging, changes })
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

async function connect(name: string, config: MCPServerConfig, { mask, warnings, logging, options, deadline }: Setup): Promise<Connection> {
  const settings = {
    server: name,
    mask,
    warn: warnings.add,
    deadline,
    signal: options.signal,
    clientInfo: options.clientInfo,
    maxResultBytes: options.maxResultBytes ?? CLIENT_DEFAULTS.maxResultBytes,
    connectTimeoutMs: options.connectTimeoutMs ?? CLIENT_DEFAULTS.connectTimeoutMs,
    reconnect: reconnectOf(options),
    orphanGuard: options.orphanGuard,
    fetch: options.fetch,
    network: options.network,
    authProvider: options.authProvider,
    handlers: options.handlers,
    logging,
  }
  const hasCommand = "command" in config && isText(config.command)
  const hasURL = "url" in config && isText(config.url)
  if (hasCommand === hasURL) {
    throw new CallError("CONFIGURATION_ERROR", `Server "${name}": its config holds ${hasURL ? "both a command and a url" : "neither a command nor a url"}`, {
      details: { server: name, remedy: "give { command, args } or { url }" },
    })
  }
  // Loaded when needed: who speaks to processes only loads nothing of HTTP.
  if ("command" in config) {
    const { connectStdio } = await import("./stdio/connect_stdio.js")
    return connectStdio(config, settings)
  }
  const { connectHTTP } = await import("./http/connect_http.js")
  return connectHTTP(config, settings)
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== ""
}

function requireName(name: string): void {
  // Callers without types may pass anything.
  if (typeof (name as unknown) === "string" && name !== "") return
  throw new CallError("CONFIGURATION_ERROR", "A client needs a name: a text that is not empty", { details: { remedy: "give the server a name" } })
}

function isPort(value: MCPPort | Client): value is MCPPort {
  return "onNotification" in value && typeof value.onNotification === "function"
}
