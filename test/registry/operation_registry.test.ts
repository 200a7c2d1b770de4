import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { localEnvelope, mcpEnvelope } from "../../src/envelope.js"
import { CallError } from "../../src/error.js"
import { defineOperation, markValidatesInput, type AnyOperation, type Identity } from "../../src/operation.js"
import { OperationRegistry, type RegistryChange } from "../../src/registry.js"

const anything = Type.Unknown()

function operation(name: string, handler: AnyOperation["handler"], more: Partial<AnyOperation> = {}): AnyOperation {
  return { namespace: "t", name, version: "1", type: "mutation", description: "", inputSchema: anything, outputSchema: anything, handler, ...more }
}

const add = defineOperation({
  namespace: "math",
  name: "add",
  type: "query",
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Number(),
  handler: ({ a, b }) => a + b,
})

describe("what a registry holds", () => {
  test("an operation is found by its id, whole and in parts", () => {
    const registry = new OperationRegistry()
    registry.register(add)
    expect(registry.get("math.add")).toBe(add)
    expect(registry.getSpec("math.add")).toBe(add)
    expect(registry.getHandler("math.add")).toBe(add.handler)
    expect(registry.list()).toEqual(["math.add"])
    expect(registry.getAllSpecs()).toEqual([add])
  })

  test.each(["toString", "constructor", "__proto__", "t.toString", "t.__proto__"])("looks %s up and finds nothing", async (id) => {
    const registry = new OperationRegistry()
    registry.register(operation("x", () => 1))
    expect(registry.get(id)).toBeUndefined()
    expect(registry.getSpec(id)).toBeUndefined()
    await expect(registry.execute(id)).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
  })

  test("operations named like members of Object.prototype are themselves", async () => {
    const registry = new OperationRegistry()
    registry.registerAll(["__proto__", "constructor", "toString"].map((name) => operation(name, () => name)))
    for (const name of ["__proto__", "constructor", "toString"]) expect((await registry.execute(`t.${name}`)).data).toBe(name)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  test("a second registration of an id is refused unless it says replace", async () => {
    const registry = new OperationRegistry()
    registry.register(operation("x", () => 1))
    expect(() => registry.register(operation("x", () => 2))).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }) as CallError)
    expect((await registry.execute("t.x")).data).toBe(1)
    registry.register(operation("x", () => 2), { replace: true })
    expect((await registry.execute("t.x")).data).toBe(2)
  })

  test("registerAll registers all or none", () => {
    const registry = new OperationRegistry()
    registry.register(operation("b", () => 1))
    expect(() => registry.registerAll([operation("a", () => 1), operation("b", () => 1)])).toThrow(CallError)
    expect(registry.list()).toEqual(["t.b"])
  })

  test("a spec can come before its handler, and is not run without one", async () => {
    const registry = new OperationRegistry()
    const { handler, ...spec } = add
    registry.registerSpec(spec)
    expect(registry.get("math.add")).toBeUndefined()
    await expect(registry.execute("math.add", { a: 1, b: 2 })).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { outcome: "not_started" } })
    registry.registerHandler("math.add", handler)
    expect((await registry.execute("math.add", { a: 1, b: 2 })).data).toBe(3)
    expect(registry.get("math.add")?.name).toBe("add")
    expect(() => registry.registerHandler("math.add", handler)).toThrow(CallError)
    expect(() => registry.registerHandler("math.sub", handler)).toThrow(expect.objectContaining({ code: "OPERATION_NOT_FOUND" }) as CallError)
  })

  test("registering converts no schema: accessors are not read", () => {
    const registry = new OperationRegistry()
    let reads = 0
    const lazy: AnyOperation = Object.defineProperty(operation("lazy", () => 1), "inputSchema", {
      get: () => {
        reads++
        return anything
      },
    })
    registry.register(lazy)
    expect(registry.getAllSpecs()).toHaveLength(1)
    expect(reads).toBe(0)
  })

  test("a name that two namespaces have is answered with both candidates", async () => {
    const registry = new OperationRegistry()
    registry.registerAll([
      operation("send_email", () => "s1", { namespace: "s1" }),
      operation("send_email", () => "s2", { namespace: "s2" }),
      operation("b_c", () => "a+b_c", { namespace: "a" }),
      operation("c", () => "a_b+c", { namespace: "a_b" }),
    ])
    await expect(registry.execute("send_email")).rejects.toMatchObject({
      code: "OPERATION_NOT_FOUND",
      message: 'There is no operation "send_email"; did you mean "s1.send_email" or "s2.send_email"?',
      details: { nearest: ["s1.send_email", "s2.send_email"] },
    })
    expect((await registry.execute("s1.send_email")).data).toBe("s1")
    expect((await registry.execute("s2.send_email")).data).toBe("s2")
    expect((await registry.execute("a.b_c")).data).toBe("a+b_c")
    expect((await registry.execute("a_b.c")).data).toBe("a_b+c")
  })

  test("a misspelt id is answered with the nearest one", async () => {
    const registry = new OperationRegistry()
    registry.register(add)
    await expect(registry.execute("math.ad")).rejects.toMatchObject({ details: { nearest: ["math.add"] } })
    await expect(registry.execute("weather.forecast")).rejects.toMatchObject({ details: { nearest: [] } })
  })
})

