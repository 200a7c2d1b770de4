import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MCPResponseMeta, mcpEnvelope, type MCPEnvelopeInput, type ResponseEnvelope } from "../src/envelope.js"
import { approve, audit, filter, limitResult, redact, timing, type AuditRecord, type Timing } from "../src/middleware.js"
import { defineOperation, type AnyOperation } from "../src/operation.js"
import { OperationRegistry, type Middleware } from "../src/registry.js"

const anything = Type.Unknown()

function registryOf(result: unknown, middleware: Middleware[], more: Partial<AnyOperation> = {}) {
  const registry = new OperationRegistry({ json: "off" })
  registry.register({
    ...defineOperation({ namespace: "t", name: "x", inputSchema: anything, outputSchema: anything, handler: (input) => (typeof result === "function" ? (result(input) as unknown) : result) }),
    ...more,
  })
  registry.register(
    defineOperation({
      namespace: "t",
      name: "items",
      type: "subscription",
      inputSchema: anything,
      outputSchema: anything,
      handler: async function* () {
        yield await Promise.resolve(1)
        yield 2
      },
    }),
  )
  for (const each of middleware) registry.use(each)
  return registry
}

async function through(middleware: Middleware, envelope: unknown): Promise<ResponseEnvelope> {
  return registryOf(envelope, [middleware]).execute("t.x")
}

function mcp(data: unknown, more: Partial<MCPEnvelopeInput> = {}) {
  return mcpEnvelope(data, { isError: false, content: [], ...more })
}

describe("the chain", () => {
  test("runs from the first given inwards, and sees spec, input, context and envelope", async () => {
    const log: string[] = []
    const named = (name: string): Middleware => async (call, next) => {
      log.push(`${name} in ${call.id} ${String(call.input)} ${String(call.context.metadata?.["k"])}`)
      const envelope = await next()
      log.push(`${name} out ${String(envelope.data)}`)
      return envelope
    }
    await registryOf((input: unknown) => `${String(input)}!`, [named("a"), named("b")]).execute("t.x", "hi", { metadata: { k: 7 } })
    expect(log).toEqual(["a in t.x hi 7", "b in t.x hi 7", "b out hi!", "a out hi!"])
  })

  test("an input that a middleware gives in place is validated again", async () => {
    const change = (input: unknown): Middleware => (_call, next) => next({ input })
    const registry = (input: unknown) => registryOf((given: unknown) => given, [change(input)], { inputSchema: Type.Object({ a: Type.Number() }) })
    expect((await registry({ a: 2 }).execute("t.x", { a: 1 })).data).toEqual({ a: 2 })
    await expect(registry({ a: "x" }).execute("t.x", { a: 1 })).rejects.toMatchObject({ code: "VALIDATION_ERROR" })
  })

  test("a middleware that was taken out is gone", async () => {
    const registry = registryOf(1, [])
    const remove = registry.use(() => Promise.resolve(mcp("changed")))
    expect((await registry.execute("t.x")).data).toBe("changed")
    remove()
    expect((await registry.execute("t.x")).data).toBe(1)
  })

  test("runs for each item of a subscription, and once for its end", async () => {
    const seen: unknown[] = []
    const registry = registryOf(1, [
      async (call, next) => {
        const envelope = await next()
        seen.push([call.seq, call.ended, envelope.data])
        return envelope
      },
    ])
    const items: unknown[] = []
    for await (const { data } of registry.subscribe("t.items")) items.push(data)
    expect(items).toEqual([1, 2])
    expect(seen).toEqual([
      [0, false, 1],
      [1, false, 2],
    ])
  })

  test("a refusal before the first item means that the generator never began", async () => {
    let began = false
    const registry = new OperationRegistry()
    registry.register(
      defineOperation({
        namespace: "t",
        name: "s",
        type: "subscription",
        inputSchema: anything,
        outputSchema: anything,
        handler: async function* () {
          began = true
          yield await Promise.resolve(1)
        },
      }),
    )
    registry.use(filter({ deny: ["t.s"] }))
    await expect(registry.subscribe("t.s").next()).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    expect(began).toBe(false)
  })
})

