/**
 * Says that a worker is there: who it is, a hash of what it serves, how much it has to do.
 *
 * In: what is exposed and the load of the moment. Out: one small message at the start, after each change, when asked, at the end,
 * and every few seconds between: whoever has heard nothing for three of these knows that the worker has gone.
 * Bursts become one message: announcements go to every mirror, and a caller may ask as often as it likes.
 */
import type { NATSConnection } from "./connection.js"
import type { Exposed } from "./exposed.js"
import type { Subjects } from "./subjects.js"

/** How much a worker has to do at this moment. */
export interface AnnouncedLoad {
  readonly inFlight: number
  readonly queued: number
  readonly concurrency: number
}

/** What an announcer is made with. */
export interface AnnouncerOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly name: string
  readonly exposed: Exposed
  readonly load: () => AnnouncedLoad
  /** Milliseconds between two announcements when nothing happens. */
  readonly everyMs: number
}

/** A worker's voice. */
export interface Announcer {
  /** Announces soon: at once, or when 250 ms (`everyMs` where that is less) have passed since the last time. `draining: true` is said at once, and from then on. */
  now(draining?: boolean): void
  /** Says once that the worker goes, and nothing after that. */
  stop(): void
}

/** The shortest time between two announcements that are no farewell, where they are not wanted more often. */
const PAUSE_MS = 250

/** Announces a worker until it is stopped; begins at once. */
export function announce({ connection, subjects, name, exposed, load, everyMs }: AnnouncerOptions): Announcer {
  const subject = subjects.announce(name)
  let seq = 0
  let draining = false
  let stopped = false
  let lastAt = -Infinity
  let waiting: ReturnType<typeof setTimeout> | undefined

  const say = () => {
    clearTimeout(waiting)
    waiting = undefined
    lastAt = performance.now()
    try {
      const { inFlight, queued, concurrency } = load()
      const body = { v: 1, worker: name, seq: seq++, catalogHash: exposed.hash, count: exposed.count, load: { inFlight, queued, concurrency }, draining }
      connection.publish(subject, JSON.stringify(body))
    } catch {
      // A closed connection cannot be told anything; one that comes back hears the next announcement.
    }
  }
  const soon = () => {
    if (stopped || waiting !== undefined) return
    const rest = lastAt + Math.min(PAUSE_MS, everyMs) - performance.now()
    if (rest <= 0) say()
    else {
      waiting = setTimeout(say, rest)
      waiting.unref()
    }
  }
  const unhear = exposed.onChange(soon)
  const timer = setInterval(soon, everyMs)
  timer.unref()
  say()
  return {
    now: (leaving = false) => {
      if (stopped) return
      if (!leaving || draining) return soon()
      draining = true
      say()
    },
    stop: () => {
      if (stopped) return
      stopped = true
      unhear()
      clearInterval(timer)
      draining = true
      say()
    },
  }
}
