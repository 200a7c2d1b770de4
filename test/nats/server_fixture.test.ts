import { execFile } from "node:child_process"
import { connect } from "node:net"
import { once } from "node:events"
import { afterEach, expect, test } from "vitest"
import { describeWithNATS, natsServer, watcherOf, type NATSServer } from "../fixtures/nats_server.js"

let server: NATSServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

describeWithNATS("a server of the tests", () => {
  test("takes connections, and again after a restart on the same port", async () => {
    server = await natsServer()
    const [port, pid] = [server.port, server.pid]
    expect(await greeting(port)).toMatch(/^INFO \{/)
    server.kill()
    await server.restart()
    expect(server.port).toBe(port)
    expect(server.pid).not.toBe(pid)
    expect(await greeting(port)).toMatch(/^INFO \{/)
  })

  test("takes a configuration with variables, and stops while it is paused", async () => {
    server = await natsServer({ config: "max_payload: $LIMIT\n", env: { LIMIT: "4321" } })
    expect(await greeting(server.port)).toContain('"max_payload":4321')
    server.pause()
    await server.stop()
    await expect(greeting(server.port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })

  test("says why it did not start", async () => {
    await expect(natsServer({ config: "max_payload: {{{" })).rejects.toThrow(/did not start: .*Parse error on line 1/s)
  })

  test("does not outlive the process that started it", async () => {
    server = await natsServer()
    const { pid } = server
    const program = `
      const { spawn } = require("node:child_process")
      const watcher = spawn(...${JSON.stringify(watcherOf(pid))}, { stdio: ["pipe", "ignore", "ignore"] })
      watcher.once("spawn", () => process.kill(process.pid, "SIGKILL"))
    `
    await new Promise((resolve) => execFile(process.execPath, ["-e", program], resolve))
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function greeting(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  try {
    const [data] = await once(socket, "data")
    return String(data)
  } finally {
    socket.destroy()
  }
}
