/**
 * One tool as a server listed it: usable, usable with something left out, or rejected.
 *
 * In: anything. Out: the members that this library uses, in their right types, or why the tool cannot be used. A tool is
 * rejected only where it cannot be called at all: without a name, or with an input schema that is none. Whatever else is odd is
 * left out and reported.
 */
import { isObject } from "../schema.js"
import type { WireTool } from "./client_options.js"
import type { Warn } from "./warning_log.js"

/** A tool that cannot be used. `pointer` leads into the list of tools, all its pages counted as one. */
export interface RejectedTool {
  readonly name: string
  readonly reason: string
  readonly pointer: string
}

/** A tool that can be used. Its schemas are as sent, but for the empty input schema, which means `{ type: "object" }`. */
export interface ListedTool {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Undefined where the server declared none, or one that is no schema. */
  readonly outputSchema: Readonly<Record<string, unknown>> | boolean | undefined
  readonly annotations: Readonly<Record<string, unknown>> | undefined
  readonly icons: readonly unknown[] | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** All that the server said of the tool. */
  readonly wire: WireTool
}

type Members = Readonly<Record<string, unknown>>

const ANY_OBJECT: Members = Object.freeze({ type: "object" })

/** The tool, or why it is none. */
export function readTool(raw: unknown, pointer: string, warn: Warn): ListedTool | RejectedTool {
  if (!isObject(raw)) return { name: "", reason: `the tool is ${kindOf(raw)}, not an object`, pointer }
  const { name, inputSchema, outputSchema } = raw
  if (typeof name !== "string" || name === "") {
    return { name: "", reason: name === "" ? "the name of the tool is empty" : `the name of the tool is ${kindOf(name)}, not a text`, pointer: `${pointer}/name` }
  }
  const input = inputSchemaOf(inputSchema)
  if (input === undefined) {
    return { name, reason: `the inputSchema is ${kindOf(inputSchema)}, not a schema of an object`, pointer: `${pointer}/inputSchema` }
  }
  const leftOut = (member: string, wanted: string) => {
    const kind = kindOf(raw[member])
    if (kind !== "null") warn("tool", `Tool "${name}": its "${member}" is ${kind}, not ${wanted}; it was left out`, name)
  }
  const text = (member: string) => {
    const value = raw[member]
    if (typeof value === "string") return value
    if (value !== undefined) leftOut(member, "a text")
    return undefined
  }
  const members = (member: string) => {
    const value = raw[member]
    if (isObject(value)) return value
    if (value !== undefined) leftOut(member, "an object")
    return undefined
  }
  const output = isObject(outputSchema) || typeof outputSchema === "boolean" ? outputSchema : undefined
  if (output === undefined && outputSchema !== undefined) leftOut("outputSchema", "a schema")
  if (raw["icons"] !== undefined && !Array.isArray(raw["icons"])) leftOut("icons", "a list")
  const annotations = members("annotations")
  return {
    name,
    title: text("title") ?? (typeof annotations?.["title"] === "string" ? annotations["title"] : undefined),
    description: text("description") ?? "",
    inputSchema: input,
    outputSchema: output,
    annotations,
    icons: Array.isArray(raw["icons"]) ? (raw["icons"] as readonly unknown[]) : undefined,
    meta: members("_meta"),
    // Its name is text: that is looked at above.
    wire: raw as WireTool,
  }
}

/** True for a tool that cannot be used. */
export function isRejected(tool: ListedTool | RejectedTool): tool is RejectedTool {
  return "reason" in tool
}

/** Nothing, null, `{}` and `true` say nothing about the input: any object will do. Everything else must be an object. */
function inputSchemaOf(schema: unknown): Members | undefined {
  if (schema === undefined || schema === null || schema === true) return ANY_OBJECT
  if (!isObject(schema)) return undefined
  for (const _key in schema) return schema
  return ANY_OBJECT
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`
}
