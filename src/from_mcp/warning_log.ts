/**
 * What went wrong without costing anything: kept for the host, told to it, never printed.
 *
 * In: a kind and a text. Out: the newest 100 warnings, and one call of the host's listener for each. Texts are masked and
 * clipped here, so that no caller can forget it. A server that floods is heard 1,000 times a kind, then counted only.
 */
import type { MCPWarning } from "./client_options.js"
import { clip } from "./clip.js"
import type { Mask } from "./mask.js"

const KEPT = 100
const TOLD = 1_000
const MESSAGE_LENGTH = 500

/** Reports something that cost nothing but should be known. */
export type Warn = (kind: MCPWarning["kind"], message: string, tool?: string) => void

/** The warnings of one client. */
export class WarningLog {
  private readonly kept: MCPWarning[] = []
  private readonly counts = new Map<MCPWarning["kind"], number>()

  constructor(
    private readonly server: string,
    private readonly mask: Mask,
    private readonly listener: ((warning: MCPWarning) => void) | undefined,
  ) {}

  /** The newest warnings, oldest first. */
  get list(): readonly MCPWarning[] {
    return [...this.kept]
  }

  readonly add: Warn = (kind, message, tool) => {
    const count = (this.counts.get(kind) ?? 0) + 1
    this.counts.set(kind, count)
    if (count > TOLD) return
    const text = clip(this.mask(message), MESSAGE_LENGTH - 60)
    const warning: MCPWarning = Object.freeze({
      server: this.server,
      kind,
      message: count === TOLD ? `${text} (further warnings of this kind are not reported)` : text,
      ...(tool === undefined ? {} : { tool }),
    })
    if (this.kept.push(warning) > KEPT) this.kept.shift()
    try {
      this.listener?.(warning)
    } catch {
      // The host's listener must not be able to break a connection.
    }
  }
}
