import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { adoptClient, openPort } from "../../src/from_mcp/open_port.js"
import type { MCPPort, PortContext } from "../../src/from_mcp/port.js"
import { ScriptedTransport, type Script, type WireMessage } from "./scripted_transport.js"

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)

async function open(script: Script) {
  const transport = new ScriptedTransport(script)
  const warnings: string[] = []
  const port = await openPort(transport, {
    server: "s",
    mask: (text) => text,
    warn: (_kind, message) => warnings.push(message),
    deadline: Date.now() + 30_000,
  })
  return { port, transport, warnings }
}

const onCall = (answer: (call: WireMessage) => unknown): Script => (message) => (message.method === "tools/call" ? answer(message) : undefined)
const call = (port: MCPPort, options?: Parameters<MCPPort["request"]>[2]) => port.request("tools/call", { name: "t", arguments: {} }, options)
const rejection = async (promise: Promise<unknown>): Promise<CallError> => {
  const error: unknown = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  )
  if (error instanceof CallError) return error
  throw error
}

describe("answers that the SDK would discard", () => {
  test.each<[string, (id: unknown) => unknown, unknown, string[]]>([
    ["_meta null", (id) => ({ jsonrpc: "2.0", id, result: { _meta: null, content: [] } }), { content: [] }, ['The "_meta" of a message\'s result is null, not an object; it was left out']],
    ["_meta a number", (id) => ({ jsonrpc: "2.0", id, result: { _meta: 5 } }), {}, ['The "_meta" of a message\'s result is a number, not an object; it was left out']],
    ["_meta a list", (id) => ({ jsonrpc: "2.0", id, result: { _meta: [] } }), {}, ['The "_meta" of a message\'s result is an array, not an object; it was left out']],
    [
      "a progressToken that is an object",
      (id) => ({ jsonrpc: "2.0", id, result: { _meta: { progressToken: {}, a: 1 } } }),
      { _meta: { a: 1 } },
      ['The "_meta" of a message\'s result has a progressToken that is an object; it was left out'],
    ],
    ["a member beside the result", (id) => ({ jsonrpc: "2.0", id, result: { a: 1 }, extra: 1 }), { a: 1 }, ['A message has a member "extra" that does not belong there; it was dropped']],
    ["error null beside the result", (id) => ({ jsonrpc: "2.0", id, result: { a: 1 }, error: null }), { a: 1 }, ['A message has a member "error" that does not belong there; it was dropped']],
    ["no jsonrpc member", (id) => ({ id, result: { a: 1 } }), { a: 1 }, ['A message does not say "jsonrpc": "2.0"; it was read as if it did']],
    ["the id as text", (id) => ({ jsonrpc: "2.0", id: String(id), result: { a: 1 } }), { a: 1 }, []],
  ])("%s: the result arrives", async (_name, answer, result, expected) => {
    const { port, warnings } = await open(onCall(({ id }) => answer(id)))
    expect(await call(port)).toEqual(result)
    expect(warnings).toEqual(expected)
    await port.close()
  })

  test.each<[string, (id: unknown) => unknown, unknown]>([
    ["result null", (id) => ({ jsonrpc: "2.0", id, result: null }), null],
    ["result a list", (id) => ({ jsonrpc: "2.0", id, result: [1] }), [1]],
    ["result a text", (id) => ({ jsonrpc: "2.0", id, result: "text" }), "text"],
    ["an error without message", (id) => ({ jsonrpc: "2.0", id, error: { code: -1 } }), { code: -1 }],
    ["an error with a code of text", (id) => ({ jsonrpc: "2.0", id, error: { code: "x", message: "m" } }), { code: "x", message: "m" }],
    ["an error with a broken code", (id) => ({ jsonrpc: "2.0", id, error: { code: 1.5, message: "m" } }), { code: 1.5, message: "m" }],
    ["an error that is a text", (id) => ({ jsonrpc: "2.0", id, error: "boom" }), "boom"],
    ["a result and an error", (id) => ({ jsonrpc: "2.0", id, result: {}, error: { code: 1, message: "m" } }), { code: 1, message: "m" }],
  ])("%s: the call ends at once with PROTOCOL_ERROR, outcome unknown", async (_name, answer, sent) => {
    const { port } = await open(onCall(({ id }) => answer(id)))
    const error = await rejection(call(port))
    expect(error.code).toBe("PROTOCOL_ERROR")
    expect(error.details).toEqual({ server: "s", tool: "t", sent, outcome: "unknown" })
    await port.close()
  })

  test("a result nested 600 levels deep costs its own call only", async () => {
    const { port } = await open(onCall(({ id, params }) => ({ jsonrpc: "2.0", id, result: params?.["name"] === "deep" ? nested(600) : { ok: true } })))
    const [deep, flat] = await Promise.allSettled([port.request("tools/call", { name: "deep" }), port.request("tools/call", { name: "flat" })])
    expect(deep).toMatchObject({ status: "rejected", reason: { code: "PROTOCOL_ERROR", details: { outcome: "unknown" } } })
    expect(flat).toEqual({ status: "fulfilled", value: { ok: true } })
    await port.close()
  })

  test("an error answer keeps code and data", async () => {
    const { port } = await open(onCall(({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32042, message: "nope", data: { retryAfter: 3 } } })))
    const error = await rejection(call(port))
    expect(error.message).toBe('Server "s", tool "t": the server answered with error -32042: nope')
    expect(error.details).toEqual({ server: "s", tool: "t", rpcCode: -32042, rpcData: { retryAfter: 3 }, outcome: "failed" })
    await port.close()
  })

  test("an answer to an unknown id is a warning, and the call goes on waiting", async () => {
    const { port, warnings } = await open(onCall(({ id }) => [{ jsonrpc: "2.0", id: 999, result: {} }, { jsonrpc: "2.0", id: null, error: { code: -32700, message: "m" } }, { jsonrpc: "2.0", id, result: { a: 1 } }]))
    expect(await call(port)).toEqual({ a: 1 })
    expect(warnings).toEqual(["An answer to an unknown request (id 999) was dropped", "An answer without an id was dropped (error -32700)"])
    await port.close()
  })
})

