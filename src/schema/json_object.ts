/**
 * What counts as an object and as an array of JSON, for schemas and for values alike.
 *
 * Knows nothing of schemas. Members are read by own keys only: data of strangers has members called `constructor`.
 */

/** An object of JSON. */
export type JSONObject = Readonly<Record<string, unknown>>

/** True for everything that JSON would write as an object. */
export function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** True for an array; its entries stay unknown. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** True when the object itself, not its prototype, has the member with a value. */
export function has(object: JSONObject, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined
}

/** True for what may stand where a subschema is expected. */
export function isSchema(value: unknown): value is JSONObject | boolean {
  return typeof value === "boolean" || isObject(value)
}
