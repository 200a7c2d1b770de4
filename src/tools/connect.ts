/**
 * From servers to tools in one step, for scripts that want no registry of their own.
 *
 * In: how to reach servers. Out: the tools of each, and one way to close everything. The adapter of MCP is loaded when this is used,
 * so that who makes tools of local operations loads none of it.
 */
import type { CallError } from "../error.js"
import { toNamespace } from "../operation.js"
import { OperationRegistry, type Middleware } from "../registry.js"
import type { ToolList } from "./definition.js"
import type { Tool } from "./tool.js"
import { toTools, type ToToolsOptions } from "./to_tools.js"

const loadAdapter = () => import("../from_mcp.js")

type Adapter = Awaited<ReturnType<typeof loadAdapter>>
type Loader = InstanceType<Adapter["MCPClientLoader"]>
/** One live MCP connection, as `fromMCP` takes it: what an adapter of another client, or a test without a server, writes itself. */
export type MCPPort = Extract<Parameters<Adapter["fromMCP"]>[1], { readonly serverInfo: unknown }>
/** How to reach one server, as `createMCPClient` takes it. */
export type ServerConfig = Parameters<Adapter["createMCPClient"]>[1]
/** A server that is started as a process. */
export type StdioOptions = Extract<ServerConfig, { readonly command: string }>
/** A server that is reached by its url. */
export type HTTPOptions = Omit<Extract<ServerConfig, { readonly url: string }>, "transport">

/** Builds the config of a server: `mcp.stdio({ command })`, `mcp.http({ url })` for Streamable HTTP alone, `mcp.sse({ url })`. */
export const mcp = {
  stdio: (options: StdioOptions): ServerConfig => options,
  http: (options: HTTPOptions): ServerConfig => ({ ...options, transport: "http" }),
  sse: (options: HTTPOptions): ServerConfig => ({ ...options, transport: "sse" }),
} as const

/** How servers are connected and their tools are made. */
export interface ConnectToolsOptions extends ToToolsOptions {
  /** Put around every call; the first one is the outermost. */
  readonly middleware?: readonly Middleware[] | undefined
  /** Options of the MCP clients, and of their loading. */
  readonly client?: NonNullable<Parameters<Loader["load"]>[1]> | undefined
}

/** One connected server and its tools. */
export interface ConnectedServer extends AsyncDisposable {
  readonly name: string
  readonly tools: ToolList<Tool>
  /** Ends the connection to this server; calls in flight reject. */
  close(): Promise<void>
}

/** The connected servers in the order of the config, and what they have together. */
export interface ConnectedServers extends ReadonlyArray<ConnectedServer>, AsyncDisposable {
  /** The tools of all servers. */
  readonly tools: ToolList<Tool>
  /** The servers that could not be connected, and why. */
  readonly failed: readonly { readonly name: string; readonly error: CallError }[]
  /** Ends all connections, and processes with all their children. */
  close(): Promise<void>
}

/**
 * Connects servers and gives their tools. One that fails is named in `failed` and costs the others nothing; `client: { strict: true }`
 * makes it reject instead. The caller closes what it gets.
 *
 * @throws CallError of the connection where no server at all could be connected.
 *
 * @example
 * const servers = await connectTools({ files: mcp.stdio({ command: "mcp-server-filesystem", args: ["."] }) })
 * try {
 *   for (const tool of servers.tools) console.log(tool.name, tool.description)
 * } finally {
 *   await servers.close()
 * }
 */
export async function connectTools(config: Readonly<Record<string, ServerConfig>>, options: ConnectToolsOptions = {}): Promise<ConnectedServers> {
  const { middleware = [], client, ...toolOptions } = options
  const { MCPClientLoader } = await loadAdapter()
  const loader = new MCPClientLoader()
  try {
    const outcomes = await loader.load({ servers: config }, client)
    const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [{ name: outcome.name, error: outcome.error }]))
    const [first] = failed
    if (first !== undefined && failed.length === outcomes.length) throw first.error
    const registry = new OperationRegistry()
    for (const each of middleware) registry.use(each)
    loader.registerAll(registry)
    const tools = await toTools(registry, toolOptions)
    const servers = outcomes.flatMap((outcome) => (outcome.ok ? [serverOf(outcome.name, tools, () => outcome.wrapper.close())] : []))
    const close = () => loader.closeAll()
    return Object.assign(servers, { tools, failed, close, [Symbol.asyncDispose]: close })
  } catch (error) {
    await loader.closeAll().catch(() => undefined)
    throw error
  }
}

function serverOf(name: string, all: ToolList<Tool>, close: () => Promise<void>): ConnectedServer {
  const namespace = toNamespace(name)
  const tools = Object.assign(
    all.filter(({ metadata }) => metadata.server === namespace),
    { skipped: all.skipped.filter(({ operationId }) => operationId.startsWith(`${namespace}.`)) },
  )
  return { name, tools, close, [Symbol.asyncDispose]: close }
}
