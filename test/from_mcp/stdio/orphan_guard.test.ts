/**
 * Servers of a host that is killed: nothing can run in it any more, so another process must end them.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { ORPHAN_WATCH } from "../../../src/from_mcp/stdio/orphan_watch.js"
import { installBuiltPackage } from "../../fixtures/built_package.js"

const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
const STUBBORN = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"
const PLAIN = "setInterval(() => {}, 1000); console.log('up')"

/** A process that leads a group of its own, and is up. */
async function leader(code: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["ignore", "pipe", "ignore"] })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  onTestFinished(() => void child.kill("SIGKILL"))
  return Object.assign(child, { pid: child.pid ?? 0 })
}

/** The guard's program, told these lines; gone when its stdin is closed and all is done. */
async function watch(lines: string[]): Promise<void> {
  const guard = spawn(process.execPath, ["-e", ORPHAN_WATCH], { stdio: ["pipe", "inherit", "inherit"] })
  guard.stdin.end(lines.map((line) => `${line}\n`).join(""))
  await new Promise((resolve) => guard.once("close", resolve))
}

// Zombies can be told from living processes by /proc only.
describe.skipIf(!existsSync("/proc/self/stat"))("the guard's program", () => {
  test("ends the groups that are listed when its pipe closes, stubborn ones too, and no other", async () => {
    const [listed, stubborn, released, other] = await Promise.all([leader(PLAIN), leader(STUBBORN), leader(PLAIN), leader(PLAIN)])
    await watch([`+${listed.pid}`, `+${stubborn.pid}`, `+${released.pid}`, `-${released.pid}`])
    await expect.poll(() => [listed, stubborn].filter(({ pid }) => isAlive(pid))).toEqual([])
    expect([released, other].map(({ pid }) => isAlive(pid))).toEqual([true, true])
  })

  test("leaves a pid alone that another process has now: its start time is another one", async () => {
    const stranger = await leader(PLAIN)
    // What the guard would have noted for a process that had this pid before.
    const program = ORPHAN_WATCH.replace("listed.set(pid, startOf(pid))", `listed.set(pid, "1")`)
    expect(program).not.toBe(ORPHAN_WATCH)
    const guard = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "inherit", "inherit"] })
    guard.stdin.end(`+${stranger.pid}\n`)
    await new Promise((resolve) => guard.once("close", resolve))
    expect(isAlive(stranger.pid)).toBe(true)
  })

  test("ends what a leader left behind that has gone before", async () => {
    const parent = await leader(`const { spawn } = require("node:child_process"); console.log(spawn(process.execPath, ["-e", ${JSON.stringify(STUBBORN)}], { stdio: "ignore" }).pid); setInterval(() => {}, 1000)`)
    const members = readdirSync("/proc").map(Number).filter((pid) => pid > 0 && pid !== parent.pid && groupOf(pid) === parent.pid)
    expect(members).toHaveLength(1)
    const guard = spawn(process.execPath, ["-e", ORPHAN_WATCH], { stdio: ["pipe", "inherit", "inherit"] })
    guard.stdin.write(`+${parent.pid}\n`)
    parent.kill("SIGKILL")
    await new Promise((resolve) => parent.once("close", resolve))
    guard.stdin.end()
    await new Promise((resolve) => guard.once("close", resolve))
    await expect.poll(() => members.filter(isAlive)).toEqual([])
  })
})

function groupOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2])
  } catch {
    return 0
  }
}

describe.skipIf(!existsSync("/proc/self/stat"))("a host with orphanGuard", () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orphan-guard-"))
    await installBuiltPackage(folder)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** A host program that says each line of `code` it reaches; the pids of its servers stand in files. */
  function host(code: string): ChildProcess & { lines: string[] } {
    const file = join(folder, `host-${String(Math.random()).slice(2)}.mjs`)
    const server = join(import.meta.dirname, "../../fixtures/servers/scripted.mjs")
    writeFileSync(
      file,
      `import { createMCPClient } from "mcp-operations/from-mcp"
const script = JSON.stringify({ tools: [{ name: "t" }], ignoreEnd: true, ignoreSigterm: true, record: process.argv[2] })
const config = { command: "sh", args: ["-c", '"$0" "$1" "$2"; true', process.execPath, ${JSON.stringify(server)}, script] }
${code}
`,
    )
    const child = spawn(process.execPath, [file, join(folder, "record.ndjson")], { stdio: ["ignore", "pipe", "inherit"] })
    const { pid: own } = child
    if (own === undefined) throw new Error("The host was not started")
    // Where no guard does it: none of its servers ends by itself.
    onTestFinished(() => [...treeOf(own), own].forEach(kill))
    const lines: string[] = []
    child.stdout.on("data", (chunk: Buffer) => lines.push(...chunk.toString().split("\n").filter((line) => line !== "")))
    return Object.assign(child, { lines })
  }

  const childrenOf = (parent: number) =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => {
        try {
          const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
          return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent
        } catch {
          return false
        }
      })

  /** All processes below this one. */
  const treeOf = (parent: number): number[] => childrenOf(parent).flatMap((pid) => [pid, ...treeOf(pid)])

  const kill = (pid: number) => {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has ended.
    }
  }

  test("that is killed leaves no server behind, and no guard", async () => {
    const child = host(`for (const name of ["a", "b"]) await createMCPClient(name, config, { orphanGuard: true })
console.log("up")`)
    await expect.poll(() => child.lines).toEqual(["up"])
    // Two shells with a server each, and the guard, which may have a program of its own for a moment.
    await expect.poll(() => treeOf(child.pid ?? 0)).toHaveLength(5)
    const all = treeOf(child.pid ?? 0)
    child.kill("SIGKILL")
    await expect.poll(() => all.filter(isAlive)).toEqual([])
  })

  test("that closes its client has no guard any more, and nothing that keeps it alive", async () => {
    const child = host(`const client = await createMCPClient("a", config, { orphanGuard: true })
await client.close()
console.log("closed")`)
    const exitCode = await new Promise((resolve) => child.once("close", resolve))
    expect([exitCode, child.lines]).toEqual([0, ["closed"]])
  })

  test("whose guard is killed hears of it", async () => {
    const child = host(`const client = await createMCPClient("a", config, { orphanGuard: true, onWarning: ({ kind, message }) => console.log(kind, message.includes("guard")) })
console.log("up")`)
    await expect.poll(() => child.lines).toEqual(["up"])
    const guards = childrenOf(child.pid ?? 0).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("lstart"))
    expect(guards).toHaveLength(1)
    process.kill(guards[0] ?? 0, "SIGKILL")
    await expect.poll(() => child.lines).toEqual(["up", "connection true"])
  })
})
