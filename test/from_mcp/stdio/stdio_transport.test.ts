import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { CallError } from "../../../src/error.js"
import { createMask } from "../../../src/from_mcp/mask.js"
import type { StdioServerConfig } from "../../../src/from_mcp/server_config.js"
import { StdioTransport } from "../../../src/from_mcp/stdio/stdio_transport.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stdio-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A server that is a line of JavaScript: `say` writes a line, `hear` is called with each message. */
const node = (code: string, more: Partial<StdioServerConfig> = {}): StdioServerConfig => ({
  command: process.execPath,
  args: ["-e", `const say = (text) => process.stdout.write(text); const hear = (f) => require("readline").createInterface({ input: process.stdin }).on("line", (line) => f(JSON.parse(line))); ${code}`],
  ...more,
})

function make(config: StdioServerConfig, maxBytes = 1_000_000) {
  const warnings: string[] = []
  const transport = new StdioTransport(config, { server: "s", mask: createMask(config), warn: (_kind, message) => warnings.push(message), maxBytes })
  const messages: unknown[] = []
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  transport.onmessage = (message) => messages.push(message)
  return { transport, messages, warnings, closed }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // A process that only waits to be taken away is gone for every purpose.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

describe("StdioTransport", () => {
  test("sends and receives messages, and reports what is no message", async () => {
    const { transport, messages, warnings, closed } = make(node(`say("Starting v1.2\\n"); hear((m) => say("Calling API..." + JSON.stringify({ jsonrpc: "2.0", id: m.id, result: m.params }) + "\\n"))`))
    await transport.start()
    await transport.send({ jsonrpc: "2.0", id: 1, method: "m", params: { text: "— 🎉 读" } })
    await expect.poll(() => messages).toEqual([{ jsonrpc: "2.0", id: 1, result: { text: "— 🎉 读" } }])
    expect(warnings).toEqual(["The server wrote to its stdout what is no message: Starting v1.2", "The server wrote to its stdout what is no message: Calling API..."])
    await transport.close()
    await closed
    expect(transport.lossReason).toBeUndefined()
  })

  test("knows exit code and the last words of a process that ended by itself", async () => {
    const { transport, closed } = make(node(`console.error("FATAL: cannot open /etc/app/config.yaml with key-abcdef-123"); process.exitCode = 3`, { env: { API_KEY: "key-abcdef-123" } }))
    await transport.start()
    await closed
    expect(transport.lossReason?.message).toBe('Server "s": the process exited with code 3; its last words: FATAL: cannot open /etc/app/config.yaml with ***')
    expect(transport.lossReason?.details).toMatchObject({ kind: "exit", exitCode: 3, signal: null, stderr: "FATAL: cannot open /etc/app/config.yaml with ***" })
    const error: unknown = await transport.send({ jsonrpc: "2.0", method: "m" }).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(CallError)
  })

  test("knows the signal that ended a process", async () => {
    const { transport, closed } = make(node(`process.kill(process.pid, "SIGKILL")`))
    await transport.start()
    await closed
    expect(transport.lossReason?.details).toMatchObject({ kind: "exit", exitCode: null, signal: "SIGKILL" })
  })

  test("hears of the end although a child of the server holds its pipes open", async () => {
    const { transport, closed } = make({ command: "sh", args: ["-c", `sleep 60 & echo $! > "${folder}/pid"; exit 4`] })
    await transport.start()
    await closed
    expect(transport.lossReason?.details).toMatchObject({ exitCode: 4 })
    const pid = Number(readFileSync(`${folder}/pid`, "utf8"))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test("close ends a whole tree that neither stdin nor SIGTERM impresses", async () => {
    const inner = `process.on("SIGTERM", () => {}); require("fs").writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000)`
    const { transport, closed } = make({ command: "sh", args: ["-c", `"${process.execPath}" -e '${inner}' "${folder}/pid"; true`] })
    await transport.start()
    await expect.poll(() => pidIn(`${folder}/pid`)).toBeGreaterThan(0)
    const pid = pidIn(`${folder}/pid`)
    transport.setProtocolVersion()
    await transport.close()
    await closed
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test.each<[string, StdioServerConfig, RegExp]>([
    ["a command that does not exist", { command: "no-such-binary-here" }, /cannot start "no-such-binary-here": ENOENT/],
    ["a folder that does not exist", { command: process.execPath, cwd: "/no/such/folder" }, /the folder "\/no\/such\/folder" does not exist/],
    ["an argument that no process can have", { command: process.execPath, args: ["a\0b"] }, /cannot start/],
  ])("%s rejects the start with a CallError", async (_name, config, message) => {
    const { transport } = make(config)
    const error: unknown = await transport.start().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(CallError)
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "spawn", outcome: "not_started" }, message: expect.stringMatching(message) })
    await transport.close()
  })

  test("the process sees a short environment and what the config names", async () => {
    process.env["STDIO_TEST_SECRET"] = "host-secret"
    const { transport, messages } = make(node(`say(JSON.stringify({ jsonrpc: "2.0", method: "env", params: process.env }) + "\\n"); hear(() => {})`, { env: { API_KEY: "k" } }))
    await transport.start()
    await expect.poll(() => messages.length).toBe(1)
    const { params } = messages[0] as { params: Record<string, string> }
    expect(params).toMatchObject({ API_KEY: "k", PATH: process.env["PATH"] })
    expect(params).not.toHaveProperty("STDIO_TEST_SECRET")
    delete process.env["STDIO_TEST_SECRET"]
    await transport.close()
  })

  test("an answer above the limit ends its call, and the next message arrives", async () => {
    const { transport, messages } = make(node(`hear((m) => { say(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: { text: "x".repeat(m.params.size) } }) + "\\n") })`), 100_000)
    await transport.start()
    await transport.send({ jsonrpc: "2.0", id: 1, method: "m", params: { size: 200_000 } })
    await transport.send({ jsonrpc: "2.0", id: 2, method: "m", params: { size: 1 } })
    await expect.poll(() => messages.length).toBe(2)
    expect(messages).toMatchObject([{ id: 1, error: { message: "the answer has 200045 bytes, more than the limit of 100000" } }, { id: 2, result: { text: "x" } }])
    await transport.close()
  })

  test("8 MB reach a server that reads slowly, and come back", async () => {
    const text = "é".repeat(4 * 1024 * 1024)
    const { transport, messages } = make(node(`setTimeout(() => hear((m) => say(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: m.params }) + "\\n")), 200)`), 32 * 1024 * 1024)
    await transport.start()
    await transport.send({ jsonrpc: "2.0", id: 1, method: "m", params: { text } })
    await expect.poll(() => messages.length).toBe(1)
    expect((messages[0] as { result: { text: string } }).result.text === text).toBe(true)
    await transport.close()
  })

  test("what cannot be written as JSON is refused", async () => {
    const { transport } = make(node(`hear(() => {})`))
    await transport.start()
    const error: unknown = await transport.send({ jsonrpc: "2.0", id: 1, method: "m", params: { big: 1n as unknown as number } }).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(TypeError)
    await transport.close()
  })

  test("50 MB on stderr neither block the server nor stay in memory", async () => {
    const { transport, messages } = make(node(`const block = Buffer.alloc(1e6, "x"); let n = 0; const go = () => n++ < 50 ? process.stderr.write(block, go) : say('{"jsonrpc":"2.0","method":"done"}\\n'); go(); hear(() => {})`))
    await transport.start()
    await expect.poll(() => messages.length).toBe(1)
    expect(Buffer.byteLength(transport.diagnose()["stderr"] as string)).toBeLessThanOrEqual(8 * 1024)
    await transport.close()
  })

  test("a process that closes its stdin counts as lost", async () => {
    const { transport, messages, closed } = make(node(`process.stdin.destroy(); require("fs").closeSync(0); say('{"jsonrpc":"2.0","method":"deaf"}\\n'); setInterval(() => {}, 1000)`))
    await transport.start()
    await expect.poll(() => messages.length).toBe(1)
    await transport.send({ jsonrpc: "2.0", id: 1, method: "m" })
    await closed
    expect(transport.lossReason?.message).toBe('Server "s": the process closed its stdin')
    await transport.close()
  })

  test("a process that closes its stdout counts as lost", async () => {
    const { transport, closed } = make(node(`require("fs").closeSync(1); setInterval(() => {}, 1000)`))
    await transport.start()
    await closed
    expect(transport.lossReason?.message).toBe('Server "s": the process closed its stdout')
    await transport.close()
  })
})

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"))
  } catch {
    return 0
  }
}
