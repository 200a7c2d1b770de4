/**
 * Patterns of operation ids: `*` stands for any run of characters, everything else for itself.
 *
 * Own matching and no regular expression: patterns come from configuration, names from strangers, and the work is bounded by
 * the product of their lengths.
 */

/** True where the pattern (`"fs.read"`, `"fs.*"`, `"*"`, `"*.get_*"`) fits the whole id. */
export function matchesOperationId(pattern: string, id: string): boolean {
  const parts = pattern.split("*")
  const first = parts[0] ?? ""
  if (parts.length === 1) return first === id
  const last = parts[parts.length - 1] ?? ""
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) return false
  let at = first.length
  const end = id.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = id.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return at <= end
}
