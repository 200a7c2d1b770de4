/**
 * Ends a server's process together with everything that it started.
 *
 * In: a child that was spawned as the leader of a process group (POSIX) or not (Windows). Out: a promise for its death.
 * `npx`, `uvx` and `sh -c` start the real server as a child of their own; a signal to the leader alone would leave it behind.
 * When the host exits, groups that are still alive are ended on the spot: nothing else would.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { guardGroup, releaseGroup } from "./orphan_guard.js"

/** How long each step of the ending is waited for, in milliseconds. */
export interface Grace {
  /** After stdin was closed. */
  readonly stdinMs: number
  /** After SIGTERM. */
  readonly termMs: number
}

const ON_WINDOWS = process.platform === "win32"
const POLL_MS = 15
const KILLED_MS = 250
const alive = new Set<ChildProcess>()

/**
 * Sees to it that the child does not outlive the host. With `unguarded` that holds for a host that is killed as well; it hears where
 * it does not.
 */
export function watchTree(child: ChildProcess, unguarded?: (reason: string) => void): void {
  if (alive.size === 0) process.on("exit", endAllNow)
  alive.add(child)
  if (unguarded !== undefined && child.pid !== undefined) guardGroup(child.pid, unguarded)
}

/**
 * Closes stdin, then sends SIGTERM, then SIGKILL, to the whole tree; done when nothing of it is left. For a leader that has
 * exited by itself it ends what the leader left behind.
 */
export async function endTree(child: ChildProcess, grace: Grace): Promise<void> {
  if (child.pid === undefined) return
  try {
    child.stdin?.end()
    if (await gone(child, grace.stdinMs)) return
    signalTree(child, "SIGTERM")
    if (await gone(child, grace.termMs)) return
    signalTree(child, "SIGKILL")
    // What is left now are processes that the kernel has not taken away yet.
    await gone(child, KILLED_MS)
  } finally {
    forget(child)
  }
}

function forget(child: ChildProcess): void {
  if (child.pid !== undefined) releaseGroup(child.pid)
  if (alive.delete(child) && alive.size === 0) process.off("exit", endAllNow)
}

function endAllNow(): void {
  for (const child of alive) signalTree(child, "SIGKILL")
}

async function gone(child: ChildProcess, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs
  for (;;) {
    if (!isTreeAlive(child)) return true
    const left = end - Date.now()
    if (left <= 0) return false
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, Math.min(left, POLL_MS))
      child.once("exit", done)
      function done(): void {
        clearTimeout(timer)
        child.off("exit", done)
        resolve()
      }
    })
  }
}

function isTreeAlive(child: ChildProcess): boolean {
  if (child.pid === undefined) return false
  // A leader whose end Node has not heard of yet still keeps the host alive.
  if (child.exitCode === null && child.signalCode === null) return true
  if (ON_WINDOWS) return false
  try {
    process.kill(-child.pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, but under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function signalTree(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return
  try {
    if (ON_WINDOWS) spawn("taskkill", ["/T", "/F", "/PID", String(child.pid)], { stdio: "ignore", windowsHide: true }).on("error", () => child.kill())
    else process.kill(-child.pid, signal)
  } catch {
    // It went away in between.
  }
}