describe("the end of a call before its answer", () => {
  test("a timeout tells the server, without a reason, and a late answer is no fault", async () => {
    const { port, transport, warnings } = await open(() => undefined)
    const error = await rejection(call(port, { timeoutMs: 30 }))
    expect([error.code, error.details["outcome"]]).toEqual(["TIMEOUT", "unknown"])
    const [sent] = transport.of("tools/call")
    expect(transport.of("notifications/cancelled").map(({ params }) => params)).toEqual([{ requestId: sent?.id }])
    expect(transport.abandoned).toEqual([sent?.id])
    transport.deliver({ jsonrpc: "2.0", id: sent?.id, result: {} })
    expect(warnings).toEqual([])
    await port.close()
  })

  test("an abort tells the server, and the caller's reason stays here as the cause", async () => {
    const { port, transport } = await open(() => undefined)
    const controller = new AbortController()
    const pending = rejection(call(port, { signal: controller.signal }))
    controller.abort(new Error("my secret reason"))
    const error = await pending
    expect([error.code, error.details["outcome"], error.cause]).toEqual(["ABORTED", "unknown", new Error("my secret reason")])
    expect(JSON.stringify(transport.sent)).not.toContain("secret")
    expect(transport.of("notifications/cancelled")).toHaveLength(1)
    await port.close()
  })

  test("a signal that was aborted before, and a deadline that has passed, send nothing", async () => {
    const { port, transport } = await open(() => undefined)
    const before = transport.sent.length
    const aborted = await rejection(call(port, { signal: AbortSignal.abort("x") }))
    const late = await rejection(call(port, { timeoutMs: -1 }))
    expect([aborted.code, aborted.details["outcome"], late.code, late.details["outcome"]]).toEqual(["ABORTED", "not_started", "TIMEOUT", "not_started"])
    expect(transport.sent.length).toBe(before)
    await port.close()
  })

  test("silence ends a call, and progress starts it anew", async () => {
    const { port, transport } = await open(() => undefined)
    const pending = rejection(call(port, { idleTimeoutMs: 1_500 }))
    const token = transport.of("tools/call")[0]?.params?.["_meta"] as { progressToken: unknown }
    const began = Date.now()
    const timer = setInterval(() => transport.deliver({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token.progressToken, progress: 1 } }), 100)
    setTimeout(() => clearInterval(timer), 2_500)
    const error = await pending
    expect(error.code).toBe("TIMEOUT")
    expect(Date.now() - began).toBeGreaterThan(2_500)
    await port.close()
  })

  test("a lost connection ends every call with the reason that the transport knows", async () => {
    const { port, transport } = await open(() => undefined)
    const closed: unknown[] = []
    port.onClose((reason) => closed.push(reason?.message))
    const calls = [1, 2, 3].map(() => rejection(call(port)))
    transport.lossReason = new CallError("TRANSPORT_ERROR", 'Server "s": the process was ended by SIGKILL', { details: { kind: "exit", signal: "SIGKILL" } })
    await transport.close()
    for (const error of await Promise.all(calls)) {
      expect(error.message).toBe('Server "s", tool "t": the connection was lost: the process was ended by SIGKILL')
      expect(error.details).toEqual({ server: "s", tool: "t", kind: "exit", signal: "SIGKILL", outcome: "unknown" })
    }
    expect(closed).toEqual(['Server "s": the process was ended by SIGKILL'])
    expect((await rejection(call(port))).details).toMatchObject({ kind: "closed", outcome: "not_started" })
  })

  test("close ends the calls in flight, and later calls are refused as not started", async () => {
    const { port, transport } = await open(() => undefined)
    const pending = rejection(call(port))
    const closing = port.close()
    const during = await rejection(call(port))
    await closing
    const after = await rejection(call(port))
    expect((await pending).details).toMatchObject({ kind: "closed", outcome: "unknown" })
    for (const error of [during, after]) expect([error.code, error.details["kind"], error.details["outcome"]]).toEqual(["TRANSPORT_ERROR", "closed", "not_started"])
    expect(transport.isClosed).toBe(true)
  })

  test("what the transport cannot send rejects with its own error", async () => {
    const refused = new CallError("AUTH_REQUIRED", "no", { details: { outcome: "not_started" } })
    const { port } = await open(onCall(() => refused))
    expect(await rejection(call(port))).toBe(refused)
    await port.close()
  })
})

