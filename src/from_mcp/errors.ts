/**
 * The one place where whatever the SDK or a transport throws becomes a CallError.
 *
 * In: the thrown value, and what was asked of whom. Out: a CallError with `details.outcome`.
 * Decides by class and code, never by the text of a message. Classes are told by their name, since a host may have loaded
 * another copy of the SDK. Text that came from outside is masked and clipped.
 */
import { CallError, isCallError, type CallErrorCode, type Outcome } from "../error.js"
import { clip, clipValue } from "./clip.js"
import { EndOfCall } from "./end_of_call.js"
import { maskValue, type Mask } from "./mask.js"

const MESSAGE_LENGTH = 500

/** What was asked of whom: how messages name it, and how secrets are kept out of them. */
export interface RequestPlace {
  readonly server: string
  readonly method: string
  /** The tool that was called, where one was. */
  readonly tool?: string | undefined
  readonly mask: Mask
}

/** How messages name a request: `Server "files", tool "read"`. */
function subjectOf(place: RequestPlace): string {
  return `Server "${place.server}", ${place.tool === undefined ? place.method : `tool "${clip(place.tool, 200)}"`}`
}

/** An error about a request; server and tool stand in message and details. */
export function requestError(place: RequestPlace, code: CallErrorCode, reason: string, details: Readonly<Record<string, unknown>>, cause?: unknown): CallError {
  return new CallError(code, clip(`${subjectOf(place)}: ${reason}`, MESSAGE_LENGTH + reason.length), {
    details: { server: place.server, ...(place.tool === undefined ? {} : { tool: place.tool }), ...details },
    cause,
  })
}

/** The CallError for anything that a request rejected with; `outcome` is what is known when the cause itself says nothing. */
export function toPortError(cause: unknown, place: RequestPlace, outcome: Outcome): CallError {
  if (isCallError(cause)) return cause
  const { code, data, message } = membersOf(cause)
  switch (classOf(cause)) {
    case "McpError":
      return answeredError(place, { code: typeof code === "number" ? code : 0, message, data }, cause)
    case "ZodError":
    case "$ZodError":
      return requestError(place, "PROTOCOL_ERROR", `the answer does not have the members that the protocol demands${pointerOf(cause)}`, { outcome: "failed" }, cause)
    case "UnauthorizedError":
      return requestError(place, "AUTH_REQUIRED", "the server wants credentials", { outcome: "not_started" }, cause)
    case "StreamableHTTPError":
    case "SseError":
      return httpError(place, typeof code === "number" ? code : undefined, outcome, cause)
    default:
      return transportError(place, outcome, cause)
  }
}

/** The error for a request that was ended from this side; what the server sent may stand in `sent`. */
export function endedError(place: RequestPlace, end: EndOfCall): CallError {
  const { sent } = end.details
  const details = sent === undefined ? end.details : { ...end.details, sent: maskValue(sent, place.mask) }
  return requestError(place, end.code, end.reason, details, end.cause)
}

/** The error for a JSON-RPC error answer: the server refused, its code and data are kept. */
export function answeredError(place: RequestPlace, { code, message, data }: { code: number; message: string; data?: unknown }, cause?: unknown): CallError {
  if (data instanceof EndOfCall) return endedError(place, data)
  // The SDK puts this in front of what the server said.
  const prefix = `MCP error ${code}: `
  const said = clip(place.mask(message.startsWith(prefix) ? message.slice(prefix.length) : message), MESSAGE_LENGTH)
  const rpcData = data === undefined ? {} : { rpcData: maskValue(clipValue(data), place.mask) }
  return requestError(place, "PROTOCOL_ERROR", `the server answered with error ${code}: ${said}`, { rpcCode: code, ...rpcData, outcome: "failed" }, cause)
}

/** An HTTP status in place of an answer. 4xx refuse the request; what a 5xx did before it failed nobody knows. */
function httpError(place: RequestPlace, status: number | undefined, outcome: Outcome, cause: unknown): CallError {
  if (status === 401 || status === 403) {
    return requestError(place, "AUTH_REQUIRED", `the server answered with HTTP status ${status}`, { status, outcome: "not_started" }, cause)
  }
  if (status === undefined || status < 400) return transportError(place, outcome, cause)
  const known: Outcome = status === 429 ? "not_started" : status < 500 ? "failed" : "unknown"
  return requestError(place, "TRANSPORT_ERROR", `the server answered with HTTP status ${status}`, { kind: "http", status, outcome: known }, cause)
}

/** Codes of errors that do not say what they were met at. */
const NEVER_REACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT", "ENOENT", "EACCES"])

/** Everything else: the connection. The reason of a failed fetch stands in its cause, of an AggregateError in its parts. */
function transportError(place: RequestPlace, outcome: Outcome, cause: unknown): CallError {
  const { code, syscall } = systemError(cause)
  const known: Outcome = code !== undefined && isUnreached(code, syscall) ? "not_started" : outcome
  const reason = code ?? clip(place.mask(membersOf(cause).message || String(cause)), MESSAGE_LENGTH)
  return requestError(place, "TRANSPORT_ERROR", `the connection failed: ${reason}`, { kind: "connection", ...(code === undefined ? {} : { systemCode: code }), outcome: known }, cause)
}

/** True where nothing was connected. A connection that breaks while it is read may say the same codes: the system call tells. */
function isUnreached(code: string, syscall: unknown): boolean {
  if (typeof syscall !== "string") return NEVER_REACHED.has(code)
  return syscall === "connect" || syscall === "getaddrinfo" || syscall.startsWith("spawn")
}

/** The innermost error of the system, with the call that it was met at. */
function systemError(error: unknown, depth = 0): { readonly code?: string | undefined; readonly syscall?: unknown } {
  if (typeof error !== "object" || error === null || depth > 4) return {}
  const { code, syscall, cause, errors } = error as { code?: unknown; syscall?: unknown; cause?: unknown; errors?: unknown } // Members of any object, all checked below.
  if (typeof code === "string") return { code, syscall }
  const inner = systemError(cause, depth + 1)
  return inner.code === undefined && Array.isArray(errors) ? systemError(errors[0], depth + 1) : inner
}

function classOf(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined
  const { name } = membersOf(cause)
  return name === "McpError" || name === "ZodError" ? name : cause.constructor.name
}

function membersOf(cause: unknown): { name: string; message: string; code?: unknown; data?: unknown } {
  if (typeof cause !== "object" || cause === null) return { name: "", message: "" }
  const { name, message, code, data } = cause as Record<string, unknown> // Members of any object; name and message are checked below.
  return { name: typeof name === "string" ? name : "", message: typeof message === "string" ? message : "", code, data }
}

/** ` (at /serverInfo/name)` for the first issue of a ZodError. */
function pointerOf(cause: unknown): string {
  const issues = (cause as { issues?: unknown }).issues // A ZodError has a list of issues; it is checked below.
  const path: unknown = Array.isArray(issues) ? (issues[0] as { path?: unknown } | undefined)?.path : undefined
  return Array.isArray(path) ? ` (at /${path.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")})` : ""
}
