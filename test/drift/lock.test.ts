import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { canonicalJSON, jsonDigest, lockServer, operationDigest, readLock, writeLock } from "../../src/drift.js"
import { FromSchema } from "../../src/schema.js"
import { specFromJSON, specToJSON, type OperationSpec } from "../../src/operation.js"

describe("canonical JSON", () => {
  // The third row is the example of RFC 8785, section 3.2.3, in its sorted order.
  test.each<[string, unknown, string]>([
    ["scalars", [1e21, 1e-7, 0.1, -0, true, null, "ä\u2028"], '[1e+21,1e-7,0.1,0,true,null,"ä\u2028"]'],
    ["members in order", { b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    ["names by UTF-16 units", { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 }, '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}'],
    ["what JSON leaves out", { a: undefined, b: [undefined], c: new Date(0) }, '{"b":[null],"c":"1970-01-01T00:00:00.000Z"}'],
    ["a member called __proto__", JSON.parse('{"b":1,"__proto__":2}'), '{"__proto__":2,"b":1}'],
  ])("%s", (_, value, text) => expect(canonicalJSON(value)).toBe(text))

  test("says what it cannot say", () => expect(() => canonicalJSON(undefined)).toThrow(TypeError))
})

test("a digest is the SHA-256 of the canonical text", () => {
  const sha256 = createHash("sha256").update('{"a":"ä","b":[1]}').digest("hex")
  expect(jsonDigest({ b: [1], a: "ä" })).toBe(sha256)
})

test("an operation has the digest of its wire form, also after the way over the wire", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } } as const
  const spec: OperationSpec = { name: "t", namespace: "s", version: "1", type: "query", description: "d", inputSchema: FromSchema(schema), outputSchema: FromSchema(schema) }
  const digest = operationDigest(spec)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(operationDigest(specFromJSON(JSON.parse(JSON.stringify(specToJSON(spec)))))).toBe(digest)
  expect(operationDigest({ ...spec, description: "other" })).not.toBe(digest)
})

describe("a lock", () => {
  const tool = { name: "t", description: "d", inputSchema: { type: "object" } }
  const lock = { lockVersion: 1 as const, servers: { s: lockServer({ name: "server", instructions: "i" }, [tool, { ...tool, description: "second of the name" }]) } }

  test("comes back from its text as it was, and equal locks are equal bytes", () => {
    const text = writeLock(lock)
    expect(readLock(text)).toEqual(lock)
    expect(writeLock({ servers: lock.servers, lockVersion: 1 })).toBe(text)
    expect(text.endsWith("}\n")).toBe(true)
  })

  test("keeps the first tool of a name", () => {
    expect(lock.servers.s).toEqual(lockServer({ name: "server", instructions: "i" }, [tool]))
  })

  test.each([
    ["no JSON", "{", "The lock is not JSON"],
    ["another version", '{"lockVersion":2,"servers":{}}', "/lockVersion"],
    ["a digest that is none", '{"lockVersion":1,"servers":{"s":{"digest":"x","tools":{}}}}', "/servers/s/digest"],
  ])("that is %s is refused with the place", (_, text, part) => {
    expect(() => readLock(text)).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR", message: expect.stringContaining(part) as string }) as Error)
  })
})
