/**
 * One HTTP request that never leaves the server's origin.
 *
 * In: what the SDK wants to send, and the host's headers. Out: the response, redirects within the origin followed.
 * The host's headers are put on here and nowhere else, so no request can go without them, and none elsewhere with them.
 */
import { isCallError } from "../../error.js"
import { clip } from "../clip.js"
import { requestError, toPortError, type RequestPlace } from "../errors.js"
import { isWithinOrigin, shownURL } from "./endpoint.js"

/** What a request needs beside its url and init. */
export interface GuardedRequest {
  readonly fetch: typeof fetch
  /** The server's own url. */
  readonly home: URL
  readonly headers: Headers
  readonly place: RequestPlace
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Sends a request with the host's headers.
 *
 * @throws CallError TRANSPORT_ERROR, with outcome "not_started" where it would leave the origin. After an abort: what fetch rejects with.
 */
export async function guardedFetch(url: string | URL, init: RequestInit, request: GuardedRequest): Promise<Response> {
  const { home, place } = request
  const headers = new Headers(init.headers)
  request.headers.forEach((value, name) => headers.set(name, value))
  let target = new URL(url)
  for (let hops = 0; ; hops++) {
    if (!isWithinOrigin(home, target)) throw leaving(place, home, target)
    const response = await request.fetch(target, { ...init, headers, redirect: "manual" }).catch((error: unknown) => {
      throw init.signal?.aborted === true ? error : unreachable(place, init.method ?? "GET", target, error)
    })
    const next = redirectOf(response, target)
    if (next === undefined) return response
    response.body?.cancel().catch(() => undefined)
    // 301, 302 and 303 would turn a message that is posted into a GET.
    const keepsMethod = response.status >= 307 || (init.method ?? "GET").toUpperCase() === "GET"
    if (!keepsMethod || hops === MAX_REDIRECTS || next.username !== "" || next.password !== "") throw refused(place, response.status, next)
    target = next
  }
}

function redirectOf(response: Response, from: URL): URL | undefined {
  const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

/** The reason of a failed fetch stands in its innermost cause; the fetch itself says only that it failed. */
function unreachable(place: RequestPlace, method: string, target: URL, error: unknown): Error {
  if (isCallError(error)) return error
  const { details } = toPortError(error, place, target.protocol === "http:" && isUnwritten(error) ? "not_started" : "unknown")
  return requestError(place, "TRANSPORT_ERROR", `${method} ${shownURL(target)} failed: ${clip(place.mask(innermost(error)), 200)}`, details, error)
}

/**
 * True where the end of the request could not be written, as happens on a connection that was kept and has died meanwhile: what
 * arrived is no whole message, so nobody can have acted on it. Over TLS a failed write may be one after the request.
 */
function isUnwritten(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  if ("syscall" in error && "code" in error) return error.syscall === "write" && (error.code === "ECONNRESET" || error.code === "EPIPE")
  return isUnwritten(error.cause, depth + 1)
}

function innermost(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return "something was thrown that is no Error"
  const inner: unknown = error instanceof AggregateError && error.message === "" ? error.errors[0] : error.cause
  return inner instanceof Error && depth < 4 ? innermost(inner, depth + 1) : error.message
}

function leaving(place: RequestPlace, home: URL, target: URL): Error {
  const details = { kind: "redirect", target: shownURL(target), outcome: "not_started" }
  return requestError(place, "TRANSPORT_ERROR", `${shownURL(target)} is not followed: it is not on ${home.origin}; if it is right, write it as the url`, details)
}

function refused(place: RequestPlace, status: number, target: URL): Error {
  const details = { kind: "redirect", status, target: shownURL(target), outcome: "not_started" }
  return requestError(place, "TRANSPORT_ERROR", `the redirect (${status}) to ${shownURL(target)} is not followed; if it is right, write it as the url`, details)
}
