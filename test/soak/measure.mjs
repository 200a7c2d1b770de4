/**
 * What a long run may not let grow: the heap, and the descriptors that this process holds open.
 */
import { existsSync, readdirSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

/** Bytes of live objects. Finalizers run some turns after a collection, so it is made more than once. */
export async function liveHeap() {
  for (let turn = 0; turn < 4; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return process.memoryUsage().heapUsed
}

/** Open descriptors of this process; undefined where the system does not tell. */
export function openDescriptors() {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : undefined
}

/** The same once nothing is being closed any more: the fewest that are open during a fifth of a second. */
export async function settledDescriptors() {
  let fewest = openDescriptors()
  for (let unchanged = 0; unchanged < 10 && fewest !== undefined; unchanged++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const now = openDescriptors()
    if (now < fewest) {
      fewest = now
      unchanged = 0
    }
  }
  return fewest
}

export function megabytes(bytes) {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
