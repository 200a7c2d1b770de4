import { expect, test } from "vitest"
import { unsafeIntegers } from "../../src/schema.js"

const MESSAGE = "is an integer beyond 2^53: its last digits may differ from those that were sent"
const issue = (path: string) => ({ path, keyword: "safeInteger", message: MESSAGE })

// As parsing leaves them: anthropics/claude-code#78762 and earendil-works/pi#8943 report identifiers that change silently.
const rows: [text: string, paths: string[]][] = [
  ['{"id":1915883588174806058}', ["/id"]],
  ["9007199254740991", []],
  ["9007199254740992", [""]],
  ["-9007199254740993", [""]],
  ['[1,[9007199254740993],{"a/b":{"~":12345678901234567890}}]', ["/1/0", "/2/a~1b/~0"]],
  ['{"first":9007199254740993,"second":[9007199254740993,9007199254740993]}', ["/first", "/second/0", "/second/1"]],
  ['{"text":"9007199254740993","fraction":9007199254740.5,"large":1.5e-9}', []],
  ["null", []],
  ['{"__proto__":{"n":9007199254740993}}', ["/__proto__/n"]],
]

test.each(rows)("%s", (text, paths) => expect(unsafeIntegers(JSON.parse(text))).toStrictEqual(paths.map(issue)))

test("a value that contains itself, and one that is a hundred thousand deep, are walked to their end", () => {
  const circle: unknown[] = [2 ** 60]
  circle.push(circle)
  expect(unsafeIntegers(circle)).toStrictEqual([issue("/0")])
  let deep: unknown = 2 ** 60
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(unsafeIntegers(deep)).toHaveLength(1)
})
