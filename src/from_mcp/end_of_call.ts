/**
 * Why a request ended without a proper answer, and how a place that sees messages only can say so.
 *
 * In: a code, a reason, facts. Out: a mark that becomes a CallError where the request is known; or an error answer that carries
 * the mark as its `data`, for transports and for the message filter. The mark is told by its class, never by the error's text.
 */
import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { CallErrorCode } from "../error.js"

/** The end of a request: what its CallError will say beside server and tool. */
export class EndOfCall {
  constructor(
    readonly code: CallErrorCode,
    readonly reason: string,
    readonly details: Readonly<Record<string, unknown>>,
    readonly cause?: unknown,
  ) {}
}

/** The answer that ends the request with this id. */
export function endingAnswer(id: RequestId, end: EndOfCall): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code: -32603, message: end.reason, data: end } }
}

/** The end of a call whose answer cannot be read; it may have run. `sent` is a short form of what came. */
export function malformed(reason: string, sent?: unknown): EndOfCall {
  return new EndOfCall("PROTOCOL_ERROR", reason, { ...(sent === undefined ? {} : { sent }), outcome: "unknown" })
}
