/**
 * When a call ends at the latest, and one clock that ends all of them.
 *
 * In: what a context says, and a function to run at a time. Out: an epoch time in milliseconds; a cancel function.
 * One timer serves all deadlines: they stand in buckets of 16 ms, so that 100,000 calls in flight cost a map entry each and
 * no timer. The timer keeps the process alive only while something waits, and times beyond 2^31 ms are slept to in steps.
 * A process that stood still finds its deadlines passed before it has read what came meanwhile, so it reads that first.
 */
import type { OperationContext } from "./context.js"

const BUCKET_MS = 16
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A timer that comes so much too late means that the process stood still. */
const STOOD_STILL_MS = 50

/** The earlier one of the context's deadline and its timeout (or the default one) from now, in epoch milliseconds. */
export function resolveDeadline(context: Pick<OperationContext, "deadline" | "timeoutMs"> | undefined, defaultTimeoutMs: number, now = Date.now()): number {
  const byDuration = now + (context?.timeoutMs ?? defaultTimeoutMs)
  const deadline = context?.deadline
  return deadline === undefined ? byDuration : Math.min(deadline, byDuration)
}

/** Something that ends at its deadline. It must not throw. */
export interface DeadlineTarget {
  expire(): void
}

/** Where a target waits: what `unwatchDeadline` wants to have. */
export type DeadlineBucket = Set<DeadlineTarget>

const buckets = new Map<number, DeadlineBucket>()
let waiting = 0
let timer: ReturnType<typeof setTimeout> | undefined
let armedFor = Infinity
let readFirst = false

/** How many deadlines wait at this moment in this process; 0 when all calls have settled. */
export function pendingDeadlines(): number {
  return waiting
}

/**
 * Runs a function once the time (epoch milliseconds) has come, never before it and up to 16 ms later (after a stand-still of the process: a turn after
 * it has begun to read again); gives the function that cancels it. `Infinity` never comes. The function must not throw.
 */
export function atDeadline(at: number, run: () => void): () => void {
  const target: DeadlineTarget = { expire: run }
  const bucket = watchDeadline(at, target)
  return () => unwatchDeadline(bucket, target)
}

/** The same for an object that is there anyway: no function is made for it. Undefined for `Infinity`. */
export function watchDeadline(at: number, target: DeadlineTarget): DeadlineBucket | undefined {
  if (at === Infinity) return undefined
  const key = Math.ceil(at / BUCKET_MS)
  let bucket = buckets.get(key)
  if (bucket === undefined) buckets.set(key, (bucket = new Set()))
  bucket.add(target)
  waiting++
  if (key < armedFor) arm(key)
  else if (waiting === 1) keepAlive(true)
  return bucket
}

/** Takes a target out of where `watchDeadline` put it; the second time does nothing. */
export function unwatchDeadline(bucket: DeadlineBucket | undefined, target: DeadlineTarget): void {
  if (bucket?.delete(target) === true && --waiting === 0) keepAlive(false)
}

function arm(key: number): void {
  if (timer !== undefined) clearTimeout(timer)
  armedFor = key
  timer = setTimeout(sweep, Math.min(Math.max(key * BUCKET_MS - Date.now(), 0), LONGEST_TIMER_MS))
}

function sweep(): void {
  const now = Date.now()
  readFirst = !readFirst && now - armedFor * BUCKET_MS > STOOD_STILL_MS
  if (readFirst) {
    timer = setTimeout(sweep, 0)
    return
  }
  timer = undefined
  armedFor = Infinity
  let next = Infinity
  const due: DeadlineBucket[] = []
  for (const [key, bucket] of buckets) {
    if (key * BUCKET_MS <= now) {
      buckets.delete(key)
      due.push(bucket)
    } else if (bucket.size === 0) buckets.delete(key)
    else if (key < next) next = key
  }
  if (next !== Infinity) arm(next)
  for (const bucket of due) {
    for (const target of bucket) {
      bucket.delete(target)
      waiting--
      target.expire()
    }
  }
  if (waiting === 0) keepAlive(false)
}

function keepAlive(on: boolean): void {
  // Timers of browsers are numbers and never keep anything alive.
  if (typeof timer !== "object") return
  if (on) timer.ref()
  else timer.unref()
}