describe("progress and notifications", () => {
  test("progress that arrives in the same read as the answer is seen before the call resolves", async () => {
    const { port, transport } = await open(
      onCall(({ id, params }) => {
        const { progressToken } = params?.["_meta"] as { progressToken: unknown }
        const step = (progress: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress, total: 3, message: `step ${progress}` } })
        return [step(1), step(2), step(3), { jsonrpc: "2.0", id, result: {} }]
      }),
    )
    const seen: unknown[] = []
    await call(port, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })))
    expect(transport.of("tools/call")[0]?.params).toMatchObject({ name: "t", arguments: {} })
    await port.close()
  })

  test("no token is sent where nobody listens", async () => {
    const { port, transport } = await open(onCall(({ id }) => ({ jsonrpc: "2.0", id, result: {} })))
    await call(port)
    expect(transport.of("tools/call")[0]?.params).toEqual({ name: "t", arguments: {} })
    await port.close()
  })

  test("listeners hear their notifications until they are taken away", async () => {
    const { port, transport } = await open(() => undefined)
    const heard: unknown[] = []
    const stop = port.onNotification("notifications/x", (params) => heard.push(params))
    transport.deliver({ jsonrpc: "2.0", method: "notifications/x", params: { a: 1, _meta: null } })
    stop()
    transport.deliver({ jsonrpc: "2.0", method: "notifications/x" })
    expect(heard).toEqual([{ a: 1 }])
    await port.close()
  })

  test("requests of the server get -32601 without a handler, and the handler's result with one", async () => {
    const { port, transport } = await open(() => undefined)
    const answered = () => transport.sent.filter((message) => message.method === undefined)
    const ask = async (id: number, method: string) => {
      transport.deliver({ jsonrpc: "2.0", id, method })
      await expect.poll(() => answered().length).toBe(id)
    }
    await ask(1, "roots/list")
    port.onRequest("roots/list", () => ({ roots: [] }))
    await ask(2, "roots/list")
    await ask(3, "sampling/createMessage")
    await ask(4, "ping")
    expect(answered().map(({ error, result }) => error ?? result)).toEqual([{ code: -32601, message: "Method not found" }, { roots: [] }, { code: -32601, message: "Method not found" }, {}])
    await port.close()
  })

  test("messages carry the context that they are sent for", async () => {
    const { port, transport } = await open(onCall(({ id }) => ({ jsonrpc: "2.0", id, result: {} })))
    const context: PortContext = { purpose: "call", identity: { id: "u", scopes: [] }, operationId: "s.t" }
    await call(port, { context })
    expect(transport.contexts.at(-1)).toEqual(context)
    await port.close()
  })
})

