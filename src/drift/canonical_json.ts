/**
 * One text for equal JSON values: members sorted, no white space.
 *
 * In: a JSON value. Out: its text by RFC 8785 (JSON Canonicalization Scheme). Members that are undefined do not count, as in
 * JSON.stringify. Nested as deep as the caller's value: what comes from servers is bounded by then.
 */

/**
 * The canonical text of a JSON value (https://www.rfc-editor.org/rfc/rfc8785): equal values give equal bytes in every process.
 *
 * @throws TypeError for what JSON cannot say at the top: undefined, a function, a bigint.
 */
export function canonicalJSON(value: unknown): string {
  const text = written(value)
  if (text === undefined) throw new TypeError(`JSON cannot say ${typeof value}`)
  return text
}

/** Such a value, a date say, writes itself; what it writes is sorted again. */
function hasOwnWay(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function"
}

function written(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (hasOwnWay(value)) return written(JSON.parse(JSON.stringify(value)))
  if (Array.isArray(value)) return `[${value.map((item) => written(item) ?? "null").join(",")}]`
  const members: string[] = []
  // By UTF-16 code units, as the scheme says; that is how JavaScript compares texts.
  for (const [key, member] of Object.entries(value).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))) {
    const text = written(member)
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${members.join(",")}}`
}