describe("changes", () => {
  test("are told as added, changed with both specs, and removed", () => {
    const registry = new OperationRegistry()
    const changes: RegistryChange[] = []
    const stop = registry.onChange((change) => changes.push(change))
    const one = operation("x", () => 1)
    const two = operation("x", () => 2)
    registry.registerAll([one, operation("y", () => 1)])
    registry.register(two, { replace: true })
    registry.unregister("t.x")
    stop()
    registry.unregister("t.y")
    expect(changes.map(({ added, changed, removed }) => [added.map((s) => s.name), changed.map((c) => [c.before === one, c.after === two]), removed.map((s) => s.name)])).toEqual([
      [["x", "y"], [], []],
      [[], [[true, true]], []],
      [[], [], ["x"]],
    ])
  })

  test("a call in flight keeps the definition it began with", async () => {
    const registry = new OperationRegistry()
    let finish = (): void => undefined
    registry.register(operation("x", () => new Promise((resolve) => (finish = () => resolve("old")))))
    const call = registry.execute("t.x")
    registry.register(operation("x", () => "new"), { replace: true })
    registry.unregister("t.x")
    finish()
    expect((await call).data).toBe("old")
  })

  test("a listener that throws hinders nobody", () => {
    const registry = new OperationRegistry()
    registry.onChange(() => {
      throw new Error("listener")
    })
    registry.register(add)
    expect(registry.list()).toEqual(["math.add"])
  })

  test("a source that changed is put in one change, and only its own operations go", () => {
    const registry = new OperationRegistry()
    registry.registerAll([operation("a", () => 1), operation("b", () => 1), operation("other", () => 1, { namespace: "o" })])
    const changes: RegistryChange[] = []
    registry.onChange((change) => changes.push(change))
    registry.replaceAll(["t.a", "t.b"], [operation("a", () => 2), operation("c", () => 1)])
    expect(registry.list().sort()).toEqual(["o.other", "t.a", "t.c"])
    expect(changes).toHaveLength(1)
    expect(changes[0]?.removed.map((spec) => spec.name)).toEqual(["b"])
  })
})

