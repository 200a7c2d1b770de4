/**
 * Texts of types put together: unions, intersections, and the parentheses between them.
 */

/** The text of a type, and whether it is a union or an intersection at its top. */
export interface TypeText {
  readonly text: string
  readonly joins: "one" | "union" | "intersection"
}

/** The type of everything. */
export const UNKNOWN: TypeText = { text: "unknown", joins: "one" }

/** True for the type of everything. */
export function isUnknown({ text }: TypeText): boolean {
  return text === "unknown"
}

/** One of several types. Equal ones count once; a union of none is `never`. */
export function union(types: readonly TypeText[]): TypeText {
  if (types.some(isUnknown)) return UNKNOWN
  const texts = [...new Set(types.flatMap((type) => (type.text === "never" ? [] : [type.joins === "intersection" ? `(${type.text})` : type.text])))]
  const [only] = texts
  if (only === undefined) return { text: "never", joins: "one" }
  if (texts.length > 1) return { text: texts.join(" | "), joins: "union" }
  return types.find(({ text }) => text === only) ?? { text: only, joins: "one" }
}

/** All of several types at once; of none it is `unknown`. */
export function conjunction(types: readonly TypeText[]): TypeText {
  const narrow = types.filter((type) => !isUnknown(type))
  const texts = [...new Set(narrow.map((type) => type.text))]
  const [first] = narrow
  if (first === undefined) return UNKNOWN
  if (texts.length === 1) return first
  return { text: [...new Set(narrow.map(partText))].join(" & "), joins: "intersection" }
}

/** The text of a type in front of `[]`. */
export function itemText(type: TypeText): string {
  return type.joins === "one" ? type.text : `(${type.text})`
}

function partText(type: TypeText): string {
  return type.joins === "union" ? `(${type.text})` : type.text
}
