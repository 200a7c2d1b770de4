import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { expect, onTestFinished, test } from "vitest"
import { atDeadline } from "../../src/operation.js"

const ECHO = `const { parentPort, workerData } = require("node:worker_threads")
parentPort.on("message", (message) => {
  parentPort.postMessage(message)
  Atomics.add(workerData, 0, 1)
  Atomics.notify(workerData, 0)
})`

test("what came while the process stood still is read before deadlines that passed meanwhile end anything", async () => {
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const echo = new Worker(ECHO, { eval: true, workerData: sent })
  onTestFinished(() => void echo.terminate())
  await once(echo, "online")
  for (let time = 0; time < 5; time++) {
    const seen: string[] = []
    const answered = once(echo, "message").then(() => seen.push("answer"))
    const passed = new Promise<void>((resolve) => {
      // After the check phase the timers of the next turn come first, then what is to be read.
      setImmediate(() => {
        atDeadline(Date.now() + 50, () => {
          seen.push("deadline")
          resolve()
        })
        echo.postMessage("ask")
        const until = Date.now() + 200
        expect(Atomics.wait(sent, 0, time, 20_000)).not.toBe("timed-out")
        while (Date.now() < until);
      })
    })
    await Promise.all([answered, passed])
    expect(seen).toEqual(["answer", "deadline"])
  }
})