describe("execute", () => {
  test("wraps a plain result, and passes an envelope as the same object", async () => {
    const registry = new OperationRegistry()
    const envelope = mcpEnvelope("x", { isError: true, content: [] })
    registry.registerAll([add, operation("mcp", () => envelope), operation("nothing", () => undefined), operation("local", () => localEnvelope(5, "other.op"))])
    expect((await registry.execute("math.add", { a: 1, b: 2 })).meta).toMatchObject({ source: "local", operationId: "math.add" })
    expect(await registry.execute("t.mcp")).toBe(envelope)
    expect((await registry.execute("t.nothing")).data).toBeNull()
    expect((await registry.execute("t.local")).meta).toMatchObject({ operationId: "other.op" })
  })

  test("refuses an input that does not fit, names every place, and runs nothing", async () => {
    const registry = new OperationRegistry()
    let runs = 0
    registry.register(
      operation("x", () => runs++, { inputSchema: Type.Object({ a: Type.Number(), b: Type.Object({ c: Type.String() }) }) }),
    )
    const error = await registry.execute("t.x", { a: "secret-value", b: { c: 5 } }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { outcome: "not_started", operationId: "t.x" } })
    const { message, details } = error as CallError
    expect((details["issues"] as { path: string }[]).map(({ path }) => path)).toEqual(["/a", "/b/c"])
    expect(message).toContain("t.x")
    expect(message).toContain("/b/c")
    expect(message).not.toContain("secret-value")
    expect(runs).toBe(0)
  })

  test("leaves validation to a handler that says it validates itself", async () => {
    const registry = new OperationRegistry()
    registry.register(operation("x", markValidatesInput((input: unknown) => input), { inputSchema: Type.Object({ a: Type.Number() }) }))
    expect((await registry.execute("t.x", "anything")).data).toBe("anything")
  })

  test("a result that breaks its own output schema is EXECUTION_ERROR with its pointer", async () => {
    const registry = new OperationRegistry()
    registry.register(operation("x", () => ({ n: "12" }), { outputSchema: Type.Object({ n: Type.Number() }) }))
    await expect(registry.execute("t.x")).rejects.toMatchObject({ code: "EXECUTION_ERROR", details: { issues: [{ path: "/n" }] } })
  })

  test.each<[string, unknown, string]>([
    ["undefined", { a: [{ b: undefined }] }, "/a/0/b"],
    ["NaN", NaN, ""],
    ["Infinity", [1, Infinity], "/1"],
    ["-0", { "~": -0 }, "/~0"],
    ["a Date", { d: new Date(0) }, "/d"],
    ["a BigInt", { d: 1n }, "/d"],
    ["a function", { f: () => 1 }, "/f"],
    ["a hole in a list", [1, , 3], "/1"],
    ["a class instance", { e: new CallError("TIMEOUT", "x") }, "/e"],
  ])("with json: check a result with %s is EXECUTION_ERROR with its pointer", async (_name, result, pointer) => {
    const checked = new OperationRegistry({ json: "check" })
    const loose = new OperationRegistry({ json: "off" })
    for (const registry of [checked, loose]) registry.register(operation("x", () => result))
    await expect(checked.execute("t.x")).rejects.toMatchObject({ code: "EXECUTION_ERROR", details: { pointer } })
    expect((await loose.execute("t.x")).data).toBe(result)
  })

  test("a thrown error becomes EXECUTION_ERROR, a declared one keeps its code, anything else is UNKNOWN_ERROR", async () => {
    const registry = new OperationRegistry()
    const fail = (name: string, thrown: unknown) =>
      operation(
        name,
        () => {
          throw thrown
        },
        { errorSchemas: [{ code: "OUT_OF_STOCK" }] },
      )
    registry.registerAll([
      fail("error", new TypeError("x")),
      fail("declared", Object.assign(new Error("none"), { code: "OUT_OF_STOCK" })),
      fail("text", "boom"),
      fail("call", new CallError("AUTH_REQUIRED", "log in")),
      operation("rejects", () => Promise.reject(new Error("later"))),
    ])
    await expect(registry.execute("t.error")).rejects.toMatchObject({ code: "EXECUTION_ERROR" })
    await expect(registry.execute("t.declared")).rejects.toMatchObject({ code: "OUT_OF_STOCK" })
    await expect(registry.execute("t.text")).rejects.toMatchObject({ code: "UNKNOWN_ERROR" })
    await expect(registry.execute("t.call")).rejects.toMatchObject({ code: "AUTH_REQUIRED" })
    await expect(registry.execute("t.rejects")).rejects.toMatchObject({ code: "EXECUTION_ERROR", message: "later" })
  })

  test("a deadline that passes rejects and aborts the handler; one that is past starts nothing", async () => {
    const registry = new OperationRegistry()
    let started = 0
    let aborted = 0
    registry.register(
      operation("slow", (_input: never, context) => {
        started++
        context.signal?.addEventListener("abort", () => aborted++)
        return new Promise(() => undefined)
      }),
    )
    const start = Date.now()
    await expect(registry.execute("t.slow", null, { timeoutMs: 300 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    expect(Date.now() - start).toBeGreaterThanOrEqual(300)
    await expect(registry.execute("t.slow", null, { deadline: Date.now() - 1 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    expect([started, aborted]).toEqual([1, 1])
  })

  test("a handler that knows the outcome better is believed when it is stopped", async () => {
    const registry = new OperationRegistry()
    registry.register(
      operation(
        "queued",
        (_input: never, context) =>
          new Promise((_resolve, reject) =>
            context.signal?.addEventListener("abort", () => reject(new CallError("ABORTED", "still queued", { details: { outcome: "not_started" } }))),
          ),
      ),
    )
    const abort = new AbortController()
    const call = registry.execute("t.queued", null, { signal: abort.signal })
    abort.abort()
    await expect(call).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "not_started" } })
  })

  test("the context makes its signal when it is read, and knows identity and ids", async () => {
    const registry = new OperationRegistry()
    const identity: Identity = { id: "ada", scopes: [] }
    registry.register(
      operation("look", (_input: never, context) => [context.identity?.id, context.requestId, context.parentRequestId, context.traceparent, context.metadata]),
    )
    const { data } = await registry.execute("t.look", null, {
      identity,
      requestId: "r",
      parentRequestId: "p",
      traceparent: "00-a-b-01",
      metadata: { k: 1 },
    })
    expect(data).toEqual(["ada", "r", "p", "00-a-b-01", { k: 1 }])
  })
})

describe("access", () => {
  const guarded = operation("guarded", () => "in", { accessControl: { requiredScopes: ["in"], customAuth: "office_hours" } })

  test("a function of the host is asked where one is named; only true opens, an unknown name refuses", async () => {
    const asked: string[] = []
    const registry = new OperationRegistry({
      customAuth: {
        office_hours: ({ identity, spec }) => {
          asked.push(`${identity.id} ${spec.name}`)
          return Promise.resolve(identity.id === "ada")
        },
      },
    })
    registry.register(guarded)
    registry.register(operation("unknown", () => 1, { accessControl: { customAuth: "toString" } }))
    const as = (id: string) => ({ identity: { id, scopes: ["in"] } })
    expect((await registry.execute("t.guarded", null, as("ada"))).data).toBe("in")
    await expect(registry.execute("t.guarded", null, as("bob"))).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { missing: { customAuth: "office_hours" } } })
    await expect(registry.execute("t.guarded", null, { identity: { id: "ada", scopes: [] } })).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    await expect(registry.execute("t.guarded")).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { missing: { identity: true } } })
    await expect(registry.execute("t.unknown", null, as("ada"))).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    expect(asked).toEqual(["ada guarded", "bob guarded"])
  })

  test("a function that throws or answers something truthy refuses", async () => {
    for (const answer of [() => 1 as unknown as boolean, () => Promise.reject(new Error("down"))]) {
      const registry = new OperationRegistry({ customAuth: { office_hours: answer } })
      registry.register(guarded)
      await expect(registry.execute("t.guarded", null, { identity: { id: "a", scopes: ["in"] } })).rejects.toMatchObject({ code: "ACCESS_DENIED" })
    }
  })

  test("visibleTo lists what an identity may run", async () => {
    const registry = new OperationRegistry({ customAuth: { office_hours: ({ identity }) => identity.id === "ada" } })
    registry.registerAll([guarded, operation("open", () => 1)])
    const names = async (identity?: Identity) => (await registry.visibleTo(identity)).map(({ name }) => name)
    expect(await names()).toEqual(["open"])
    expect(await names({ id: "ada", scopes: ["in"] })).toEqual(["guarded", "open"])
    expect(await names({ id: "bob", scopes: ["in"] })).toEqual(["open"])
  })
})
