/**
 * The flags of a tool, made from its input schema.
 *
 * In: the input schema as the server sent it. Out: one flag for each property: `--` and the exact name, and the kebab-case
 * spelling where it can mean this property only. Which names there are never depends on the order of the properties.
 */
import { inputProperties } from "./input_properties.js"
import { SchemaView, type InputProperty } from "./schema_view.js"

/** One property of a tool as a flag. */
export interface ToolFlag extends InputProperty {
  /** The names without the leading `--`, exact one first; empty for a property that has the empty name. */
  readonly names: readonly string[]
}

/** The flags of one tool. */
export interface ToolFlags {
  readonly view: SchemaView
  readonly all: readonly ToolFlag[]
  /** By each name without the leading `--`. */
  readonly byName: ReadonlyMap<string, ToolFlag>
}

/** After the id these two stay ours, unless the tool has a property of exactly that name. */
export const OWN_FLAGS: readonly string[] = ["json", "help"]

/** One flag for each property of an input schema. */
export function toolFlags(inputSchema: unknown): ToolFlags {
  const view = new SchemaView(inputSchema)
  const properties = inputProperties(view, inputSchema)
  const exact = new Set(properties.map((property) => property.name))
  const wanted = new Map<string, number>()
  for (const { name } of properties) wanted.set(kebab(name), (wanted.get(kebab(name)) ?? 0) + 1)

  const all = properties.map((property): ToolFlag => {
    const alias = kebab(property.name)
    const isFree = alias !== "" && !exact.has(alias) && wanted.get(alias) === 1 && !OWN_FLAGS.includes(alias)
    // The empty name would be `--`, which ends the flags.
    const names = property.name === "" ? [] : [property.name]
    return { ...property, names: isFree ? [...names, alias] : names }
  })
  return { view, all, byName: new Map(all.flatMap((flag) => flag.names.map((name) => [name, flag]))) }
}

function kebab(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1-$2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .toLowerCase()
}
