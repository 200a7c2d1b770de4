/**
 * The program of the orphan guard: it outlives its host for a moment and ends the process groups that the host has left.
 *
 * In: lines `+pid` and `-pid` on stdin. Out: nothing while stdin is open. When it closes, each group that is still listed gets
 * SIGTERM, and SIGKILL a second later. A pid that was given to another process meanwhile has another start time, and is left
 * alone. A text, not a file: a host that bundles this library has no file beside it, and a bundler may not rewrite it.
 */

/** For `node -e`, POSIX only. */
export const ORPHAN_WATCH = `
const { execFileSync } = require("node:child_process")
const { existsSync, readFileSync } = require("node:fs")
const listed = new Map()
const hasProc = existsSync("/proc/self/stat")

// Undefined where there is no such process.
function startOf(pid) {
  try {
    if (!hasProc) return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined
    const stat = readFileSync("/proc/" + pid + "/stat", "latin1")
    // The name of the program may hold spaces and brackets; after it, the start time is the 20th field.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

// Signal 0 asks only. A group without its leader is still the listed one: its number is not given away before it is empty.
function reach(signal) {
  let reached = false
  for (const [pid, start] of listed) {
    const now = startOf(pid)
    if (now !== undefined && now !== start) continue
    try {
      process.kill(-pid, signal)
      reached = true
    } catch {}
  }
  return reached
}

function end() {
  if (!reach("SIGTERM")) process.exit()
  const until = Date.now() + 1000
  setInterval(() => {
    if (!reach(0)) process.exit()
    if (Date.now() < until) return
    reach("SIGKILL")
    process.exit()
  }, 20)
}

let text = ""
process.stdin.on("data", (chunk) => {
  const lines = (text + chunk).split("\\n")
  text = lines.pop()
  for (const line of lines) {
    const pid = Number(line.slice(1))
    if (line[0] === "+") listed.set(pid, startOf(pid))
    else listed.delete(pid)
  }
})
process.stdin.once("end", end).once("error", end)
`
