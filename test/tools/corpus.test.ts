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
})
