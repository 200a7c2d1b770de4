/**
 * What it takes to reach one MCP server: the shapes that a host or a config file gives.
 *
 * Shapes and nothing else. Values in `env`, `headers` and behind secret-looking flags of `args` are secrets: they are masked
 * wherever text of the server is shown.
 */
import type { PortContext } from "./port.js"

/** A server that is started as a process and spoken to over its stdin and stdout. */
export interface StdioServerConfig {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Added to the short list of harmless variables that the process inherits; nothing else of the host's environment is seen. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

/** What a `headers` or `sessionFor` function is told about the request that it is asked for. */
export interface HeadersContext extends PortContext {
  /** The name that the client was given for the server. */
  readonly server: string
}

/** Headers for one request; a promise may be given, its rejection ends the call before anything is sent. */
export type HeadersFunction = (context: HeadersContext) => Record<string, string> | Promise<Record<string, string>>

/**
 * A server that is reached over HTTP. Without `transport`: Streamable HTTP, and SSE where the first POST is answered by 400,
 * 404 or 405. A `headers` function needs `sessionFor`: calls of different keys never share an MCP session.
 */
export interface HTTPServerConfig {
  readonly url: string
  readonly transport?: "http" | "sse" | undefined
  readonly headers?: Readonly<Record<string, string>> | HeadersFunction | undefined
  readonly sessionFor?: ((context: HeadersContext) => string) | undefined
}

/** How to reach one server: a command to start, or a url. */
export type MCPServerConfig = StdioServerConfig | HTTPServerConfig