describe("filter", () => {
  test.each([
    [{ allow: ["t.*"] }, true],
    [{ allow: ["t.y", "*.x"] }, true],
    [{ allow: ["u.*"] }, false],
    [{ allow: [] }, false],
    [{ deny: ["t.x"] }, false],
    [{ deny: ["u.*"] }, true],
    [{ allow: ["*"], deny: ["t.x"] }, false],
    [{}, true],
  ])("%o lets t.x through: %s", async (options, passes) => {
    const call = registryOf("ran", [filter(options)]).execute("t.x")
    if (passes) expect((await call).data).toBe("ran")
    else await expect(call).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { outcome: "not_started" } })
  })
})

describe("approve", () => {
  test("asks with operation, input, identity and unverified hints, and runs only on true", async () => {
    const asked: unknown[] = []
    const registry = registryOf("ran", [
      approve(({ operationId, input, identity, unverifiedHints }) => {
        asked.push({ operationId, input, identity, unverifiedHints })
        return Promise.resolve(input === "yes")
      }),
    ], { annotations: { readOnlyHint: true } })
    const identity = { id: "ada", scopes: [] }
    expect((await registry.execute("t.x", "yes", { identity })).data).toBe("ran")
    await expect(registry.execute("t.x", "no")).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { missing: { approval: true } } })
    expect(asked[0]).toEqual({ operationId: "t.x", input: "yes", identity, unverifiedHints: { readOnlyHint: true } })
  })

  test("something truthy is no approval, and the deadline goes on while the host decides", async () => {
    await expect(registryOf(1, [approve(() => "yes" as unknown as boolean)]).execute("t.x")).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    await expect(registryOf(1, [approve(() => new Promise(() => undefined))]).execute("t.x", null, { timeoutMs: 30 })).rejects.toMatchObject({ code: "TIMEOUT" })
  })

  test("a subscription is asked about once", async () => {
    let asked = 0
    const registry = registryOf(1, [approve(() => ++asked > 0)])
    const items: unknown[] = []
    for await (const { data } of registry.subscribe("t.items")) items.push(data)
    expect([items, asked]).toEqual([[1, 2], 1])
  })
})

test("timing tells how long and how it ended", async () => {
  const seen: Timing[] = []
  const sink = (each: Timing) => {
    seen.push(each)
    throw new Error("a fault of the sink")
  }
  await registryOf(1, [timing(sink)]).execute("t.x")
  await registryOf(mcp(1, { isError: true }), [timing(sink)]).execute("t.x")
  await registryOf(() => Promise.reject(new Error("x")), [timing(sink)]).execute("t.x").catch(() => undefined)
  expect(seen.map(({ operationId, result }) => [operationId, result])).toEqual([["t.x", "ok"], ["t.x", "isError"], ["t.x", "EXECUTION_ERROR"]])
  for (const { durationMs } of seen) expect(durationMs).toBeGreaterThanOrEqual(0)
})

describe("audit", () => {
  test("writes who called what and how it ended, and neither input nor result", async () => {
    const records: AuditRecord[] = []
    const registry = registryOf("the-result", [audit((record) => void records.push(record))])
    await registry.execute("t.x", "the-input", { identity: { id: "ada", scopes: [] }, requestId: "r1" })
    expect(records).toMatchObject([{ operationId: "t.x", version: "1.0.0", identityId: "ada", requestId: "r1", result: "ok", seq: undefined }])
    expect(JSON.stringify(records)).not.toMatch(/the-input|the-result/)
  })

  test("a sink that fails fails the call", async () => {
    await expect(registryOf(1, [audit(() => Promise.reject(new Error("disk full")))]).execute("t.x")).rejects.toMatchObject({ code: "EXECUTION_ERROR" })
  })
})

