/**
 * Door of the agent tools: operations as tools that a model is told of and a program calls.
 *
 * Knows no agent SDK, not even as a type; each of them has a door of its own beside this one.
 */
export { toolName, toolNames, type ToolNaming } from "./tools/names.js"
export {
  toToolDefinitions,
  type DefinitionOptions,
  type ParametersSchema,
  type SkippedOperation,
  type ToolDefinition,
  type ToolList,
  type ToolMetadata,
} from "./tools/definition.js"
export { forProvider, type Provider, type ProviderChange, type ProviderForm } from "./tools/provider.js"
export {
  toOpenAIMessage,
  toOpenAIOutput,
  toOpenAIResponsesTools,
  toOpenAITools,
  type OpenAIChatTool,
  type OpenAIFunction,
  type OpenAIFunctionOutput,
  type OpenAIResponsesTool,
  type OpenAIToolMessage,
} from "./tools/openai.js"
export { toAnthropicResult, toAnthropicTools, type AnthropicTool, type AnthropicToolResult } from "./tools/anthropic.js"
export { errorOutcome } from "./tools/error_outcome.js"
export { mapResult, type MapResultOptions, type ToolResult, type ToolResultPart } from "./tools/map_result.js"
export { ToolError, isToolError, type ToolErrorReason } from "./tools/tool_error.js"
export type { Tool, ToolCallOutcome, ToolOptions } from "./tools/tool.js"
export { toTool, toTools, type ToToolOptions, type ToToolsOptions } from "./tools/to_tools.js"
export {
  connectTools,
  mcp,
  type ConnectedServer,
  type ConnectedServers,
  type ConnectToolsOptions,
  type HTTPOptions,
  type MCPPort,
  type ServerConfig,
  type StdioOptions,
} from "./tools/connect.js"
