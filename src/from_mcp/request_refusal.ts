/**
 * What a server is told where its request gets no result.
 *
 * In: whatever a handler threw. Out: a code and a fixed text. What was thrown may quote a secret of the host, so its own text
 * never goes to the server.
 */
import { isCallError } from "../error.js"

/** Tells the server why there is no result; the port passes on this class alone. */
export class RequestRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
/** The specification's code for a person who refuses. */
const REFUSED = -1

/** The refusal for a request whose params lack something. */
export function invalidParams(member: string): RequestRefusal {
  return new RequestRefusal(INVALID_PARAMS, `Invalid params: ${member}`)
}

/** The refusal for what a handler threw. */
export function refusalFor(thrown: unknown): RequestRefusal {
  if (thrown instanceof RequestRefusal) return thrown
  const isRefused = isCallError(thrown) && thrown.code === "ACCESS_DENIED"
  return isRefused ? new RequestRefusal(REFUSED, "The request was refused") : new RequestRefusal(INTERNAL_ERROR, "The client has no answer")
}
