/**
 * How a result is shown: as JSON or for a reader, how wide, and in which colours.
 *
 * In: the host and what the command line asks for. Out: plain facts and paint functions.
 * Colours carry nothing that the words do not say: without them the same text stands there.
 */
import type { Host } from "../host.js"

/** What the command line says about the form of the output. */
export interface ScreenOptions {
  readonly json?: boolean | undefined
  readonly text?: boolean | undefined
}

/** Functions that put a text into a colour, or leave it as it is. */
export interface Paint {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly notable: (text: string) => string
  readonly name: (text: string) => string
}

/** How and how wide. */
export interface Screen {
  readonly columns: number
  readonly paint: Paint
}

const DEFAULT_COLUMNS = 100
const NARROWEST_COLUMNS = 40

/** True where stdout takes one JSON document: where it was asked for, and into everything that is no terminal. */
export function isJSONWanted(host: Host, { json, text }: ScreenOptions): boolean {
  if (json === true) return true
  return text !== true && host.stdout.isTTY !== true
}

/** The screen behind a stream. Honours `NO_COLOR`, `FORCE_COLOR` and a terminal that is dumb. */
export function screenOf(host: Host, stream: Host["stdout"]): Screen {
  return {
    columns: Math.max(NARROWEST_COLUMNS, stream.columns ?? DEFAULT_COLUMNS),
    paint: hasColours(host, stream) ? COLOURED : PLAIN,
  }
}

function hasColours({ env }: Host, stream: Host["stdout"]): boolean {
  if (isSet(env["NO_COLOR"])) return false
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0"
  return stream.isTTY === true && env["TERM"] !== "dumb"
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ""
}

const asItIs = (text: string): string => text
const code = (on: number, off: number) => (text: string) => `\u001b[${String(on)}m${text}\u001b[${String(off)}m`

const PLAIN: Paint = { strong: asItIs, faint: asItIs, good: asItIs, bad: asItIs, notable: asItIs, name: asItIs }
const COLOURED: Paint = {
  strong: code(1, 22),
  faint: code(2, 22),
  good: code(32, 39),
  bad: code(31, 39),
  notable: code(33, 39),
  name: code(36, 39),
}