describe("redact", () => {
  const secret = "hunter2-and-more"

  test("takes the value out of data, structuredContent, texts, changes and issues, and leaves what came in", async () => {
    const data = { user: { token: secret, name: "ada" }, list: [{ token: secret }, { token: 5 }] }
    const envelope = mcp(data, {
      structuredContent: data,
      content: [{ type: "text", text: JSON.stringify(data) }],
      changes: [{ path: "/user/token", kind: "replaced", from: 1, to: secret }],
      issues: [{ path: "/user/token", keyword: "type", message: `got ${secret}` }],
      _meta: { echo: secret },
      dataFrom: "structuredContent",
      conformance: "cast",
    })
    const before = JSON.stringify(envelope)
    const out = await through(redact(["/user/token", "/list/*/token"]), envelope)
    expect(JSON.stringify(out)).not.toContain(secret)
    expect(out.data).toEqual({ user: { token: "[redacted]", name: "ada" }, list: [{ token: "[redacted]" }, { token: "[redacted]" }] })
    expect(out.meta.reduced?.map(({ by, path }) => `${by} ${path}`)).toEqual([
      "redact /data/user/token",
      "redact /data/list/0/token",
      "redact /data/list/1/token",
      "redact /meta/structuredContent/user/token",
      "redact /meta/structuredContent/list/0/token",
      "redact /meta/structuredContent/list/1/token",
    ])
    expect(Value.Check(MCPResponseMeta, out.meta)).toBe(true)
    expect(JSON.stringify(envelope)).toBe(before)
  })

  test("finds the secret in JSON text where it is escaped", async () => {
    const quoted = 'a"b\\c-long-enough'
    const envelope = mcp({ t: quoted }, { content: [{ type: "text", text: JSON.stringify({ t: quoted }) }] })
    const out = await through(redact(["/t"]), envelope)
    expect(out.meta.source === "mcp" && out.meta.content).toEqual([{ type: "text", text: '{"t":"[redacted]"}' }])
  })

  test("leaves an envelope alone that has nothing of it, and prototype names", async () => {
    const envelope = mcp({ a: 1 })
    expect(await through(redact(["/b", "/a/c", "/toString", "/__proto__/x"]), envelope)).toBe(envelope)
  })

  test("a secret like a word of the protocol does not break the envelope", async () => {
    const out = await through(redact(["/kind"]), mcp({ kind: "text" }, { content: [{ type: "text", text: "text" }] }))
    expect(Value.Check(MCPResponseMeta, out.meta)).toBe(true)
  })
})

describe("limitResult", () => {
  test("a result within the bound passes as the same object", async () => {
    const envelope = mcp({ a: "x" })
    expect(await through(limitResult(100), envelope)).toBe(envelope)
  })

  test("what is too much is cut, said where and how much, and the JSON stays JSON", async () => {
    const data = { id: 7, items: Array.from({ length: 100 }, (_, n) => ({ n, text: "x".repeat(50) })), last: true }
    const out = await through(limitResult(1_000), mcp(data, { structuredContent: data, content: [{ type: "text", text: JSON.stringify(data) }] }))
    const { items } = out.data as { items: unknown[] }
    expect((out.data as { id: number }).id).toBe(7)
    expect(items.slice(0, 10)).toEqual(data.items.slice(0, 10))
    expect(items.length).toBeLessThan(20)
    const paths = out.meta.reduced?.map(({ path }) => path) ?? []
    expect(paths).toContain("/meta/content/0/text")
    expect(paths.some((path) => path.startsWith("/data/items/"))).toBe(true)
    expect(paths.some((path) => path.startsWith("/meta/structuredContent/items/"))).toBe(true)
    for (const { bytes } of out.meta.reduced ?? []) expect(bytes).toBeGreaterThan(0)
    expect(Value.Check(MCPResponseMeta, out.meta)).toBe(true)
  })

  test("an image is there whole or not at all", async () => {
    const image = { type: "image" as const, data: "A".repeat(400), mimeType: "image/png" }
    const content = [{ type: "text" as const, text: "hello" }, image]
    const out = await through(limitResult(300), mcp(content, { content }))
    expect(out.data).toEqual([{ type: "text", text: "hello" }])
    expect(out.meta.reduced).toEqual([{ by: "limit", path: "/meta/content/1", bytes: JSON.stringify(image).length + 1, items: 1 }])
  })

  test("any JSON value comes out as JSON that keeps the bound, and says so when something is missing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 4, max: 300 }), async (value, maxBytes) => {
        const out = await through(limitResult(maxBytes), mcp(value))
        const text = JSON.stringify(out.data)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
        expect(JSON.stringify(JSON.parse(text))).toBe(text)
        const complete = JSON.stringify(value) === text
        expect((out.meta.reduced ?? []).length === 0).toBe(complete)
      }),
      { numRuns: 300 },
    )
  })
})
