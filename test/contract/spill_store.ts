/**
 * The contract of a store for large parts of results as a test suite: every store runs it and behaves the same.
 *
 * In: a factory that gives a fresh store for each test.
 */
import { describe, expect, test } from "vitest"
import type { SpillStore, SpilledPart } from "../../src/middleware.js"

/** A part as the middleware hands it over. */
export function partOf(value: unknown, more: Partial<SpilledPart> = {}): SpilledPart {
  return { operationId: "files.read", path: "/data", value, bytes: Buffer.byteLength(JSON.stringify(value)), ...more }
}

/** Runs the contract against a store. */
export function spillStoreContract(name: string, open: () => SpillStore | Promise<SpillStore>): void {
  describe(`${name} keeps the contract of a store for large parts`, () => {
    test.each([
      ["a text", "x".repeat(100_000)],
      ["text of every kind", 'quotes " and \\, lines\n, emoji 😀, a half \ud83d'],
      ["an object", { rows: [{ a: 1, b: null, c: [true, 1.5] }] }],
      ["a list that is empty", []],
      ["null", null],
      ["a member named like the prototype", JSON.parse('{"__proto__": {"a": 1}}')],
    ])("%s comes back as it went in", async (_, value) => {
      const store = await open()
      const part = partOf(value, { path: "/meta/content/0" })
      const handle = await store.put(part)
      const back = await store.get(handle)
      expect(back).toEqual(part)
      expect(JSON.stringify(back)).toBe(JSON.stringify(part))
    })

    test("what is changed after it was put aside does not change what is kept", async () => {
      const store = await open()
      const value = { list: [1] }
      const handle = await store.put(partOf(value))
      value.list.push(2)
      const first = await store.get(handle)
      Object.assign(first ?? {}, { value: "changed" })
      expect(await store.get(handle)).toEqual(partOf({ list: [1] }))
    })

    test("the same part twice has two handles, of 1 to 512 characters, which say nothing of the part", async () => {
      const store = await open()
      const secret = "correct-horse-battery-staple"
      const handles = await Promise.all([store.put(partOf(secret)), store.put(partOf(secret)), store.put(partOf("other"))])
      expect(new Set(handles).size).toBe(3)
      for (const handle of handles) {
        expect(handle.length).toBeGreaterThanOrEqual(1)
        expect(handle.length).toBeLessThanOrEqual(512)
        expect(handle).not.toContain(secret)
        expect(handle).not.toContain(Buffer.from(secret).toString("base64"))
      }
    })

    test("parts that come at the same time do not get into each other's way", async () => {
      const store = await open()
      const handles = await Promise.all(Array.from({ length: 50 }, (_, n) => store.put(partOf(n))))
      const back = await Promise.all(handles.map((handle) => store.get(handle)))
      expect(back.map((part) => part?.value)).toEqual(Array.from({ length: 50 }, (_, n) => n))
    })

    test.each(["", "nothing", "../../etc/passwd", "__proto__", "constructor", "x".repeat(10_000)])("the handle %j that it never gave has nothing", async (handle) => {
      const store = await open()
      await store.put(partOf("kept"))
      expect(await store.get(handle)).toBeUndefined()
    })
  })
}
