import { describe, expect, test } from "vitest"
import { TextTail } from "../../../src/from_mcp/stdio/text_tail.js"

const same = (text: string) => text

describe("TextTail", () => {
  test("keeps the end of what was written, at most 8 KiB", () => {
    const tail = new TextTail()
    for (let at = 0; at < 1_000; at++) tail.append(Buffer.from(`line ${at} ${"x".repeat(100)}\n`))
    const text = tail.text(same)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024)
    expect(text.endsWith(`line 999 ${"x".repeat(100)}`)).toBe(true)
  })

  test("a secret across the edge of what is shown is masked whole", () => {
    const tail = new TextTail()
    tail.append(Buffer.from(`secret-value-1${"y".repeat(8 * 1024 - 6)}`))
    expect(tail.text((text) => text.replaceAll("secret-value-1", "***"))).not.toContain("value-1")
  })

  test("does not begin with half a character", () => {
    const tail = new TextTail()
    tail.append(Buffer.from("读".repeat(5_000)))
    expect(new Set(tail.text(same))).toEqual(new Set(["读"]))
  })
})
