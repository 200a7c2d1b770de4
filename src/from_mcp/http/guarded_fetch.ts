/**
 * One HTTP request that never leaves the server's origin.
 *
 * In: what the SDK wants to send, and the host's headers. Out: the response, redirects within the origin followed.
 * The host's headers are put on here and nowhere else, so no request can go without them, and none elsewhere with them.
 */
import { requestError, type RequestPlace } from "../errors.js"
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
 * @throws CallError TRANSPORT_ERROR, outcome "not_started", where it would leave the origin; else whatever fetch rejects with.
 */
export async function guardedFetch(url: string | URL, init: RequestInit, request: GuardedRequest): Promise<Response> {
  const { home, place } = request
  const headers = new Headers(init.headers)
  request.headers.forEach((value, name) => headers.set(name, value))
  let target = new URL(url)
  for (let hops = 0; ; hops++) {
    if (!isWithinOrigin(home, target)) throw leaving(place, home, target)
    const response = await request.fetch(target, { ...init, headers, redirect: "manual" })
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

function leaving(place: RequestPlace, home: URL, target: URL): Error {
  const details = { kind: "redirect", target: shownURL(target), outcome: "not_started" }
  return requestError(place, "TRANSPORT_ERROR", `${shownURL(target)} is not followed: it is not on ${home.origin}; if it is right, write it as the url`, details)
}

function refused(place: RequestPlace, status: number, target: URL): Error {
  const details = { kind: "redirect", status, target: shownURL(target), outcome: "not_started" }
  return requestError(place, "TRANSPORT_ERROR", `the redirect (${status}) to ${shownURL(target)} is not followed; if it is right, write it as the url`, details)
}
