/**
 * One message on its way to the server, and how it is found again when the SDK hands it to fetch as text.
 *
 * In: a JSON-RPC message, or the body of a POST. Out: the same key for both.
 * The id is put first in each message, so that the first bytes of a body tell whose it is: parsing megabytes of arguments for
 * that, or following them through promises, would cost every call.
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { RequestPlace } from "../errors.js"
import type { PortContext } from "../port.js"

/** A message that is sent, and for whom. */
export interface Posting {
  readonly place: RequestPlace
  readonly context: PortContext
  /** The state of its answer, where it is a request. */
  readonly request?: PostedRequest | undefined
}

/** A request from its sending until it is answered or given up. */
export class PostedRequest {
  /** Ends the POST and the streams that answer it. */
  readonly abort = new AbortController()
  #isOpen = true
  #settled: (() => void) | undefined

  constructor(
    readonly id: RequestId,
    readonly method: string,
  ) {}

  /** False once it was answered, failed or was given up. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  settle(): void {
    this.#isOpen = false
    this.#settled?.()
  }

  /** Calls the listener when it settles. */
  whenSettled(listener: () => void): void {
    this.#settled = listener
  }
}

const HEAD = /^\{"id":(-?\d{1,16}|"(?:[^"\\]|\\.){0,1000}"),"(method)?/

/** The same message with its id in front and, in a request, its method next. */
export function withIdFirst(message: JSONRPCMessage): JSONRPCMessage {
  if (!("id" in message) || message.id === undefined) return message
  if (!("method" in message)) return { id: message.id, ...message }
  const { id, method, ...rest } = message
  return { id, method, ...rest }
}

/** The key of a message. Notifications are small and have no id, so their whole text is their key. */
export function keyOfMessage(message: JSONRPCMessage): string {
  if (!("id" in message) || message.id === undefined) return JSON.stringify(message)
  return "method" in message ? requestKey(message.id) : `answer ${JSON.stringify(message.id)}`
}

/** The key of the message that a body holds. */
export function keyOfBody(body: unknown): string {
  if (typeof body !== "string") return ""
  const [, id, method] = HEAD.exec(body) ?? []
  if (id === undefined) return body
  return method === undefined ? `answer ${id}` : `request ${id}`
}

/** The key of a request of ours. Its id is a number; a server may write it back as text. */
export function requestKey(id: RequestId): string {
  return `request ${id}`
}
