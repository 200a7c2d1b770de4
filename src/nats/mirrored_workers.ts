/**
 * The workers that a mirror knows: who is there, who has gone, and whose catalogue has to be read again.
 *
 * In: announcements. Out: what each worker holds, told when it changes. One catalogue a worker is read at a time, and a worker that keeps
 * changing or failing is read ever more seldom: it costs its own place and not the time of the others.
 * Silence counts only while this process listens: a connection that is down says nothing of the workers behind it.
 */
import { toCallError, type CallError } from "../error.js"
import type { Announcement } from "./announcement.js"
import type { Catalogue } from "./catalogue_reader.js"
import type { Definition } from "./mirrored_definitions.js"

/** A worker as a mirror sees it. */
export interface MirroredWorker {
  readonly name: string
  announcement: Announcement
  /** Epoch milliseconds. */
  heardAt: number
  /** The hash of the catalogue that was read last. */
  hash: string | undefined
  /** That catalogue showed all that the worker serves. */
  isWhole: boolean
}

/** A catalogue that was read. */
export interface MirroredCatalogue extends Pick<Catalogue, "hash" | "isWhole" | "unread"> {
  readonly definitions: readonly Definition[]
}

/** What is done with workers. */
export interface MirroredWorkersHome {
  /** Reads a catalogue. Called for one worker once at a time. */
  read(worker: MirroredWorker): Promise<MirroredCatalogue>
  took(worker: MirroredWorker, catalogue: MirroredCatalogue): void
  failed(worker: MirroredWorker, error: CallError): void
  /** A worker has gone, or takes no calls any more. */
  left(worker: MirroredWorker): void
  /** There is no room for one more. */
  refused(name: string): void
}

const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
const LOST_AFTER = 3
/** Catalogues that are read at once: they share one core, and the time that each of them may take. */
const MAX_READING = 4

/** A name, kept for a while after its worker has gone: coming back at once must not make anybody read sooner. */
interface Life {
  readonly worker: MirroredWorker
  present: boolean
  reading: boolean
  waits: ReturnType<typeof setTimeout> | "queued" | undefined
  /** Not read again before: a clock of `performance`. */
  notBefore: number
  failures: number
  /** A hash whose catalogue passed a limit: it is not asked for again. */
  givenUp: string | undefined
}

/** All workers of a mirror. */
export class MirroredWorkers {
  readonly #home: MirroredWorkersHome
  readonly #everyMs: number
  readonly #maxWorkers: number
  readonly #lives = new Map<string, Life>()
  readonly #queue: Life[] = []
  readonly #timer: ReturnType<typeof setInterval>
  #present = 0
  #reading = 0
  #sweptAt = Date.now()
  #whenQuiet: (() => void)[] = []
  #isListening = true

  constructor(home: MirroredWorkersHome, everyMs: number, maxWorkers: number) {
    this.#home = home
    this.#everyMs = everyMs
    this.#maxWorkers = maxWorkers
    this.#timer = setInterval(() => this.#sweep(), everyMs / 2)
    this.#timer.unref()
  }

