/**
 * When a call ends at the latest, and one clock that ends all of them.
 *
 * In: what a context says, and a function to run at a time. Out: an epoch time in milliseconds; a cancel function.
 * One timer serves all deadlines: they stand in buckets of 16 ms, so that 100,000 calls in flight cost a map entry each and
 * no timer. The timer keeps the process alive only while something waits, and times beyond 2^31 ms are slept to in steps.
 */
import type { OperationContext } from "./context.js"

const BUCKET_MS = 16
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The earlier one of the context's deadline and its timeout (or the default one) from now, in epoch milliseconds. */
export function resolveDeadline(context: Pick<OperationContext, "deadline" | "timeoutMs"> | undefined, defaultTimeoutMs: number, now = Date.now()): number {
  const byDuration = now + (context?.timeoutMs ?? defaultTimeoutMs)
  const deadline = context?.deadline
  return deadline === undefined ? byDuration : Math.min(deadline, byDuration)
}

interface Entry {
  readonly run: () => void
}

const buckets = new Map<number, Set<Entry>>()
let waiting = 0
let timer: ReturnType<typeof setTimeout> | undefined
let armedFor = Infinity

/** How many deadlines wait at this moment in this process; 0 when all calls have settled. */
export function pendingDeadlines(): number {
  return waiting
}

/**
 * Runs a function once the time (epoch milliseconds) has come, never before it and up to 16 ms later; gives the function that
 * cancels it. `Infinity` never comes. The function must not throw.
 */
export function atDeadline(at: number, run: () => void): () => void {
  if (at === Infinity) return noop
  const key = Math.ceil(at / BUCKET_MS)
  const entry: Entry = { run }
  let bucket = buckets.get(key)
  if (bucket === undefined) buckets.set(key, (bucket = new Set()))
  bucket.add(entry)
  waiting++
  if (key < armedFor) arm(key)
  else if (waiting === 1) keepAlive(true)
  const home = bucket
  return () => {
    if (home.delete(entry) && --waiting === 0) keepAlive(false)
  }
}

function arm(key: number): void {
  if (timer !== undefined) clearTimeout(timer)
  armedFor = key
  timer = setTimeout(sweep, Math.min(Math.max(key * BUCKET_MS - Date.now(), 0), LONGEST_TIMER_MS))
}

function sweep(): void {
  timer = undefined
  armedFor = Infinity
  const now = Date.now()
  let next = Infinity
  const due: Set<Entry>[] = []
  for (const [key, bucket] of buckets) {
    if (key * BUCKET_MS <= now) {
      buckets.delete(key)
      due.push(bucket)
    } else if (bucket.size === 0) buckets.delete(key)
    else if (key < next) next = key
  }
  if (next !== Infinity) arm(next)
  for (const bucket of due) {
    for (const entry of bucket) {
      bucket.delete(entry)
      waiting--
      entry.run()
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

function noop(): void {
  // A deadline at infinity has nothing to cancel.
}
