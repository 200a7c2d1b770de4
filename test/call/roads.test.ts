import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { buildCallHandler, buildEnv, CallRouter, createInProcessTransport, PendingRequestMap } from "../../src/call.js"
import { CallError } from "../../src/error.js"
import { defineOperation, type OperationContext } from "../../src/operation.js"
import { OperationRegistry, type CallTarget } from "../../src/registry.js"
import { filter } from "../../src/middleware.js"

const anything = Type.Unknown()
const CODES = [
  "OPERATION_NOT_FOUND",
  "ACCESS_DENIED",
  "VALIDATION_ERROR",
  "TIMEOUT",
  "ABORTED",
  "TRANSPORT_ERROR",
  "AUTH_REQUIRED",
  "PROTOCOL_ERROR",
  "RESOURCE_EXHAUSTED",
  "CONFIGURATION_ERROR",
  "SCHEMA_ERROR",
  "EXECUTION_ERROR",
  "UNKNOWN_ERROR",
  "OUT_OF_STOCK",
] as const

function world() {
  const registry = new OperationRegistry()
  for (const code of CODES) {
    registry.register(
      defineOperation({
        namespace: "fail",
        name: code,
        inputSchema: anything,
        outputSchema: anything,
        errorSchemas: [{ code: "OUT_OF_STOCK" }],
        handler: () => Promise.reject(code === "OUT_OF_STOCK" ? Object.assign(new Error("m"), { code }) : new CallError(code, "m", { details: { fact: code } })),
      }),
    )
  }
  registry.register(defineOperation({ namespace: "t", name: "open", inputSchema: anything, outputSchema: anything, handler: () => "in" }))
  registry.register(
    defineOperation({ namespace: "t", name: "guarded", inputSchema: anything, outputSchema: anything, accessControl: { requiredScopes: ["s"] }, handler: () => "in" }),
  )
  registry.register(defineOperation({ namespace: "t", name: "strict", inputSchema: Type.Object({ a: Type.Number() }), outputSchema: anything, handler: () => "in" }))
  const transport = createInProcessTransport()
  buildCallHandler({ registry, transport })
  const map = new PendingRequestMap({ transport })
  const router = new CallRouter({ routes: [{ match: "*", target: map }] })
  return { registry, map, router }
}

type Road = (id: string, input?: unknown, context?: OperationContext) => Promise<unknown>

function roadsOf({ registry, map, router }: ReturnType<typeof world>): [string, Road][] {
  const viaEnv =
    (target: CallTarget): Road =>
    (id, input, context) => {
      const [namespace = "", name = ""] = id.split(".")
      return buildEnv(target, context)[namespace]?.[name]?.(input) ?? Promise.reject(new Error("no function"))
    }
  const first = async (items: AsyncIterable<unknown>) => {
    for await (const item of items) return item
    return undefined
  }
  return [
    ["execute", (id, input, context) => registry.execute(id, input, context)],
    ["subscribe", (id, input, context) => first(registry.subscribe(id, input, context))],
    ["call", (id, input, context) => map.call(id, input, context)],
    ["subscribe over the transport", (id, input, context) => first(map.subscribe(id, input, context))],
    ["router", (id, input, context) => router.execute(id, input, context)],
    ["subscribe by the router", (id, input, context) => first(router.subscribe(id, input, context))],
    ["env of the registry", viaEnv(registry)],
    ["env of the map", viaEnv(map)],
  ]
}

describe.each(roadsOf(world()).map(([name]) => name))("by the road %s", (name) => {
  const setUp = () => {
    const made = world()
    const road = roadsOf(made).find(([each]) => each === name)?.[1]
    if (road === undefined) throw new Error("no road")
    return { ...made, road }
  }

  test.each(CODES)("%s arrives with its code and details", async (code) => {
    const { road } = setUp()
    const error = await road(`fail.${code}`).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CallError)
    expect(error).toMatchObject({ code, message: "m", details: code === "OUT_OF_STOCK" ? {} : { fact: code } })
  })

  test("an unknown operation, a lacking scope, an input that does not fit and a past deadline start nothing", async () => {
    const { road } = setUp()
    await expect(road("t.missing")).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { outcome: "not_started" } })
    await expect(road("t.guarded")).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { outcome: "not_started" } })
    await expect(road("t.strict", { a: "x" })).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { issues: [{ path: "/a" }], outcome: "not_started" } })
    await expect(road("t.open", null, { deadline: Date.now() - 5 })).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
  })

  test("the right scope opens", async () => {
    const { road } = setUp()
    expect(await road("t.guarded", null, { identity: { id: "a", scopes: ["s"] } })).toMatchObject({ data: "in" })
  })

  test("a denying middleware stops it", async () => {
    const { registry, road } = setUp()
    expect(await road("t.open")).toMatchObject({ data: "in" })
    registry.use(filter({ deny: ["t.*"] }))
    await expect(road("t.open")).rejects.toMatchObject({ code: "ACCESS_DENIED" })
  })
})
