/**
 * What the server logs, and how much of it.
 *
 * In: the ports of one client, as they come and go. Out: entries for the host's listener; the level that the host wants, told to
 * each port. A port that takes the place of a lost one is told again: a server remembers no level beyond its session.
 */
import { CallError, toCallError } from "../error.js"
import type { LogEntry, LoggingLevel } from "./handlers.js"
import { maskValue, type Mask } from "./mask.js"
import type { MCPPort } from "./port.js"
import type { Warn } from "./warning_log.js"

/** What a client's log needs to know. */
export interface LoggingSettings {
  readonly server: string
  readonly mask: Mask
  readonly warn: Warn
  readonly onLog: ((entry: LogEntry) => void) | undefined
}

const SET_LEVEL_MS = 30_000

/** The log of one client. */
export class Logging {
  private level: LoggingLevel | undefined
  private readonly ports = new Set<MCPPort>()

  constructor(private readonly settings: LoggingSettings) {}

  /** Hears a port's server. */
  listen(port: MCPPort): void {
    if (this.settings.onLog !== undefined) port.onNotification("notifications/message", (params) => this.logged(params))
    this.ports.add(port)
    port.onClose(() => this.ports.delete(port))
  }

  /** A port is ready: it hears of the level that was asked for before. */
  opened(port: MCPPort): void {
    const { level } = this
    if (level === undefined || !logs(port)) return
    tell(port, level).catch((error: unknown) => this.settings.warn("connection", `The logging level could not be set: ${toCallError(error).message}`))
  }

  /** Tells the level to every open session, and to later ones. */
  async setLevel(level: LoggingLevel): Promise<void> {
    const ports = [...this.ports].filter(logs)
    if (ports.length === 0) {
      const { server } = this.settings
      throw new CallError("PROTOCOL_ERROR", `Server "${server}" does not offer logging`, { details: { server, outcome: "not_started" } })
    }
    this.level = level
    await Promise.all(ports.map((port) => tell(port, level)))
  }

  private logged(params: unknown): void {
    if (typeof params !== "object" || params === null) return
    const { level, logger, data } = params as { level?: unknown; logger?: unknown; data?: unknown } // Members of any object, checked below.
    const { server, mask, onLog } = this.settings
    try {
      onLog?.({
        server,
        level: typeof level === "string" ? level : "",
        ...(typeof logger === "string" && { logger: mask(logger) }),
        data: maskValue(data, mask),
      })
    } catch {
      // The host's listener must not be able to break a connection.
    }
  }
}

function logs({ capabilities }: MCPPort): boolean {
  return capabilities["logging"] !== undefined && capabilities["logging"] !== null
}

async function tell(port: MCPPort, level: LoggingLevel): Promise<void> {
  await port.request("logging/setLevel", { level }, { timeoutMs: SET_LEVEL_MS })
}
