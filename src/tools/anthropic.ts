/**
 * Tool definitions and results as the Anthropic Messages API takes them: plain JSON.
 *
 * In: definitions. Out: objects for the `tools` of a request. Knows no package of Anthropic.
 */
import type { ParametersSchema, ToolDefinition } from "./definition.js"
import { forProvider } from "./provider.js"
import type { ToolCallOutcome } from "./tool.js"

/** A tool of the Messages API. */
export interface AnthropicTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: ParametersSchema
}

/** A tool's answer in a user message of the Messages API. */
export interface AnthropicToolResult {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: string | readonly (AnthropicText | AnthropicImage)[]
  readonly is_error?: true
}

interface AnthropicText {
  readonly type: "text"
  readonly text: string
}

interface AnthropicImage {
  readonly type: "image"
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string }
}

/** The `tools` of a Messages request. Parameters keep to what the API takes; see `forProvider`. */
export function toAnthropicTools(tools: Iterable<ToolDefinition>): AnthropicTool[] {
  return Array.from(tools, ({ name, description, parameters, fitted }) => ({
    name,
    ...(description === "" ? {} : { description }),
    input_schema: fitted?.provider === "anthropic" ? parameters : forProvider(parameters, "anthropic").parameters,
  }))
}

/** The block that answers a `tool_use` block. */
export function toAnthropicResult(toolUseId: string, { result, isError }: Pick<ToolCallOutcome, "result" | "isError">): AnthropicToolResult {
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    content:
      typeof result === "string"
        ? result
        : result.map((part) =>
            part.type === "text"
              ? { type: "text", text: part.text }
              : { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data.data } },
          ),
    ...(isError ? { is_error: true } : {}),
  }
}
