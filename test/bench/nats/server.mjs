/**
 * A nats-server of the benches: one process on a free port of the loopback address, with nothing configured but what is given.
 *
 * `NATS_SERVER_BIN` names another binary. Without one `startServer` gives undefined, and whoever asked says so.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

/** `{ url, pid, version, monitoring, stop() }` of a new server; `monitoring` where it was started with `-m -1`. */
export async function startServer(words = []) {
  const folder = mkdtempSync(join(tmpdir(), "mcp-operations-bench-"))
  const binary = process.env.NATS_SERVER_BIN || "nats-server"
  const server = spawn(binary, ["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder, ...words], { stdio: ["ignore", "ignore", "pipe"] })
  let log = ""
  server.stderr.setEncoding("utf8").on("data", (text) => (log += text))
  const failed = once(server, "error").then(() => true)
  const kill = () => server.kill("SIGKILL")
  process.once("exit", kill)
  const end = async () => {
    if (server.exitCode === null && server.signalCode === null && server.pid !== undefined) {
      const ended = once(server, "exit")
      server.kill("SIGTERM")
      await ended
    }
    process.off("exit", kill)
    rmSync(folder, { recursive: true, force: true })
  }
  for (let left = 1_500; left > 0 && server.exitCode === null; left--) {
    if (await Promise.race([failed, wait(10, false)])) {
      await end()
      return undefined
    }
    const file = readdirSync(folder).find((name) => name.endsWith(".ports"))
    const ports = file === undefined ? "" : readFileSync(join(folder, file), "utf8")
    const url = /"(nats:\/\/[^"]+)"/.exec(ports)?.[1]
    const monitoring = /"(http:\/\/[^"]+)"/.exec(ports)?.[1]
    if (url !== undefined) return { url, monitoring, pid: server.pid, version: /Version:\s+(\S+)/.exec(log)?.[1] ?? "unknown", stop: end }
  }
  await end()
  throw new Error(`nats-server did not start: ${log}`)
}

/** CPU time of a process in microseconds, in steps of ten milliseconds; 0 where the system does not tell. */
export function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}
