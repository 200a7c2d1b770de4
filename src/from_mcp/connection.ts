/**
 * What holds the connections of one server: one port for a process, one for each session key over HTTP.
 *
 * Out: the seam between the client and the transports. A transport that needs to know for whom a message is sent, or wants to
 * hear that a request was given up, is a `ContextualTransport`; every plain SDK transport is one too.
 */
import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { CallError } from "../error.js"
import type { OperationContext, RequestNetwork } from "../operation.js"
import type { MainPort } from "./main_port.js"
import type { MCPPort, PortContext } from "./port.js"

/** The connections of one server. */
export interface Connection {
  /** The port that lists the tools, and whose notifications count. */
  readonly main: MainPort
  /** The port that a call of this caller goes through; a promise where one must be opened first. */
  portFor(context: OperationContext | undefined, operationId: string): MCPPort | Promise<MCPPort>
  /** Tells that a port takes no more requests, and hears when it pays to ask `portFor` again. */
  giveUp(port: MCPPort, reason: CallError): "now" | "later" | "never"
  close(): Promise<void>
}

/** A port that another one can take the place of. */
export interface ReplaceablePort extends MCPPort {
  /** Closes as soon as no request is open. */
  retire(): void
}
/** What a transport is told with each message, beside what the SDK says. */
export interface ContextualSendOptions extends TransportSendOptions {
  context?: PortContext | undefined
}

/** An SDK transport that may know more than the SDK asks of one. */
export interface ContextualTransport extends Omit<Transport, "send"> {
  /** A rejection with a CallError reaches the caller as it is. */
  send(message: JSONRPCMessage, options?: ContextualSendOptions): Promise<void>
  /** Hears that a request was given up (abort, timeout), after `notifications/cancelled` was handed to `send`. */
  abandon?(id: RequestId): void
  /** Why the connection was lost, as far as the transport knows: exit code, stderr, status. Asked at `onclose`. */
  readonly lossReason?: CallError | undefined
  /** Facts for the details of an error at any time, such as the last lines of stderr; masked already. */
  diagnose?(): Readonly<Record<string, unknown>>
  /** True where it makes no difference for whom a message is sent. */
  readonly ignoresContext?: boolean | undefined
  /** True where no message nested too deep ever gets out, so that nobody needs to look again. */
  readonly limitsDepth?: boolean | undefined
  readonly network?: RequestNetwork | undefined
}
