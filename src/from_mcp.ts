/**
 * Door of the MCP adapter: tools of MCP servers as operations.
 *
 * Knows how servers are reached, listed and called; whoever holds an operation afterwards needs to know nothing of MCP.
 */
export { parseConfig, readConfig, type ConfigPreview, type MCPConfig, type ServerPreview } from "./from_mcp/config.js"
export type { SkippedServer } from "./from_mcp/config/raw_config.js"
export type { ConfigFault } from "./from_mcp/config/faults.js"
export { loadConfigFile } from "./from_mcp/config_file.js"
