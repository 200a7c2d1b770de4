/**
 * A small part of the fault matrix, which `npm run faults` runs whole.
 */
import { afterAll, describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { createMCPClient } from "../../src/from_mcp.js"
import { testFolder } from "../fixtures/servers/scripted.js"
import { runCell } from "./cell.mjs"
import { FAULTS, type Way } from "./faults.mjs"

const folder = testFolder(afterAll)

test("every fault of the matrix has a name of its own", () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
  expect(FAULTS.length).toBeGreaterThan(50)
})

describe("a fault costs what the matrix says, and nothing is left over", () => {
  const cells: [string, Way, 1 | 64][] = [
    ["crash after the tool ran", "stdio", 64],
    ["crash after the tool ran", "http", 1],
    ["hang", "stdio", 1],
    ["a result above the limit", "sse", 1],
    ["sessions forgotten", "http", 64],
    ["a process left behind", "stdio", 1],
  ]
  test.each(cells)("%s, over %s, %d at once", { timeout: 300_000 }, async (name, way, count) => {
    const row = FAULTS.find((one) => one.name === name)
    if (row === undefined) throw new Error(`The matrix has no fault "${name}"`)
    const { faults } = await runCell({ createMCPClient, CallError }, row, way, count, folder)
    expect(faults.map(({ text }) => text)).toEqual([])
  })
})
