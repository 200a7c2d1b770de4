/**
 * Tool definitions and results as the OpenAI APIs take them: plain JSON.
 *
 * In: definitions. Out: objects for the `tools` of a request. Knows no package of OpenAI.
 */
import type { ParametersSchema, ToolDefinition } from "./definition.js"
import { describeFile } from "./describe_block.js"
import { forProvider, isStrict } from "./provider.js"
import type { ToolCallOutcome } from "./tool.js"

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

/** A tool's answer in the messages of a Chat Completions request, which takes text alone there. */
export interface OpenAIToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string
}

/** A tool's answer in the input of a Responses request. */
export interface OpenAIFunctionOutput {
  readonly type: "function_call_output"
  readonly call_id: string
  readonly output: string | readonly ({ readonly type: "input_text"; readonly text: string } | { readonly type: "input_image"; readonly image_url: string })[]
}

/** The `tools` of a Chat Completions request. Parameters keep to what the API takes at their root; see `forProvider`. */
export function toOpenAITools(tools: Iterable<ToolDefinition>): OpenAIChatTool[] {
  return Array.from(tools, (tool) => ({ type: "function", function: toFunction(tool) }))
}

/** The `tools` of a Responses request. */
export function toOpenAIResponsesTools(tools: Iterable<ToolDefinition>): OpenAIResponsesTool[] {
  return Array.from(tools, (tool) => ({ type: "function", ...toFunction(tool) }))
}

/** The message that answers a tool call of a Chat Completions response. A file is one line that describes it. */
export function toOpenAIMessage(toolCallId: string, { result }: Pick<ToolCallOutcome, "result">): OpenAIToolMessage {
  const content = typeof result === "string" ? result : result.map((part) => (part.type === "text" ? part.text : describeFile(part))).join("\n")
  return { role: "tool", tool_call_id: toolCallId, content }
}

/** The item that answers a function call of a Responses response. */
export function toOpenAIOutput(callId: string, { result }: Pick<ToolCallOutcome, "result">): OpenAIFunctionOutput {
  const output =
    typeof result === "string"
      ? result
      : result.map((part) =>
          part.type === "text"
            ? { type: "input_text" as const, text: part.text }
            : { type: "input_image" as const, image_url: `data:${part.mediaType};base64,${part.data.data}` },
        )
  return { type: "function_call_output", call_id: callId, output }
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