  *[Symbol.iterator](): Generator<MirroredWorker> {
    for (const { worker, present } of this.#lives.values()) if (present) yield worker
  }

  /** True where a worker has been heard after that time, in epoch milliseconds. */
  wasHeardAfter(name: string, time: number): boolean {
    const life = this.#lives.get(name)
    return life?.present === true && life.worker.heardAt > time
  }

  /** A worker has spoken. */
  heard(announcement: Announcement): void {
    const { worker: name } = announcement
    const known = this.#lives.get(name)
    if (announcement.draining) {
      if (known?.present === true) this.#drop(known)
      return
    }
    if (known?.present !== true && this.#present >= this.#maxWorkers) return this.#home.refused(name)
    const life = known ?? begin(announcement)
    if (!life.present) {
      // At the end of the order: it is heard for the first time once more.
      this.#lives.delete(name)
      this.#lives.set(name, life)
      life.present = true
      this.#present++
    }
    life.worker.announcement = announcement
    life.worker.heardAt = Date.now()
    this.#wake(life)
  }

  /** Whether announcements can be heard at this moment. */
  listening(isListening: boolean): void {
    this.#isListening = isListening
    if (isListening) for (const { worker } of this.#lives.values()) worker.heardAt = Date.now()
  }

  /** Resolves when no catalogue is being read or waits to be read for the first time. */
  async quiet(): Promise<void> {
    while (this.#reading > 0 || this.#queue.length > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#queue.length = 0
    for (const { waits } of this.#lives.values()) if (waits !== undefined && waits !== "queued") clearTimeout(waits)
    this.#lives.clear()
    for (const resolve of this.#whenQuiet.splice(0)) resolve()
  }

  #drop(life: Life): void {
    life.present = false
    this.#present--
    life.worker.hash = undefined
    life.worker.isWhole = false
    if (life.waits !== undefined && life.waits !== "queued") {
      clearTimeout(life.waits)
      life.waits = undefined
    }
    life.failures++
    life.notBefore = Math.max(life.notBefore, performance.now() + pauseAfter(life.failures))
    this.#home.left(life.worker)
  }

  #wake(life: Life): void {
    const { hash } = life.worker.announcement
    if (life.reading || life.waits !== undefined || hash === life.worker.hash || hash === life.givenUp) return
    const rest = life.notBefore - performance.now()
    if (rest <= 0) return this.#enqueue(life)
    life.waits = setTimeout(() => {
      life.waits = undefined
      this.#enqueue(life)
    }, rest)
    life.waits.unref()
  }

  #enqueue(life: Life): void {
    life.waits = "queued"
    this.#queue.push(life)
    this.#next()
  }

  #next(): void {
    while (this.#reading < MAX_READING) {
      const life = this.#queue.shift()
      if (life === undefined) break
      life.waits = undefined
      if (life.present) void this.#read(life)
    }
    if (this.#reading === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve()
  }

  async #read(life: Life): Promise<void> {
    const { worker } = life
    const beganAt = performance.now()
    const wanted = worker.announcement.hash
    life.reading = true
    this.#reading++
    try {
      const catalogue = await this.#home.read(worker)
      if (!life.present) return
      worker.hash = catalogue.hash
      worker.isWhole = catalogue.isWhole
      // One that never has what it announces is as good as one that fails.
      life.failures = worker.hash === worker.announcement.hash ? 0 : life.failures + 1
      this.#home.took(worker, catalogue)
    } catch (thrown) {
      if (!life.present) return
      const error = toCallError(thrown)
      life.failures++
      if (error.code === "RESOURCE_EXHAUSTED" && error.details["limit"] !== undefined) life.givenUp = wanted
      this.#home.failed(worker, error)
    } finally {
      life.reading = false
      this.#reading--
      // At most a fifth of the time goes to one worker, however often it changes.
      const pause = Math.max(pauseAfter(life.failures), Math.min(LONGEST_PAUSE_MS, 4 * (performance.now() - beganAt)))
      life.notBefore = Math.max(life.notBefore, performance.now() + pause)
      if (life.present) this.#wake(life)
      this.#next()
    }
  }

  #sweep(): void {
    const now = Date.now()
    // Late by a whole period: this process was busy or asleep, and what workers said meanwhile is still to be read.
    const wasAway = now - this.#sweptAt > this.#everyMs
    this.#sweptAt = now
    this.#forget()
    if (wasAway) return this.listening(this.#isListening)
    if (!this.#isListening) return
    for (const life of this.#lives.values()) if (life.present && now - life.worker.heardAt > LOST_AFTER * this.#everyMs) this.#drop(life)
  }

  /** Names of workers that have been gone for long, and the oldest of them where there are too many. */
  #forget(): void {
    const until = performance.now() - LONGEST_PAUSE_MS
    let tooMany = this.#lives.size - 2 * this.#maxWorkers
    for (const [name, { present, reading, notBefore }] of this.#lives) {
      if (present || reading || (notBefore > until && tooMany <= 0)) continue
      this.#lives.delete(name)
      tooMany--
    }
  }
}

function begin(announcement: Announcement): Life {
  const worker: MirroredWorker = { name: announcement.worker, announcement, heardAt: 0, hash: undefined, isWhole: false }
  return { worker, present: false, reading: false, waits: undefined, notBefore: 0, failures: 0, givenUp: undefined }
}

function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** failures)
}
