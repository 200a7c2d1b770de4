import { createHash } from "node:crypto"
import { Type } from "@sinclair/typebox"
import { describe, expect, test, vi } from "vitest"
import { operationDigest } from "../../src/drift.js"
import { isCallError } from "../../src/error.js"
import { Exposed } from "../../src/nats/exposed.js"
import { WIRE_SCHEMAS, defineOperation, type AnyOperation } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"

function operation(namespace: string, name: string, more: Partial<AnyOperation> = {}): AnyOperation {
  return { ...defineOperation({ namespace, name, inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler: () => null }), ...more }
}

function registryOf(...operations: AnyOperation[]): OperationRegistry {
  const registry = new OperationRegistry()
  registry.registerAll(operations)
  return registry
}

async function told(exposed: Exposed): Promise<void> {
  await new Promise<void>((resolve) => {
    const unhear = exposed.onChange(() => {
      unhear()
      resolve()
    })
  })
}

describe("what a worker serves", () => {
  test("what fits a pattern is served, and nothing else", () => {
    const exposed = new Exposed(registryOf(operation("fs", "read"), operation("fs", "drop"), operation("db", "query"), operation("db", "drop")), ["fs.read", "db.q*"])
    expect(exposed.count).toBe(2)
    expect(["fs.read", "fs.drop", "db.query", "db.drop", "no.thing"].filter((id) => exposed.has(id))).toEqual(["fs.read", "db.query"])
    expect([...exposed.namespaces()].sort()).toEqual(["db", "fs"])
  })

  test("no patterns are refused: nothing is served by default", () => {
    expect(() => new Exposed(new OperationRegistry(), [])).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
  })

  test("an operation that JSON cannot say is reported and not served; the others are", () => {
    const exposed = new Exposed(registryOf(operation("fs", "when", { inputSchema: Type.Date() }), operation("fs", "read")), ["*"])
    expect(exposed.count).toBe(1)
    expect(exposed.has("fs.when")).toBe(false)
    expect(exposed.unserved.map(({ operationId, error }) => [operationId, error.code])).toEqual([["fs.when", "CONFIGURATION_ERROR"]])
  })

  test.each([
    ["too long for a subject", "é".repeat(80)],
    ["not to be said in UTF-8", "half \ud83d"],
  ])("an operation whose name is %s is reported and not served", (_, name) => {
    const exposed = new Exposed(registryOf(operation("fs", name)), ["*"])
    expect(exposed.count).toBe(0)
    expect(exposed.unserved[0]?.operationId).toBe(`fs.${name}`)
    expect(isCallError(exposed.unserved[0]?.error)).toBe(true)
  })

  test("only what an identity may run is visible to it, and only what is served", async () => {
    const secret = operation("fs", "secret", { accessControl: { requiredScopes: ["admin"] } })
    const exposed = new Exposed(registryOf(operation("fs", "read"), secret, operation("db", "query")), ["fs.*"])
    expect((await exposed.visibleTo({ id: "a", scopes: [] })).map(({ name }) => name)).toEqual(["read"])
    expect((await exposed.visibleTo({ id: "b", scopes: ["admin"] })).map(({ name }) => name)).toEqual(["read", "secret"])
  })
})

describe("the hash", () => {
  test("is the SHA-256 over the sorted ids and digests, whatever the order of registration", () => {
    const [read, write] = [operation("fs", "read"), operation("fs", "write")]
    const text = `[["fs.read","${operationDigest(read)}"],["fs.write","${operationDigest(write)}"]]`
    const expected = createHash("sha256").update(text).digest("hex")
    expect(new Exposed(registryOf(read, write), ["*"]).hash).toBe(expected)
    expect(new Exposed(registryOf(write, read), ["*"]).hash).toBe(expected)
  })

  test("changes with an operation that comes, changes and goes, and is told once a turn", async () => {
    const registry = registryOf(operation("fs", "read"))
    const exposed = new Exposed(registry, ["fs.*"])
    const listener = vi.fn()
    exposed.onChange(listener)
    const first = exposed.hash
    for (let index = 0; index < 50; index++) registry.register(operation("fs", `more${index}`))
    expect(exposed.count).toBe(51)
    expect(exposed.has("fs.more49")).toBe(true)
    await told(exposed)
    expect(listener).toHaveBeenCalledTimes(1)
    const second = exposed.hash
    registry.register(operation("fs", "read", { description: "another one" }), { replace: true })
    await told(exposed)
    const third = exposed.hash
    for (let index = 0; index < 50; index++) registry.unregister(`fs.more${index}`)
    registry.register(operation("fs", "read"), { replace: true })
    await told(exposed)
    expect(new Set([first, second, third]).size).toBe(3)
    expect(exposed.hash).toBe(first)
    expect(listener).toHaveBeenCalledTimes(3)
  })

  test("stays silent where what is served is the same after all", async () => {
    const registry = registryOf(operation("fs", "read"))
    const exposed = new Exposed(registry, ["fs.*"])
    const listener = vi.fn()
    exposed.onChange(listener)
    registry.register(operation("db", "query"))
    registry.register(operation("fs", "read"), { replace: true })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(listener).not.toHaveBeenCalled()
  })

  test("is told to a listener although another one throws, and to none after close", async () => {
    const registry = registryOf(operation("fs", "read"))
    const exposed = new Exposed(registry, ["fs.*"])
    exposed.onChange(() => {
      throw new Error("a fault of the listener")
    })
    const listener = vi.fn()
    exposed.onChange(listener)
    registry.unregister("fs.read")
    await told(exposed)
    expect(listener).toHaveBeenCalledTimes(1)
    registry.register(operation("fs", "read"))
    exposed.close()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test("costs what changed: the wire form of a spec that stays is asked for once", async () => {
    let asked = 0
    const counted = { ...operation("fs", "read"), get [WIRE_SCHEMAS]() {
      asked++
      return { inputSchema: true, outputSchema: true }
    } }
    // A spread would read the accessor once and keep what it gave.
    const registry = registryOf(Object.defineProperties(Object.create(null) as AnyOperation, Object.getOwnPropertyDescriptors(counted)))
    const exposed = new Exposed(registry, ["*"])
    registry.register(operation("fs", "write"))
    await told(exposed)
    expect(exposed.count).toBe(2)
    expect(new Exposed(registry, ["*"]).count).toBe(2)
    expect(asked).toBe(1)
  })
})
