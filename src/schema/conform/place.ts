/**
 * Where a walk stands in a value, as a chain of keys.
 *
 * In: the place of the parent and a key. Out: a place, and its RFC 6901 pointer when somebody asks.
 * An array that loses duplicates gives its elements other indexes than they were sent with, so a place knows both; pointers
 * are written only for what is recorded, since a walk passes far more places than it changes.
 */
import { pointerToken } from "../document/uri.js"

/** A position in what was sent (`sent`) and in what comes out of the walk (`data`). */
export interface Place {
  readonly parent: Place | undefined
  readonly sent: string | number
  readonly data: string | number
}

/** The place of the whole value. */
export const ROOT: Place = { parent: undefined, sent: "", data: "" }

/** The place of the member `key` of `parent`; `dataKey` where the member has moved. */
export function placeOf(parent: Place, key: string | number, dataKey: string | number = key): Place {
  return { parent, sent: key, data: dataKey }
}

/** The JSON pointer of a place, in what was sent or in what came out. */
export function pointerOf(place: Place, side: "sent" | "data"): string {
  const steps: string[] = []
  for (let at = place; at.parent !== undefined; at = at.parent) steps.push(`/${pointerToken(at[side])}`)
  return steps.reverse().join("")
}
