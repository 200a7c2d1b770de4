/**
 * The properties of a tool's input, wherever its schema states them.
 *
 * In: a view on the input schema. Out: each property once, those that must be given first.
 * Looks into `allOf`, `$ref`, union branches and conditions: a property that stands in a branch only is still one that can be
 * given, and never a required one.
 */
import { isNode, parts, type InputProperty, type SchemaView } from "./schema_view.js"

interface Found {
  readonly certain: unknown[]
  readonly possible: unknown[]
}

/** Every property that the schema names, required ones first, otherwise in the order of the schema. */
export function inputProperties(view: SchemaView, root: unknown): InputProperty[] {
  const found = new Map<string, Found>()
  const required = new Set<string>()
  const visited = { certain: new Set<unknown>(), possible: new Set<unknown>() }

  const visit = (schema: unknown, kind: "certain" | "possible"): void => {
    if (!isNode(schema) || visited.certain.has(schema) || visited[kind].has(schema)) return
    visited[kind].add(schema)
    if (isNode(schema["properties"])) {
      for (const [name, property] of Object.entries(schema["properties"])) entryOf(found, name)[kind].push(property)
    }
    for (const name of parts(schema["required"])) {
      if (typeof name !== "string") continue
      entryOf(found, name)
      if (kind === "certain") required.add(name)
    }
    visit(view.resolve(schema["$ref"]), kind)
    for (const part of parts(schema["allOf"])) visit(part, kind)
    for (const union of ["anyOf", "oneOf"]) {
      const branches = parts(schema[union])
      for (const branch of branches) visit(branch, branches.length === 1 ? kind : "possible")
    }
    for (const keyword of ["if", "then", "else"]) visit(schema[keyword], "possible")
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      if (isNode(schema[keyword])) for (const part of Object.values(schema[keyword])) visit(part, "possible")
    }
  }
  visit(root, "certain")

  const properties = [...found].map(([name, schemas]) => ({ name, schema: combined(schemas), required: required.has(name) }))
  return [...properties.filter((property) => property.required), ...properties.filter((property) => !property.required)]
}

function entryOf(found: Map<string, Found>, name: string): Found {
  const known = found.get(name)
  if (known !== undefined) return known
  const entry: Found = { certain: [], possible: [] }
  found.set(name, entry)
  return entry
}

function combined({ certain, possible }: Found): unknown {
  if (certain.length > 0) return certain.length === 1 ? certain[0] : { allOf: certain }
  if (possible.length > 0) return possible.length === 1 ? possible[0] : { anyOf: possible }
  return true
}
