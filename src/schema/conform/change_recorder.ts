/**
 * Keeps the list of what a walk changes.
 *
 * In: places and values, from the walk at the moment it decides. Out: `DataChange`s in the order of the walk.
 * A branch that is given up is rewound to its mark. Where Cast hands back a whole other object for an object, the record
 * names the members that differ, since "the root was replaced" tells a reader nothing.
 */
import type { DataChange } from "../data_change.js"
import { isPlain, type Members } from "./member.js"
import { placeOf, pointerOf, type Place } from "./place.js"

/** Whether an added value is a default that the schema states, or made up. */
export type Origin = "default" | "invented"

const MAX_DEPTH = 512

/** The changes of one walk. */
export class ChangeRecorder {
  readonly changes: DataChange[] = []

  /** A point to return to with `rewind`. */
  mark(): number {
    return this.changes.length
  }

  /** Forgets what was recorded since `mark`. */
  rewind(mark: number): void {
    this.changes.length = mark
  }

  added(place: Place, to: unknown, origin: Origin): void {
    this.changes.push({ path: pointerOf(place, "data"), kind: "added", to, origin })
  }

  removed(place: Place, from: unknown): void {
    this.changes.push({ path: pointerOf(place, "sent"), kind: "removed", from })
  }

  /** Records that `to` stands where `from` stood: by member where both are objects or both are arrays, else as one replacement. */
  replaced(place: Place, from: unknown, to: unknown, origin: Origin = "invented", depth = 0): void {
    if (Object.is(from, to)) return
    if (Array.isArray(from) && Array.isArray(to) && depth < MAX_DEPTH) {
      this.#elements(place, from, to, origin, depth)
    } else if (isPlain(from) && isPlain(to) && depth < MAX_DEPTH) {
      this.#members(place, from, to, origin, depth)
    } else {
      this.changes.push({ path: pointerOf(place, "sent"), kind: "replaced", from, to })
    }
  }

  #elements(place: Place, from: unknown[], to: unknown[], origin: Origin, depth: number): void {
    for (let index = 0; index < Math.max(from.length, to.length); index++) {
      const here = placeOf(place, index)
      if (index >= to.length) this.removed(here, from[index])
      else if (index >= from.length) this.added(here, to[index], origin)
      else this.replaced(here, from[index], to[index], origin, depth + 1)
    }
  }

  #members(place: Place, from: Members, to: Members, origin: Origin, depth: number): void {
    for (const key of Object.keys(from)) {
      const here = placeOf(place, key)
      if (!Object.hasOwn(to, key)) this.removed(here, from[key])
      else this.replaced(here, from[key], to[key], origin, depth + 1)
    }
    for (const key of Object.keys(to)) {
      if (!Object.hasOwn(from, key)) this.added(placeOf(place, key), to[key], origin)
    }
  }
}
