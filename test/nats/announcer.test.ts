import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { NATSConnection } from "../../src/nats.js"
import { announce } from "../../src/nats/announcer.js"
import { Exposed } from "../../src/nats/exposed.js"
import { Subjects } from "../../src/nats/subjects.js"
import { OperationRegistry } from "../../src/registry.js"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }))
afterEach(() => void vi.useRealTimers())

/** How many announcements a worker has made after a second; asked for another one every 10 ms where it is `pressed`. Only the count is looked at, so nothing is sent. */
function madeInASecond(everyMs: number, pressed: boolean): number {
  let made = 0
  // The announcer uses this one member of a connection.
  const publish = () => {
    made++
  }
  const connection = { publish } as unknown as NATSConnection
  const load = () => ({ inFlight: 0, queued: 0, concurrency: 1 })
  const announcer = announce({ connection, subjects: new Subjects(undefined), name: "w1", exposed: new Exposed(new OperationRegistry(), ["*"]), load, everyMs })
  for (let ms = 0; ms < 1_000; ms += 10) {
    if (pressed) announcer.now()
    vi.advanceTimersByTime(10)
  }
  const before = made
  announcer.stop()
  return before
}

test.each([
  ["as often as it should, more often than a rest of 250 ms allows", 100, false, 11],
  ["after a rest of 250 ms where it is asked again and again", 5_000, true, 5],
  ["once where its time has not come", 5_000, false, 1],
])("a worker announces itself %s", (_, everyMs, pressed, expected) => {
  expect(madeInASecond(everyMs, pressed)).toBe(expected)
})
