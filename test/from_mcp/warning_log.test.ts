import { describe, expect, test } from "vitest"
import type { MCPWarning } from "../../src/from_mcp.js"
import { WarningLog } from "../../src/from_mcp/warning_log.js"

const same = (text: string) => text

describe("WarningLog", () => {
  test("keeps the newest hundred, tells each, masks and clips them", () => {
    const told: MCPWarning[] = []
    const log = new WarningLog("s", (text) => text.replaceAll("sesame", "***"), (warning) => told.push(warning))
    for (let at = 0; at < 150; at++) log.add("message", `number ${at}`)
    log.add("tool", `sesame ${"x".repeat(1_000)}`, "t")
    expect([log.list.length, log.list[0]?.message, told.length]).toEqual([100, "number 51", 151])
    const last = told.at(-1)
    expect(last).toMatchObject({ server: "s", kind: "tool", tool: "t" })
    expect(last?.message.startsWith("*** xxx")).toBe(true)
    expect(last?.message.length).toBeLessThan(500)
  })

  test("a flood of one kind is told a thousand times, another kind is still heard", () => {
    const told: MCPWarning[] = []
    const log = new WarningLog("s", same, (warning) => told.push(warning))
    for (let at = 0; at < 5_000; at++) log.add("junk", "x")
    log.add("tool", "y")
    expect(told).toHaveLength(1_001)
    expect(told[999]?.message).toBe("x (further warnings of this kind are not reported)")
    expect(told.at(-1)?.message).toBe("y")
  })

  test("a listener that throws breaks nothing", () => {
    const log = new WarningLog("s", same, () => {
      throw new Error("boom")
    })
    log.add("junk", "x")
    expect(log.list).toHaveLength(1)
  })
})
