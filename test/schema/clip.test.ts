import { describe, expect, test } from "vitest"
import { clipChanges, clipIssues, type DataChange, type SchemaIssue } from "../../src/schema.js"

const issue = (index: number): SchemaIssue => ({ path: `/${index}`, keyword: "type", message: "must be a number" })
const change = (index: number): DataChange => ({ path: `/${index}`, kind: "removed", from: index })
const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))

describe("the lists of an envelope", () => {
  test("are whole, without a total, up to a hundred entries", () => {
    const [issues, changes] = [list(100, issue), list(100, change)]
    expect(clipIssues(issues)).toStrictEqual({ issues })
    expect(clipChanges(changes)).toStrictEqual({ changes })
  })

  test("hold the first hundred and the total where there are more", () => {
    const issues = clipIssues(list(101, issue))
    const changes = clipChanges(list(5_000, change))
    expect(issues).toStrictEqual({ issues: list(100, issue), issuesTotal: 101 })
    expect(changes).toStrictEqual({ changes: list(100, change), changesTotal: 5_000 })
  })

  test("hold as many as the caller says", () => {
    expect(clipChanges(list(3, change), 1)).toStrictEqual({ changes: [change(0)], changesTotal: 3 })
    expect(clipIssues(list(3, issue), 0)).toStrictEqual({ issues: [], issuesTotal: 3 })
  })
})

describe("values of a change", () => {
  const from = (value: unknown, maxBytes?: number): unknown => {
    const [clipped] = clipChanges([{ path: "", kind: "removed", from: value }], 100, maxBytes).changes
    return clipped?.kind === "removed" ? clipped.from : undefined
  }
  const rows: [what: string, value: unknown, clipped: unknown][] = [
    ["a short text", "abc", "abc"],
    ["a text of a kilobyte", "x".repeat(1_000), "x".repeat(1_000)],
    ["a longer text", "x".repeat(1_001), `${"x".repeat(1_000)}… (clipped)`],
    ["a text of characters of two bytes", "é".repeat(501), `${"é".repeat(500)}… (clipped)`],
    ["a text of characters of four bytes, never cut inside one", `x${"😀".repeat(250)}`, `x${"😀".repeat(249)}… (clipped)`],
    ["a number", 1e300, 1e300],
    ["null", null, null],
    ["undefined", undefined, undefined],
    ["a small object", { a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }],
    ["an empty list", [], []],
    ["a large list, as the beginning of its JSON", list(1_000, (index) => index), `${JSON.stringify(list(1_000, (index) => index)).slice(0, 1_000)}… (clipped)`],
    ["a large object", { a: "x".repeat(2_000) }, `{"a":"${"x".repeat(994)}… (clipped)`],
  ]
  test.each(rows)("%s", (_, value, clipped) => expect(from(value)).toStrictEqual(clipped))

  test("are cut on both sides of a replacement, in a copy", () => {
    const [long, short] = ["x".repeat(50), "y"]
    const change: DataChange = { path: "/a", kind: "replaced", from: long, to: short }
    expect(clipChanges([change], 100, 10).changes).toStrictEqual([{ path: "/a", kind: "replaced", from: "xxxxxxxxxx… (clipped)", to: "y" }])
    expect(change.from).toBe(long)
  })

  test("that contain themselves are cut like large ones", () => {
    const circle: Record<string, unknown> = {}
    circle["a"] = circle
    expect(from(circle, 12)).toBe('{"a":{"a":{"… (clipped)')
  })

  test("of many megabytes cost what is shown, not what they hold", () => {
    let read = 0
    const watched = new Proxy(list(100_000, (index) => index), {
      get(target, key, receiver): unknown {
        read++
        return Reflect.get(target, key, receiver)
      },
    })
    from(watched)
    expect(read).toBeLessThan(3_000)
  })

  test("a long message of an issue is cut as well", () => {
    const [clipped] = clipIssues([{ ...issue(0), message: "m".repeat(2_000) }]).issues
    expect(clipped?.message).toBe(`${"m".repeat(1_000)}… (clipped)`)
  })
})
