import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { defineOperation, type AnyOperation } from "../../src/operation.js"
import { OperationRegistry, type RegistryChange } from "../../src/registry.js"

const operation = (description: string, name = "read"): AnyOperation =>
  defineOperation({ namespace: "fs", name, description, inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler: () => description })

describe("an operation that yields", () => {
  const standIn = operation("stand-in")
  const local = operation("local")

  test.each<[string, (registry: OperationRegistry) => void]>([
    ["register", (registry) => registry.register(local)],
    ["registerAll", (registry) => registry.registerAll([local, operation("other", "write")])],
    ["registerSpec", (registry) => registry.registerSpec(local)],
    ["replaceAll", (registry) => registry.replaceAll([], [local])],
  ])("gives way to %s, as one change", (_, put) => {
    const registry = new OperationRegistry()
    registry.register(standIn, { yields: true })
    expect(registry.isFree("fs.read")).toBe(true)
    const changes: RegistryChange[] = []
    registry.onChange((change) => changes.push(change))
    put(registry)
    expect(registry.getSpec("fs.read")).toBe(local)
    expect(registry.isFree("fs.read")).toBe(false)
    expect(changes.flatMap(({ changed }) => changed)).toEqual([{ before: standIn, after: local }])
    expect(() => registry.register(standIn, { yields: true })).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
  })

  test("leaves no handler behind under a spec that takes its place", async () => {
    const registry = new OperationRegistry()
    registry.register(standIn, { yields: true })
    registry.registerSpec(local)
    await expect(registry.execute("fs.read")).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
  })

  test("can be put by replaceAll, and an operation that does not yield is in nobody's way but its own id's", () => {
    const registry = new OperationRegistry()
    registry.replaceAll([], [standIn], { yields: true })
    expect(registry.isFree("fs.read")).toBe(true)
    expect(registry.isFree("fs.write")).toBe(true)
    registry.register(operation("own", "write"))
    expect(() => registry.replaceAll(["fs.read"], [operation("again", "write")], { yields: true })).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
    expect(registry.getSpec("fs.read")).toBe(standIn)
  })
})
