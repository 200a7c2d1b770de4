import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installBuiltPackage, root } from "../../fixtures/built_package.js"

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "host-exit-"))
  await installBuiltPackage(folder)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a host program that may use `createMCPClient` and `server(kind)`; gives how it ended. */
async function host(name: string, code: string) {
  const server = join(root, "test/bench/servers/thousand_tools.mjs")
  const file = join(folder, `${name}.mjs`)
  writeFileSync(
    file,
    `import { createMCPClient } from "mcp-operations/from-mcp"
process.on("unhandledRejection", (error) => { console.log("unhandled", error); process.exit(99) })
// The wrapper and the server behind it write down who they are.
const server = { command: "sh", args: ["-c", 'echo $$ > ${folder}/${name}-$$.pid; "${process.execPath}" -e "require(\\'fs\\').writeFileSync(\\'${folder}/${name}-\\' + process.pid + \\'.pid\\', String(process.pid)); import(\\'${server}\\')" x 3; true'] }
${code}
`,
  )
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const exitCode = await new Promise((resolve) => child.on("close", resolve))
  const pids = readdirSync(folder)
    .filter((entry) => entry.startsWith(`${name}-`))
    .map((entry) => Number(readFileSync(join(folder, entry), "utf8")))
  return { exitCode, output, pids }
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

// Zombies can be told from living processes by /proc only.
describe.skipIf(!existsSync("/proc/self/stat"))("a host that ends", () => {
  test("with process.exit and an open client leaves no process behind", async () => {
    const { exitCode, pids, output } = await host("exits", `await createMCPClient("s", server); process.exit(7)`)
    expect([exitCode, output, pids.length]).toEqual([7, "", 2])
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })

  test("by an exception leaves no process behind", async () => {
    const { exitCode, pids } = await host("throws", `await createMCPClient("s", server); setTimeout(() => { throw new Error("boom") }, 0)`)
    expect([exitCode, pids.length]).toEqual([1, 2])
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })

  test("by itself after close: nothing keeps it alive, and no signal handler was set", async () => {
    const { exitCode, output, pids } = await host(
      "closes",
      `const before = process.listenerCount("exit")
const client = await createMCPClient("s", server)
console.log(client.tools.length, ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal)).join())
await client.close()
// Handles that were closed are gone after a turn or two.
for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
console.log(process.getActiveResourcesInfo().filter((resource) => !["PipeWrap", "FSReqCallback"].includes(resource)).join(), process.listenerCount("exit") - before)`,
    )
    expect([exitCode, output.split("\n"), pids.length]).toEqual([0, ["3 0,0,0", " 0", ""], 2])
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })

  test("is not taken down by a server that exits at once", async () => {
    const { exitCode, output } = await host(
      "dies",
      `try { await createMCPClient("s", { command: process.execPath, args: ["-e", "process.exit(1)"] }) } catch (error) { console.log(error.code, error.details.exitCode) }`,
    )
    expect([exitCode, output]).toEqual([0, "TRANSPORT_ERROR 1\n"])
  })
})
