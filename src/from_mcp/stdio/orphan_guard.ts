/**
 * Sees to it that servers do not outlive a host that is killed without a word.
 *
 * In: the leaders of process groups, as they start and end. Out: one small process for all of them, for as long as there is one;
 * it holds a pipe of the host and ends the groups when the pipe closes. On Windows, where there are no groups, it does nothing.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { Socket } from "node:net"
import { ORPHAN_WATCH } from "./orphan_watch.js"

const ON_WINDOWS = process.platform === "win32"
const guarded = new Set<number>()
let guard: ChildProcess | undefined

/** Lists a group. `failed` hears that it is not guarded any more. */
export function guardGroup(pid: number, failed: (reason: string) => void): void {
  if (ON_WINDOWS) return
  guarded.add(pid)
  if (guard === undefined) startGuard(failed)
  else tell(`+${pid}`)
}

/** Takes a group off the list: it has ended. */
export function releaseGroup(pid: number): void {
  if (!guarded.delete(pid)) return
  tell(`-${pid}`)
  if (guarded.size > 0) return
  guard?.stdin?.end()
  guard = undefined
}

function startGuard(failed: (reason: string) => void): void {
  const child = spawn(process.execPath, ["-e", ORPHAN_WATCH], {
    stdio: ["pipe", "ignore", "ignore"],
    // What is sent to the group of the host, such as Ctrl-C, is not meant for the guard.
    detached: true,
    cwd: "/",
    // For hosts that are Electron: without it their program would be a window.
    env: { PATH: process.env["PATH"], ELECTRON_RUN_AS_NODE: "1" },
  })
  guard = child
  const gone = (reason: string) => {
    if (guard !== child) return
    guard = undefined
    failed(`The guard that ends servers when this process is killed ${reason}; the next server that starts starts another one`)
  }
  child.once("error", (error) => gone(`cannot be started: ${error.message}`))
  child.once("exit", (code, signal) => gone(`has ended (${signal ?? String(code)})`))
  child.stdin.on("error", () => undefined)
  // It must not keep the host alive. The pipe of a child is a socket; its type does not say so.
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  for (const pid of guarded) tell(`+${pid}`)
}

function tell(line: string): void {
  guard?.stdin?.write(`${line}\n`)
}
