/**
 * What the tests of stated times stand on: a time that was not kept is measured again, and nothing else is tried twice.
 */
import { afterAll, describe, expect, test } from "vitest"
import { BY_THE_CLOCK, expectWithin } from "../fixtures/servers/scripted.js"

describe("a test by the clock", () => {
  const runs = { late: 0, hopeless: 0, wrong: 0 }
  afterAll(() => expect(runs).toEqual({ late: 3, hopeless: 5, wrong: 1 }))

  test("holds when one of its runs is in time", BY_THE_CLOCK, () => {
    runs.late++
    expectWithin(runs.late < 3 ? 150 : 50, 100)
  })

  test.fails("fails when none of five runs is in time", BY_THE_CLOCK, () => {
    runs.hopeless++
    expectWithin(150, 100)
  })

  test.fails("fails at once for anything else", BY_THE_CLOCK, () => {
    runs.wrong++
    expect("this").toBe("that")
  })
})
