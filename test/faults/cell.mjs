/**
 * One cell of the matrix: one fault, one way to the server, so many calls at once.
 *
 * In: the library (built or source), a row of faults.mjs, a way, a number. Out: how the calls ended, and every expectation that
 * was not met. A new server and a new client for each cell; when it is over, nothing of either is left.
 */
import { getEventListeners } from "node:events"
import { holdsWithin, httpFaultServer, isRunning, stdioFaultServer } from "../fixtures/servers/fault_servers.mjs"

/** What a call may end after its deadline. */
const GRACE_MS = 250
const CALL_MS = 15_000
const AGAIN_MS = 30_000
/** What comes soon where all is well, and is waited for as long as a busy machine may need. */
const SOON_MS = 30_000
const TRIES = 5
const TOOL_MS = 30
const TARGET = 32
/** Enough for a server that takes half a minute to start. */
const RECONNECT = { attempts: 60, firstDelayMs: 50, maxDelayMs: 500 }

/** Runs the cell. Times hold for the best of five runs, as the machine may be busy; anything else that is wrong counts at once. */
export async function runCell(library, row, way, count, folder) {
  let last
  for (let left = TRIES; left > 0; left--) {
    last = await attempt(library, row, way, count, folder)
    if (last.faults.length === 0 || last.faults.some(({ isLate }) => !isLate)) break
  }
  return last
}

async function attempt({ createMCPClient, CallError }, row, way, count, folder) {
  const faults = []
  const wrong = (text, isLate = false) => faults.push({ text, isLate })
  const cost = row.over[way]
  const rejections = []
  const onRejection = (error) => rejections.push(error)
  process.on("unhandledRejection", onRejection)
  // Too many listeners on one thing, for example.
  const warnings = []
  const onWarning = (warning) => warnings.push(warning)
  process.on("warning", onWarning)
  const server = await startServer(row, way, count, folder)
  const before = await resources()
  const exitListeners = process.listenerCount("exit")
  const stop = new AbortController()
  const context = { timeoutMs: row.timeoutMs?.[count] ?? CALL_MS, idleTimeoutMs: row.idleTimeoutMs?.[count], signal: stop.signal }
  try {
    const wrapper = await createMCPClient("demo", server.config, { reconnect: RECONNECT, ...row.client })
    const ends = await calls(wrapper, row, count, context, server, CallError)
    judgeEnds(ends, row, cost, count, context.timeoutMs, server, wrong)

    // Usable again without a restart: one call, right after.
    const [again] = await Promise.all([oneCall(wrapper, row, 1_000, { timeoutMs: AGAIN_MS, signal: stop.signal }, CallError)])
    const allowed = cost.isUnusable ? [cost.met] : (cost.again ?? ["ok"])
    if (!allowed.includes(again.end)) wrong(`the next call ended with ${again.end}: ${again.error?.message}`)
    if (again.end !== "ok" && !cost.isUnusable) {
      const third = await oneCall(wrapper, row, 1_001, { timeoutMs: AGAIN_MS, signal: stop.signal }, CallError)
      if (third.end !== "ok") wrong(`the call after the next one ended with ${third.end}: ${third.error?.message}`)
    }
    if (!cost.isUnusable && wrapper.status !== "ready") wrong(`status is ${wrapper.status}`)
    if (row.appears !== undefined && !(await holdsWithin(SOON_MS, () => wrapper.getTool(row.appears) !== undefined))) wrong(`the tool ${row.appears} did not appear`)
    for (const { message } of wrapper.warnings) if (message.length > 500) wrong(`a warning has ${message.length} characters`)

    const since = performance.now()
    await wrapper.close()
    const closeMs = performance.now() - since
    if (closeMs > 4_000) wrong(`close took ${closeMs.toFixed(0)} ms`, true)
    await judgeRest(wrapper, row, cost, server, way, stop.signal, wrong)
    if (!(await holdsWithin(SOON_MS, async () => added(before, await resources()).length === 0))) wrong(`left over: ${added(before, await resources()).join(", ")}`)
    if (process.listenerCount("exit") !== exitListeners) wrong("a listener of exit is left")
    return { faults: await withRejections(), ends: tally(ends), worstMs: Math.max(...ends.map(({ ms }) => ms)) }
  } catch (error) {
    wrong(`the cell itself failed: ${error.stack}`)
    return { faults: await withRejections(), ends: "-", worstMs: 0 }
  } finally {
    process.off("unhandledRejection", onRejection)
    process.off("warning", onWarning)
    await server.stop()
  }

  async function withRejections() {
    await new Promise(setImmediate)
    for (const { message } of warnings) wrong(`Node warns: ${message}`)
    for (const error of rejections) wrong(`unhandled rejection: ${error?.stack ?? error}`)
    return faults
  }
}

async function startServer(row, way, count, folder) {
  const script = { delayMs: TOOL_MS, ...row.script, faults: row.faults(count === 1 ? 1 : TARGET) }
  if (way === "stdio") {
    const { config, journal } = stdioFaultServer(folder, script)
    return { config, journal, kill: () => process.kill(journal().starts.at(-1), "SIGKILL"), restarts: () => journal().starts.length - 1, stop: async () => {} }
  }
  const server = await httpFaultServer(folder, script)
  return { ...server, config: { url: server.url(way), transport: way }, kill: server.crash }
}

