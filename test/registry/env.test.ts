import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { buildEnv } from "../../src/call.js"
import { defineOperation, type AccessControl, type OperationContext, type Identity } from "../../src/operation.js"
import { OperationRegistry, type RegistryOptions } from "../../src/registry.js"

const anything = Type.Unknown()
const user: Identity = { id: "user", scopes: ["deploy"] }

/** A registry with a guarded file store and a deployer that reads from it on its own account, where it may. */
function registryWith(options: RegistryOptions, trust: readonly string[] | undefined, access: AccessControl = { requiredScopes: ["fs.read"] }) {
  const registry = new OperationRegistry(options)
  const op = (namespace: string, name: string, handler: (input: unknown, context: OperationContext) => unknown, more: object = {}) =>
    registry.register(defineOperation({ namespace, name, inputSchema: anything, outputSchema: anything, handler, ...more }))
  op("fs", "read", () => "secret", { accessControl: access })
  op("ops", "deploy", async (_, { env }) => (await env?.["fs"]?.["read"]?.())?.data, { ...(trust === undefined ? {} : { trust }) })
  op("ops", "other", async (_, { env }) => (await env?.["fs"]?.["read"]?.())?.data, { trust: ["fs.*"] })
  op("ops", "through", async (_, { env }) => (await env?.["ops"]?.["deploy"]?.())?.data)
  return registry
}

describe("the trust rule", () => {
  test.each<[string, RegistryOptions, readonly string[] | undefined, string, boolean]>([
    ["neither side says so", {}, undefined, "ops.deploy", false],
    ["only the operation says so", {}, ["fs.*"], "ops.deploy", false],
    ["only the registry says so", { grantTrust: { "ops.deploy": ["fs.*"] } }, undefined, "ops.deploy", false],
    ["both say so", { grantTrust: { "ops.deploy": ["fs.*"] } }, ["fs.*"], "ops.deploy", true],
    ["both say so of another operation", { grantTrust: { "ops.deploy": ["db.*"] } }, ["db.*"], "ops.deploy", false],
    ["the grant is for another caller", { grantTrust: { "ops.deploy": ["fs.*"] } }, ["fs.*"], "ops.other", false],
    ["through a third operation, its own trust counts", { grantTrust: { "ops.deploy": ["fs.*"] } }, ["fs.*"], "ops.through", true],
  ])("%s", async (_name, options, trust, id, allowed) => {
    const call = registryWith(options, trust).execute(id, null, { identity: user })
    if (allowed) expect((await call).data).toBe("secret")
    else await expect(call).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { operationId: "fs.read" } })
  })

  test("a caller who may read may read through an operation that is trusted with nothing", async () => {
    const registry = registryWith({}, undefined)
    expect((await registry.execute("ops.deploy", null, { identity: { id: "u", scopes: ["fs.read"] } })).data).toBe("secret")
  })

  test("trust does not come with the context: a handler that calls the registry with it has its caller's rights", async () => {
    const registry = registryWith({ grantTrust: { "ops.sneaky": ["fs.*"] } }, undefined)
    registry.register(
      defineOperation({
        namespace: "ops",
        name: "sneaky",
        inputSchema: anything,
        outputSchema: anything,
        trust: ["fs.*"],
        handler: async (_, context) => (await registry.execute("fs.read", null, context)).data,
      }),
    )
    await expect(registry.execute("ops.sneaky", null, { identity: user })).rejects.toMatchObject({ code: "ACCESS_DENIED" })
  })

  test("a handler cannot lend another identity to its child calls", async () => {
    const registry = registryWith({}, undefined)
    registry.register(
      defineOperation({
        namespace: "ops",
        name: "forge",
        inputSchema: anything,
        outputSchema: anything,
        handler: async (_, { env }) => (await env?.["fs"]?.["read"]?.(null, { identity: { id: "root", scopes: ["fs.read"] } } as object))?.data,
      }),
    )
    await expect(registry.execute("ops.forge", null, { identity: user })).rejects.toMatchObject({ code: "ACCESS_DENIED" })
  })
})

