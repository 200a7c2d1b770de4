/**
 * A converted schema as TypeBox builders.
 *
 * In: what `FromSchema` made. Out: source text that makes the same node again, or undefined where a part is exact or recursive: such a
 * schema is printed as its JSON instead. Nothing is simplified: the text has to accept and refuse the same values.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { isObject } from "../schema.js"
import { isShort, keyText, valueText } from "./literal.js"

/** The builders of a schema, indented by `indent`; undefined where builders cannot say it. */
export function builderText(schema: TSchema, indent = ""): string | undefined {
  const write = BUILDERS[schema[Kind]]
  return write?.(schema, indent)
}

type Builder = (schema: TSchema, indent: string) => string | undefined

const BUILDERS: Readonly<Record<string, Builder>> = {
  String: plain("String", ["type"]),
  Number: plain("Number", ["type"]),
  Integer: plain("Integer", ["type"]),
  Boolean: plain("Boolean", ["type"]),
  Null: plain("Null", ["type"]),
  Unknown: plain("Unknown", []),
  Never: plain("Never", ["not"]),
  Literal: (schema, indent) => {
    // A native literal is a scalar.
    return called("Literal", [valueText(schema["const"], indent)], optionsText(schema, ["const", "type"], indent))
  },
  Not: (schema, indent) => withParts("Not", schema, ["not"], indent, [schema["not"]], ([part]) => part ?? ""),
  Array: (schema, indent) => withParts("Array", schema, ["type", "items"], indent, [schema["items"]], ([part]) => part ?? ""),
  Union: (schema, indent) => {
    const branches: unknown = schema["anyOf"]
    // One builder of fewer would make the branch itself.
    if (!Array.isArray(branches) || branches.length < 2) return undefined
    return withParts("Union", schema, ["anyOf"], indent, branches, (parts) => listText(parts, indent))
  },
  Object: objectText,
  Record: recordText,
}

function plain(name: string, own: readonly string[]): Builder {
  return (schema, indent) => called(name, [], optionsText(schema, own, indent))
}

function withParts(name: string, schema: TSchema, own: readonly string[], indent: string, parts: readonly unknown[], join: (texts: string[]) => string): string | undefined {
  const isList = name === "Union"
  const texts = partTexts(parts, isList ? `${indent}  ` : indent)
  return texts === undefined ? undefined : called(name, [join(texts)], optionsText(schema, own, indent))
}

function objectText(schema: TSchema, indent: string): string | undefined {
  const properties: unknown = schema["properties"]
  if (!isObject(properties)) return undefined
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  const inner = `${indent}  `
  const members: string[] = []
  for (const [name, property] of Object.entries(properties)) {
    const text = isSchema(property) ? builderText(property, inner) : undefined
    if (text === undefined) return undefined
    members.push(`${keyText(name)}: ${required.has(name) ? text : `Type.Optional(${text})`}`)
  }
  if ([...required].some((name) => typeof name !== "string" || !Object.hasOwn(properties, name))) return undefined
  const options = optionsText(schema, ["type", "properties", "required"], indent)
  return options === undefined ? undefined : called("Object", [membersText(members, indent)], options)
}

function recordText(schema: TSchema, indent: string): string | undefined {
  const patterns: unknown = schema["patternProperties"]
  if (!isObject(patterns)) return undefined
  const [entry, ...others] = Object.entries(patterns)
  if (entry === undefined || others.length > 0) return undefined
  const [pattern, member] = entry
  const text = isSchema(member) ? builderText(member, indent) : undefined
  return text === undefined ? undefined : called("Record", [`Type.String({ pattern: ${valueText(pattern)} })`, text], optionsText(schema, ["type", "patternProperties"], indent))
}

function partTexts(parts: readonly unknown[], indent: string): string[] | undefined {
  const texts: string[] = []
  for (const part of parts) {
    const text = isSchema(part) ? builderText(part, indent) : undefined
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}

/** The options of a node: all that is not its own structure. "" for none, undefined where one of them cannot be said. */
function optionsText(schema: TSchema, own: readonly string[], indent: string): string | undefined {
  const members: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (own.includes(key)) continue
    const text = isSchema(value) ? builderText(value, `${indent}  `) : valueText(value, `${indent}  `)
    if (text === undefined) return undefined
    members.push(`${keyText(key)}: ${text}`)
  }
  return members.length === 0 ? "" : membersText(members, indent)
}

function called(name: string, args: readonly string[], options: string | undefined): string | undefined {
  if (options === undefined) return undefined
  return `Type.${name}(${[...args, ...(options === "" ? [] : [options])].join(", ")})`
}

function membersText(members: readonly string[], indent: string): string {
  if (members.length === 0) return "{}"
  const line = `{ ${members.join(", ")} }`
  return isShort(line) ? line : `{\n${members.map((member) => `${indent}  ${member},\n`).join("")}${indent}}`
}

function listText(items: readonly string[], indent: string): string {
  const line = `[${items.join(", ")}]`
  return isShort(line) ? line : `[\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}]`
}

function isSchema(value: unknown): value is TSchema {
  return isObject(value) && typeof Reflect.get(value, Kind) === "string"
}