async function calls(wrapper, row, count, context, server, CallError) {
  if (row.idleKill) {
    await oneCall(wrapper, row, 500, context, CallError)
    const { restarts } = server
    const known = restarts()
    server.kill()
    await holdsWithin(SOON_MS, () => wrapper.status !== "ready" || restarts() > known)
  }
  return Promise.all(Array.from({ length: count }, (_, index) => oneCall(wrapper, row, index + 1, context, CallError)))
}

async function oneCall(wrapper, row, n, context, CallError) {
  const since = performance.now()
  const progress = []
  const given = row.progress === undefined ? context : { ...context, onProgress: (event) => progress.push(event.progress) }
  const took = () => performance.now() - since
  try {
    const { data, meta } = await wrapper.getTool(row.tool ?? "t").handler({ n }, given)
    const isRight = row.anyData === true || data?.n === n
    return { n, ms: took(), end: isRight ? "ok" : `wrong answer ${JSON.stringify(data)}`, progress, meta }
  } catch (error) {
    const end = error instanceof CallError ? `${error.code} ${error.details.outcome}` : `no CallError but ${error}`
    return { n, ms: took(), end, error, progress }
  }
}

function judgeEnds(ends, row, cost, count, timeoutMs, server, wrong) {
  const { hits, ran } = server.journal()
  const others = cost.others ?? ["ok"]
  const metOnes = ends.filter(({ n }) => hits.has(n))
  if (row.faults(1).some(({ on = "call" }) => on === "call") && metOnes.length === 0) wrong("the fault met no call")
  for (const { n, ms, end, error, progress } of ends) {
    const isMet = hits.has(n)
    const allowed = isMet ? [cost.met] : count === 1 ? [cost.met] : others
    if (!allowed.includes(end)) wrong(`call ${n}${isMet ? ", which the fault met," : ""} ended with ${end}: ${error?.message}`)
    if (ms > timeoutMs + GRACE_MS) wrong(`call ${n} ended after ${ms.toFixed(0)} ms, its time was ${timeoutMs} ms`, true)
    const times = ran(n)
    const most = isMet ? (cost.runs ?? 1) : Math.max(cost.runs ?? 1, 1)
    if (times > most) wrong(`call ${n} ran ${times} times`)
    if (end === "ok" && times < 1) wrong(`call ${n} has an answer and never ran`)
    if (end.endsWith("not_started") && times > 0) wrong(`call ${n} was told to be not started, and ran`)
    if (isMet && row.progress !== undefined) {
      const expected = Array.from({ length: row.progress }, (_, index) => index + 1)
      if (progress.join() !== expected.join()) wrong(`progress of call ${n} was ${progress.join()}`)
    }
    if (error !== undefined && !error.message.includes("demo")) wrong(`the error of call ${n} does not name the server: ${error.message}`)
  }
}

async function judgeRest(wrapper, row, cost, server, way, signal, wrong) {
  if (wrapper.status !== "closed") wrong(`status after close is ${wrapper.status}`)
  const { pids, initializes } = server.journal()
  const restarts = cost.restarts ?? 0
  await holdsWithin(SOON_MS, () => server.restarts() >= restarts)
  if (server.restarts() !== restarts && cost.anyRestarts !== true) wrong(`the server was started ${server.restarts()} times again, not ${restarts}`)
  const sessions = cost.sessions ?? 1 + (cost.restarts ?? 0)
  if (way !== "stdio" && initializes.length > sessions) wrong(`${initializes.length} handshakes, where ${sessions} were due`)
  if (initializes.slice(1).some((session) => session !== "none")) wrong("a handshake carried the id of an old session")
  if (cost.isCancelled === true && !(await holdsWithin(SOON_MS, () => server.journal().cancelled.length > 0))) wrong("the server was not told that the call was given up")
  if (way === "stdio" && !(await holdsWithin(SOON_MS, () => !pids.some(isRunning)))) wrong(`processes are left: ${pids.filter(isRunning).join()}`)
  if (server.control !== undefined && !(await holdsWithin(SOON_MS, async () => (await server.control())?.streams === 0))) wrong("a stream is left open at the server")
  const listeners = getEventListeners(signal, "abort").length
  // One serves all calls of a signal, and is as old as the signal.
  if (listeners > 1) wrong(`${listeners} listeners are left on the callers' signal`)
}

function tally(ends) {
  const counts = new Map()
  for (const { end } of ends) counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].map(([end, count]) => (ends.length === 1 ? end : `${count} ${end}`)).join(", ")
}

/** What keeps this process alive, by kind. Handles that were closed are gone after a turn or two. */
async function resources() {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  const counts = new Map()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

function added(before, after) {
  return [...after].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind, count]) => `${kind} ${count} (before: ${before.get(kind) ?? 0})`)
}