describe("child calls", () => {
  test("end with the smaller of their own and their parent's deadline", async () => {
    const registry = new OperationRegistry()
    const seen: (number | undefined)[] = []
    registry.register(
      defineOperation({ namespace: "t", name: "child", inputSchema: anything, outputSchema: anything, handler: (_, { deadline }) => void seen.push(deadline) }),
    )
    registry.register(
      defineOperation({
        namespace: "t",
        name: "parent",
        inputSchema: anything,
        outputSchema: anything,
        handler: async (_, { env }) => {
          await env?.["t"]?.["child"]?.()
          await env?.["t"]?.["child"]?.(null, { deadline: 4e12 })
          await env?.["t"]?.["child"]?.(null, { deadline: Date.now() + 20_000 })
        },
      }),
    )
    const deadline = Date.now() + 60_000
    await registry.execute("t.parent", null, { deadline })
    expect(seen.slice(0, 2)).toEqual([deadline, deadline])
    expect(seen[2]).toBeLessThan(deadline)
  })

  test("are aborted with their parent, also when nobody reads a signal in between", async () => {
    const registry = new OperationRegistry()
    const order: string[] = []
    let running = (): void => undefined
    const started = new Promise<void>((resolve) => (running = resolve))
    registry.register(
      defineOperation({
        namespace: "t",
        name: "leaf",
        inputSchema: anything,
        outputSchema: anything,
        handler: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => {
              order.push("leaf")
              reject(new Error("stopped"))
            })
            running()
          }),
      }),
    )
    for (const [name, next] of [["middle", "leaf"], ["root", "middle"]] as const) {
      registry.register(
        defineOperation({ namespace: "t", name, inputSchema: anything, outputSchema: anything, handler: async (_, { env }) => (await env?.["t"]?.[next]?.())?.data }),
      )
    }
    const abort = new AbortController()
    const call = registry.execute("t.root", null, { signal: abort.signal })
    await started
    abort.abort("enough")
    await expect(call).rejects.toMatchObject({ code: "ABORTED" })
    expect(order).toEqual(["leaf"])
  })

  test("of a missing operation are refused when they are made, and found when it has come", async () => {
    const registry = new OperationRegistry()
    const env = buildEnv(registry)
    await expect(env["late"]?.["comer"]?.()).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
    registry.register(defineOperation({ namespace: "late", name: "comer", inputSchema: anything, outputSchema: anything, handler: () => "here" }))
    expect((await env["late"]?.["comer"]?.())?.data).toBe("here")
    registry.unregister("late.comer")
    await expect(env["late"]?.["comer"]?.()).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
  })

  test("an environment and its namespaces can be awaited by mistake and cannot be written to", async () => {
    const env = buildEnv(new OperationRegistry())
    expect(await (env as unknown as Promise<unknown>)).toBe(env)
    expect(env["ns"]?.["then"]).toBeUndefined()
    expect(() => {
      ;(env as Record<string, unknown>)["ns"] = {}
    }).toThrow(TypeError)
  })

  test("subscriptions come through env.subscribe with the parent's identity", async () => {
    const registry = new OperationRegistry()
    registry.register(
      defineOperation({
        namespace: "t",
        name: "who",
        type: "subscription",
        inputSchema: anything,
        outputSchema: anything,
        accessControl: { requiredScopes: ["deploy"] },
        handler: async function* (_, { identity }) {
          yield await Promise.resolve(identity?.id)
          yield "end"
        },
      }),
    )
    registry.register(
      defineOperation({
        namespace: "t",
        name: "collect",
        inputSchema: anything,
        outputSchema: anything,
        handler: async (_, { env }) => {
          const items: unknown[] = []
          if (env !== undefined) for await (const { data } of env.subscribe("t.who")) items.push(data)
          return items
        },
      }),
    )
    expect((await registry.execute("t.collect", null, { identity: user })).data).toEqual(["user", "end"])
    await expect(registry.execute("t.collect")).rejects.toMatchObject({ code: "ACCESS_DENIED" })
  })
})
