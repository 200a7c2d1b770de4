/**
 * The tools of real servers become definitions that providers take, by the limits that these publish.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { specFromJSON, type OperationSpec } from "../../src/operation.js"
import { toAnthropicTools, toOpenAIResponsesTools, toOpenAITools, toToolDefinitions, type ParametersSchema } from "../../src/tools.js"
import { sharedDir } from "../fixtures/shared.js"

interface RecordedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

const shared = sharedDir()
const folder = shared === undefined ? "" : join(shared, "corpus")
const servers = shared === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "calls.json")
const specs: OperationSpec[] = servers.flatMap((file) => {
  const { tools }: { tools: RecordedTool[] } = JSON.parse(readFileSync(join(folder, file), "utf8"))
  return tools.map(({ name, description = "", inputSchema, outputSchema = {} }) =>
    specFromJSON({ namespace: file.replace(/\.json$/, "").replace(/[^A-Za-z0-9_-]+/g, "_"), name, version: "1", type: "mutation", description, inputSchema, outputSchema }),
  )
})

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/
const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** What a provider would refuse in parameters: only what it publishes as a limit. */
function faults(parameters: ParametersSchema, refusedAtRoot: readonly string[]): string[] {
  const { $schema: _dialect, ...schema } = parameters
  const found = refusedAtRoot.filter((keyword) => keyword in schema)
  if (schema["type"] !== "object") found.push("root type")
  if (ajv.validateSchema(schema) !== true) found.push(ajv.errorsText(ajv.errors))
  return found
}

describe.skipIf(shared === undefined)("the tools of real servers (left out where ../shared is not there)", () => {
  const definitions = toToolDefinitions(specs)

  test("are all there, under legal names that differ", () => {
    expect(definitions.skipped).toEqual([])
    expect(definitions.length).toBe(2783)
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(2783)
    expect(definitions.filter(({ name }) => !NAME.test(name))).toEqual([])
  })

  test("go out as their servers wrote them", () => {
    const changed = definitions.filter(({ parameters, metadata }) => {
      const spec = specs.find((each) => each.namespace === metadata.server && each.name === metadata.tool)
      return JSON.stringify(parameters) !== JSON.stringify(JSON.parse(JSON.stringify(spec)).inputSchema)
    })
    expect(changed).toEqual([])
  })

  test("are valid definitions for both APIs of OpenAI, all of them", () => {
    const refused = ["anyOf", "oneOf", "allOf", "enum", "not"]
    const chat = toOpenAITools(definitions)
    expect(chat.length).toBe(2783)
    expect(chat.flatMap(({ function: { name, parameters } }) => faults(parameters, refused).map((fault) => `${name}: ${fault}`))).toEqual([])
    expect(chat.filter(({ function: { parameters } }) => typeof parameters["properties"] !== "object")).toEqual([])
    expect(toOpenAIResponsesTools(definitions).map(({ type: _type, ...rest }) => rest)).toEqual(chat.map((tool) => tool.function))
  })

  test("are valid definitions for Anthropic, all of them", () => {
    const tools = toAnthropicTools(definitions)
    expect(tools.length).toBe(2783)
    expect(tools.flatMap(({ name, input_schema: schema }) => faults(schema, ["anyOf", "oneOf", "allOf"]).map((fault) => `${name}: ${fault}`))).toEqual([])
    const keys = tools.flatMap(({ input_schema: { properties } }) => Object.keys(properties ?? {}))
    expect(keys.filter((key) => !PROPERTY.test(key))).toEqual([])
  })

  test("are valid in the strict mode of OpenAI, at least 70 % of them; the rest is listed by reason", () => {
    const strict = toToolDefinitions(specs, { provider: "openai-strict" })
    const refused = strict.filter(({ fitted }) => fitted?.refused.length !== 0)
    const tools = toOpenAITools(strict)
    expect(tools.flatMap(({ function: tool }) => (tool.strict ? strictFaults(tool.parameters, tool.parameters).map((fault) => `${tool.name}: ${fault}`) : []))).toEqual([])
    expect(tools.filter(({ function: tool }) => !tool.strict).length).toBe(refused.length)
    expect(refused.flatMap(({ name, parameters }) => faults(parameters, ["anyOf", "oneOf", "allOf", "enum", "not"]).map((fault) => `${name}: ${fault}`))).toEqual([])
    const reasons = new Map<string, string[]>()
    for (const { name, fitted } of refused) {
      for (const reason of new Set(fitted?.refused.map(({ change }) => change))) reasons.set(reason, [...(reasons.get(reason) ?? []), name])
    }
    const share = 1 - refused.length / strict.length
    const lines = Array.from(reasons, ([reason, names]) => `  ${String(names.length)} have ${reason}, such as ${names.slice(0, 3).join(", ")}`)
    console.log(`${String(strict.length - refused.length)} of ${String(strict.length)} tools (${(share * 100).toFixed(1)} %) are strict; of the others\n${lines.join("\n")}`)
    expect(share).toBeGreaterThanOrEqual(0.7)
  })
})

const STRICT_KEYWORDS = new Set(
  "type properties required additionalProperties items enum const anyOf $ref $defs title description pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split(" "),
)

/** What the strict mode of OpenAI would refuse in a schema, by the subset that it publishes. */
function strictFaults(schema: unknown, document: ParametersSchema, at = "", depth = 0): string[] {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${at}: no schema`]
  const node: Record<string, unknown> = { ...schema }
  const found = Object.keys(node).filter((keyword) => !STRICT_KEYWORDS.has(keyword)).map((keyword) => `${at}: ${keyword}`)
  if (at === "" && (node["type"] !== "object" || "anyOf" in node)) found.push("the root is no plain object")
  if ("$ref" in node) {
    const name = /^#\/\$defs\/([A-Za-z0-9_]+)$/.exec(String(node["$ref"]))?.[1]
    if (node["$ref"] !== "#" && (name === undefined || !Object.hasOwn(document["$defs"] ?? {}, name))) found.push(`${at}: ${String(node["$ref"])} leads nowhere`)
    return Object.keys(node).length === 1 ? found : [...found, `${at}: something beside a reference`]
  }
  const inside = (child: unknown, key: string, deeper = depth) => found.push(...strictFaults(child, document, `${at}/${key}`, deeper))
  if (Array.isArray(node["anyOf"])) node["anyOf"].forEach((branch, index) => inside(branch, `anyOf/${String(index)}`))
  else if (!("type" in node)) found.push(`${at}: no type`)
  const types = [node["type"]].flat()
  if (types.includes("object")) {
    const properties: Record<string, unknown> = { ...(node["properties"] ?? {}) }
    if (node["additionalProperties"] !== false) found.push(`${at}: not closed`)
    if (JSON.stringify(node["required"]) !== JSON.stringify(Object.keys(properties))) found.push(`${at}: not all required`)
    if (depth > 9) found.push(`${at}: too deep`)
    for (const [name, property] of Object.entries(properties)) inside(property, name, depth + 1)
  }
  if (types.includes("array")) inside(node["items"], "items")
  for (const [name, each] of Object.entries(node["$defs"] ?? {})) found.push(...strictFaults(each, document, `/$defs/${name}`, 0))
  return found
}
