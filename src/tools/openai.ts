/**
 * Tool definitions and results as the OpenAI APIs take them: plain JSON.
 *
 * In: definitions. Out: objects for the `tools` of a request. Knows no package of OpenAI.
 */
import type { ParametersSchema, ToolDefinition } from "./definition.js"
import { forProvider, isStrict } from "./provider.js"

/** A tool of the Chat Completions API. */
export interface OpenAIChatTool {
  readonly type: "function"
  readonly function: OpenAIFunction
}

/** A tool of the Responses API. */
export interface OpenAIResponsesTool extends OpenAIFunction {
  readonly type: "function"
}

/** A function as OpenAI describes one. */
export interface OpenAIFunction {
  readonly name: string
  readonly description?: string
  readonly parameters: ParametersSchema
  /** Always stated: the two APIs have different defaults. */
  readonly strict: boolean
}

/** The `tools` of a Chat Completions request. Parameters keep to what the API takes at their root; see `forProvider`. */
export function toOpenAITools(tools: Iterable<ToolDefinition>): OpenAIChatTool[] {
  return Array.from(tools, (tool) => ({ type: "function", function: toFunction(tool) }))
}

/** The `tools` of a Responses request. */
export function toOpenAIResponsesTools(tools: Iterable<ToolDefinition>): OpenAIResponsesTool[] {
  return Array.from(tools, (tool) => ({ type: "function", ...toFunction(tool) }))
}

function toFunction(tool: ToolDefinition): OpenAIFunction {
  const { name, description, parameters } = tool
  return {
    name,
    ...(description === "" ? {} : { description }),
    parameters: tool.fitted === undefined ? forProvider(parameters, "openai").parameters : parameters,
    strict: isStrict(tool),
  }
}
