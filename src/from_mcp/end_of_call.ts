/**
 * How a request is ended from below the SDK: an error answer of our own making, whose `data` is a mark with the true reason.
 *
 * The SDK forgets a request only when an answer comes, so whatever ends one early (a malformed answer, the deadline, an abort,
 * a lost connection) is given to it as an answer. The mark is told by its class, never by the error's text.
 */
import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { CallErrorCode } from "../error.js"

/** Why a request ended without a proper answer; becomes a CallError once the request is known. */
export class EndOfCall {
  constructor(
    readonly code: CallErrorCode,
    readonly reason: string,
    readonly details: Readonly<Record<string, unknown>>,
    readonly cause?: unknown,
  ) {}
}

/** The answer that makes the SDK end a request. */
export function endingAnswer(id: RequestId, end: EndOfCall): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code: -32603, message: end.reason, data: end } }
}

/** The end of a call whose answer cannot be read; it may have run. `sent` is a short form of what came. */
export function malformed(reason: string, sent?: unknown): EndOfCall {
  return new EndOfCall("PROTOCOL_ERROR", reason, { ...(sent === undefined ? {} : { sent }), outcome: "unknown" })
}
