/**
 * The one narrow way to an MCP connection, so that another client package can take the SDK's place.
 *
 * In: a method and its params. Out: the result as the server sent it, or a CallError with `details.outcome`.
 * Knows no tool, no schema and no envelope. A port that a host writes itself keeps the same promises.
 */
import type { CallError } from "../error.js"
import type { Identity, OperationContext, Progress, RequestNetwork } from "../operation.js"

/** For whom and what a message is sent: decides headers and the session where a transport has such things. */
export interface PortContext {
  readonly purpose: "connect" | "list" | "call" | "stream" | "close"
  readonly identity?: Identity | undefined
  readonly operationId?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** What a request may be told. Without `timeoutMs` it waits until it is answered, aborted, or the connection is lost. */
export interface PortRequestOptions {
  /** Ends the request with ABORTED; the server is told with `notifications/cancelled`, without the reason. */
  readonly signal?: AbortSignal | undefined
  /** The caller's context, for ports that hear of its abort without asking for a signal; `signal` is that context's own. */
  readonly caller?: OperationContext | undefined
  /** The longest duration in milliseconds, then TIMEOUT; nothing extends it. */
  readonly timeoutMs?: number | undefined
  /** The same as a point in time, in epoch milliseconds; counts instead of `timeoutMs` where it is given. */
  readonly deadline?: number | undefined
  /** The longest silence in milliseconds, then TIMEOUT; each progress notification starts it anew. */
  readonly idleTimeoutMs?: number | undefined
  /** Called for each progress notification of this request, all of them before the request settles. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly context?: PortContext | undefined
  /** Hears the id of the request on the wire, before it is sent. */
  readonly onRequestId?: ((id: number) => void) | undefined
}

/** What a server said about itself in the handshake. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly title?: string | undefined
}

/** A request of the server while it is answered. */
export interface PortRequest {
  /** Aborts when the server takes the request back or the connection is closed. */
  readonly signal: AbortSignal
}

/** One live MCP connection. */
export interface MCPPort {
  /** The result object as sent. Rejects with a CallError only; its `details.outcome` says whether the request may have run. */
  request(method: string, params: Readonly<Record<string, unknown>> | undefined, options?: PortRequestOptions): Promise<unknown>
  /** Sends a notification; a failure to send is not reported. */
  notify?(method: string, params?: Readonly<Record<string, unknown>>): void
  /** Listens to the server's notifications of a method; gives the function that ends it. */
  onNotification(method: string, listener: (params: unknown) => void): () => void
  /** Answers the server's requests of a method; without a handler they are answered by -32601. */
  onRequest(method: string, handler: (params: unknown, request: PortRequest) => unknown): void
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly serverInfo: ServerInfo
  readonly instructions: string | undefined
  readonly protocolVersion: string | undefined
  /** The session that the server gave, over HTTP. */
  readonly sessionId?: string | undefined
  readonly network?: RequestNetwork | undefined
  /** Called once when the connection is gone: with the error that tells why, or without one after `close()`. */
  onClose(listener: (reason?: CallError) => void): void
  close(): Promise<void>
}
