/**
 * Schemas put into other schemas, with values put into other values.
 *
 * In: a random source and cases of the suite. Out: a schema that holds one or two of theirs, and a way to put a value where theirs
 * stands. What a schema refers to from its root stays there: such a schema is wrapped with an identifier of its own.
 */
const WRAPS = [
  (schema) => ({ schema, hold: (value) => value }),
  (schema) => ({ schema: { type: "object", properties: { k: schema }, required: ["k"] }, hold: (value) => ({ k: value }) }),
  (schema) => ({ schema: { type: "object", properties: { k: schema } }, hold: (value) => ({ k: value }) }),
  (schema) => ({ schema: { type: "array", items: schema }, hold: (value) => [value] }),
  (schema) => ({ schema: { type: "object", additionalProperties: schema }, hold: (value) => ({ k: value }) }),
  (schema) => ({ schema: { type: "object", properties: { x: { type: "string" } }, additionalProperties: schema }, hold: (value) => ({ x: "", k: value }) }),
  (schema) => ({ schema: { type: "object", properties: { x: {} }, additionalProperties: { type: "object", properties: { y: {} }, additionalProperties: schema } }, hold: (value) => ({ k: { l: value } }) }),
  (schema) => ({ schema: { type: "object", additionalProperties: { type: "object", additionalProperties: schema } }, hold: (value) => ({ k: { l: value } }) }),
  (schema) => ({ schema: { anyOf: [{ type: "null" }, schema] }, hold: (value) => value }),
  (schema) => ({ schema: { type: "object", properties: { k: { anyOf: [schema, { type: "string" }] } }, required: ["k"] }, hold: (value) => ({ k: value }) }),
  (schema) => ({ schema: { not: schema }, hold: (value) => value }),
  (schema) => ({ schema: { type: "object", properties: { k: { not: { not: schema } } }, required: ["k"] }, hold: (value) => ({ k: value }) }),
  (schema) => ({ schema: { type: "object", patternProperties: { "^k": schema } }, hold: (value) => ({ k: value, o: 1 }) }),
  (schema) => ({ schema: { allOf: [schema] }, hold: (value) => value }),
  (schema) => ({ schema: { type: "array", items: { type: "object", properties: { k: schema }, required: ["k"], additionalProperties: false } }, hold: (value) => [{ k: value }, { k: value }] }),
]

/** Of two schemas that look at one value. */
const PAIRS = [(left, right) => ({ allOf: [left, right] }), (left, right) => ({ anyOf: [left, right] }), (left, right) => ({ oneOf: [left, right] })]

export function wrapSchema(random, first, second, id) {
  if (!isSelfContained(first.schema)) return { schema: first.schema, hold: (value) => value }
  const own = named(first.schema, first.dialect, `${id}/first`)
  if (random.chance(0.3) && second.dialect === first.dialect && isSelfContained(second.schema)) {
    return { schema: random.pick(PAIRS)(own, named(second.schema, first.dialect, `${id}/second`)), hold: (value) => value }
  }
  return random.pick(WRAPS)(own)
}

/** False where an identifier beside `$ref` would not count, or the schema names its own dialect. */
function isSelfContained(schema) {
  if (typeof schema !== "object") return true
  return !("$ref" in schema) && !/^http:\/\/localhost/.test(String(schema.$schema ?? ""))
}

function named(schema, dialect, id) {
  if (typeof schema !== "object") return dialect === "draft-04" ? (schema ? {} : { not: {} }) : schema
  const keyword = dialect === "draft-04" ? "id" : "$id"
  return keyword in schema || !/"\$(?:ref|dynamicRef|recursiveRef)"/.test(JSON.stringify(schema)) ? schema : { [keyword]: id, ...schema }
}