describe("the handshake", () => {
  test("capabilities are empty: nothing is announced that has no handler", async () => {
    const { port, transport } = await open(() => undefined)
    expect(transport.of("initialize")[0]?.params?.["capabilities"]).toEqual({})
    expect([port.serverInfo, port.protocolVersion, port.capabilities]).toEqual([{ name: "scripted", version: "3.1.4" }, "2025-11-25", { tools: {} }])
    await port.close()
  })

  test.each<[string, Script, string, unknown]>([
    ["silence", ({ method }) => (method === "initialize" ? [] : undefined), "TIMEOUT", "not_started"],
    ["an error answer", ({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32000, message: "m" } }), "PROTOCOL_ERROR", "failed"],
    ["a result without members", ({ id }) => ({ jsonrpc: "2.0", id, result: {} }), "PROTOCOL_ERROR", "failed"],
    ["a result that is no object", ({ id }) => ({ jsonrpc: "2.0", id, result: [] }), "PROTOCOL_ERROR", "unknown"],
    ["a failing send", () => Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }), "TRANSPORT_ERROR", "not_started"],
  ])("%s rejects, and the transport is closed before", async (_name, script, code, outcome) => {
    const transport = new ScriptedTransport(script)
    const error = await rejection(openPort(transport, { server: "s", mask: (text) => text, warn: () => undefined, deadline: Date.now() + (code === "TIMEOUT" ? 100 : 30_000) }))
    expect([error.code, error.details["outcome"], transport.isClosed]).toEqual([code, outcome, true])
    expect(transport.of("notifications/cancelled")).toEqual([])
  })

  test("a signal stops it", async () => {
    const transport = new ScriptedTransport(({ method }) => (method === "initialize" ? [] : undefined))
    const controller = new AbortController()
    const opening = rejection(openPort(transport, { server: "s", mask: (text) => text, warn: () => undefined, deadline: Date.now() + 30_000, signal: controller.signal }))
    controller.abort()
    expect((await opening).code).toBe("ABORTED")
    expect(transport.isClosed).toBe(true)
  })
})

describe("a client that its host has connected", () => {
  const settings = { server: "s", mask: (text: string) => text, warn: () => undefined }

  test("gets the same filter, and the host's own calls go through it too", async () => {
    const transport = new ScriptedTransport(onCall(({ id }) => ({ jsonrpc: "2.0", id, result: { _meta: null, content: [] }, extra: 1 })))
    const client = new Client({ name: "host", version: "1" })
    await client.connect(transport)
    const port = adoptClient(client, settings)
    expect(await call(port)).toEqual({ content: [] })
    expect(await client.callTool({ name: "t" })).toEqual({ content: [] })
    await port.close()
    expect(transport.isClosed).toBe(true)
  })

  test("can be shared by several ports, each with its own answers and progress", async () => {
    const transport = new ScriptedTransport(
      onCall(({ id, params }) => {
        const { progressToken } = (params?.["_meta"] ?? {}) as { progressToken?: unknown }
        return [{ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: Number(params?.["n"]) } }, { jsonrpc: "2.0", id, result: { n: params?.["n"] } }]
      }),
    )
    const client = new Client({ name: "host", version: "1" })
    await client.connect(transport)
    const ports = [1, 2].map((n) => ({ n, port: adoptClient(client, settings), seen: [] as number[] }))
    const answers = ports.map(({ n, port, seen }) => port.request("tools/call", { name: "t", n }, { onProgress: ({ progress }) => seen.push(progress) }))
    expect(await Promise.all(answers)).toEqual([{ n: 1 }, { n: 2 }])
    expect(ports.map(({ seen }) => seen)).toEqual([[1], [2]])
    await client.close()
  })

  test("is refused while it is not connected", () => {
    expect(() => adoptClient(new Client({ name: "host", version: "1" }), settings)).toThrow(/not connected/)
  })
})
