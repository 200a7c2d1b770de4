/**
 * Reading and writing members of values that strangers sent.
 *
 * In: an object and a key. Out: the member, read as TypeBox reads it, or written as an own member whatever its name is.
 * The name `__proto__` is the reason for the file: assigning it sets the prototype, and reading it where it was not sent
 * gives one.
 */

/** A value with string keys: anything `typeof` calls an object, null apart. */
export type Members = Record<string, unknown>

/** True for what has parts: an object or an array. */
export function isContainer(value: unknown): value is Members {
  return typeof value === "object" && value !== null
}

/** True for an object that is no more than its members, in whichever realm it was made: a Date or a class instance is more. */
export function isPlain(value: unknown): value is Members {
  if (!isContainer(value) || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A member as TypeBox sees it (inherited ones too), but never the prototype under the name `__proto__`. */
export function readMember(object: Members, key: string): unknown {
  return key !== "__proto__" || Object.hasOwn(object, key) ? object[key] : undefined
}

/** Makes `value` an own member. */
export function setMember(object: Members, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}
