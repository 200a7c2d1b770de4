/**
 * Door of the MCP adapter: tools of MCP servers as operations.
 *
 * Knows how servers are reached, listed and called; whoever holds an operation afterwards needs to know nothing of MCP.
 */
export { closeMCPClient, createMCPClient, fromMCP } from "./from_mcp/create_client.js"
export { MCPClientWrapper, type Diagnosis, type ServerDescription, type ToolLoss } from "./from_mcp/client_wrapper.js"
export type { ClientStatus, StatusDetail } from "./from_mcp/client_status.js"
export type { ToolsChange } from "./from_mcp/tool_set.js"
export type { BreakerOptions, MCPClientOptions, MCPWarning, ReconnectOptions, RetryOptions, WireTool } from "./from_mcp/client_options.js"
export type { AuthProvider } from "./from_mcp/auth_provider.js"
export { clientCredentials, type ClientCredentials } from "./from_mcp/client_credentials.js"
export { FileTokenStore } from "./from_mcp/token_store.js"
export type { LoginOptions } from "./from_mcp/stored_provider.js"
export type {
  ClientHandlers,
  ElicitationAnswer,
  FormElicitation,
  LogEntry,
  LoggingLevel,
  Root,
  SamplingAnswer,
  SamplingRequest,
  ServerRequest,
  URLElicitation,
} from "./from_mcp/handlers.js"
export type { NetworkPolicy } from "./from_mcp/http/network.js"
export type { RejectedTool } from "./from_mcp/read_tool.js"
export type { MCPPort, PortContext, PortRequest, PortRequestOptions, ServerInfo } from "./from_mcp/port.js"
export type { HTTPServerConfig, HeadersContext, HeadersFunction, MCPServerConfig, StdioServerConfig } from "./from_mcp/server_config.js"
export { parseConfig, readConfig, type ConfigPreview, type MCPConfig, type ServerPreview } from "./from_mcp/config.js"
export type { SkippedServer } from "./from_mcp/config/raw_config.js"
export type { ConfigFault } from "./from_mcp/config/faults.js"
export { loadConfigFile } from "./from_mcp/config_file.js"
export { MCPClientLoader, type LoadOptions, type ServerOutcome } from "./from_mcp/loader.js"
