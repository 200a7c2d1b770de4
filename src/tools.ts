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
export { toOpenAIResponsesTools, toOpenAITools, type OpenAIChatTool, type OpenAIFunction, type OpenAIResponsesTool } from "./tools/openai.js"
export { toAnthropicTools, type AnthropicTool } from "./tools/anthropic.js"
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
  type ServerConfig,
  type StdioOptions,
} from "./tools/connect.js"
