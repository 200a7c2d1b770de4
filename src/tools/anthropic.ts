/**
 * Tool definitions and results as the Anthropic Messages API takes them: plain JSON.
 *
 * In: definitions. Out: objects for the `tools` of a request. Knows no package of Anthropic.
 */
import type { ParametersSchema, ToolDefinition } from "./definition.js"
import { forProvider } from "./provider.js"

/** A tool of the Messages API. */
export interface AnthropicTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: ParametersSchema
}

/** The `tools` of a Messages request. Parameters keep to what the API takes; see `forProvider`. */
export function toAnthropicTools(tools: Iterable<ToolDefinition>): AnthropicTool[] {
  return Array.from(tools, ({ name, description, parameters }) => ({
    name,
    ...(description === "" ? {} : { description }),
    input_schema: forProvider(parameters, "anthropic").parameters,
  }))
}
