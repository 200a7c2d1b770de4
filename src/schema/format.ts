/**
 * The formats that JSON Schema names, as functions of a string.
 *
 * In: a format's name and the dialect that reads it. Out: its check, or undefined for a format that is unknown there, which
 * accepts everything. Each check takes time linear in the text. Nothing is registered with TypeBox: its registry is global.
 */
import type { Dialect } from "./dialect.js"

/** True when the text is of the format. */
export type FormatCheck = (text: string) => boolean

/** The check of `name` as `dialect` knows it; undefined for a format that it does not know. */
export function formatCheck(name: string, _dialect: Dialect): FormatCheck | undefined {
  return FORMATS.get(name)
}

const FORMATS: ReadonlyMap<string, FormatCheck> = new Map([
  ["uuid", (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
  ["json-pointer", (text: string) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
])
