/**
 * What a worker tells on stderr while it runs: one line for each thing that happens, and its health where that is asked for.
 *
 * In: warnings of MCP servers, changes of the connection, counters. Out: lines. A server that warns without end gets its first three lines
 * of a kind, and then the tenth, the hundredth, …: a worker runs for months, and its log has to stay one.
 */
import type { MCPWarning } from "../../from_mcp.js"
import type { WorkerHealth } from "../../nats.js"
import type { Host } from "../host.js"
import { printableLine } from "../view/printable.js"
import { screenOf } from "../view/screen.js"

const SHOWN_OF_A_KIND = 3

/** Writes the lines of one worker. */
export class WorkerLog {
  readonly #host: Host
  readonly #counts = new Map<string, number>()

  constructor(host: Host) {
    this.#host = host
  }

  /** A line that is expected. */
  say(text: string): void {
    this.#host.stderr.write(`${printableLine(text)}\n`)
  }

  /** A line that somebody should look at. */
  note(text: string): void {
    const { paint } = screenOf(this.#host, this.#host.stderr)
    this.#host.stderr.write(`${paint.notable("note")}   ${printableLine(text)}\n`)
  }

  /** Takes a warning; bound, so that it can be handed on. */
  readonly warn = ({ server, kind, message }: MCPWarning): void => {
    const key = `${server} ${kind}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    if (count <= SHOWN_OF_A_KIND) this.note(`${server}: ${message}`)
    else if (Number.isInteger(Math.log10(count))) this.note(`${server}: ${message} (number ${String(count)} of this kind)`)
  }

  /** The counters of a worker, as words that `grep` and `cut` understand. */
  health(health: WorkerHealth): void {
    this.say(healthLine(health))
  }
}

/** `health worker=w1 status=up operations=3 …`, always with the same members in the same order. */
function healthLine({ name, status, operations, inFlight, queued, served, failed, refused, misread, averageMs, startedAt }: WorkerHealth): string {
  const upSeconds = Math.max(0, Math.round((Date.now() - startedAt) / 1000))
  const facts = { worker: name, status, operations, inFlight, queued, served, failed, refused, misread, averageMs: averageMs.toFixed(1), upSeconds }
  return `health ${Object.entries(facts)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(" ")}`
}
