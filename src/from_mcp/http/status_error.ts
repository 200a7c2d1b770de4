/**
 * What an HTTP status in place of an answer means to the caller.
 *
 * In: a response that is no success. Out: a CallError; status, wanted credentials and the beginning of the body in its details.
 * The outcome follows from the status: 4xx refuse the request; what a 5xx did before it failed nobody knows.
 */
import type { CallError, Outcome } from "../../error.js"
import { atDeadline } from "../../operation.js"
import { clip } from "../clip.js"
import { requestError, type RequestPlace } from "../errors.js"
import { shownURL } from "./endpoint.js"

const BODY_BYTES = 4_096
const BODY_LENGTH = 500
/** How long a body may take that is only there to be told. */
const BODY_MS = 500

/** The request that was answered by a status. */
export interface StatusRequest {
  readonly place: RequestPlace
  readonly method: string
  readonly url: URL
  /** True where it was sent for a session that the server had given. */
  readonly inSession: boolean
}

/** The error for a response. Its body is read as far as it is told, and the rest let go. */
export async function statusError(response: Response, { place, method, url, inSession }: StatusRequest): Promise<CallError> {
  const { status, headers } = response
  const expired = status === 404 && inSession
  const body = clip(place.mask(await beginningOf(response)), BODY_LENGTH)
  const details = {
    kind: expired ? "session_expired" : "http",
    status,
    ...credentialsWanted(headers.get("www-authenticate")),
    ...wishedRest(headers.get("retry-after")),
    ...(body !== "" && { body }),
    outcome: expired ? "not_started" : outcomeOf(status),
  }
  const reason = `the server answered ${method} ${shownURL(url)} with HTTP status ${status}`
  if (status === 401 || status === 403) return requestError(place, "AUTH_REQUIRED", reason, details)
  return requestError(place, "TRANSPORT_ERROR", expired ? `${reason}: the session is gone` : reason, details)
}

function outcomeOf(status: number): Outcome {
  if (status === 401 || status === 403 || status === 429) return "not_started"
  return status >= 400 && status < 500 && status !== 408 ? "failed" : "unknown"
}

/** How long the server wants to be left alone: what it wrote, seconds or a date, and the same in milliseconds from now. */
function wishedRest(retryAfter: string | null): { retryAfter?: string; retryAfterMs?: number } {
  if (retryAfter === null) return {}
  const ms = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return { retryAfter, ...(Number.isFinite(ms) && { retryAfterMs: Math.max(0, ms) }) }
}

/** What a WWW-Authenticate header says of where to get credentials, RFC 9728. */
export function credentialsWanted(challenge: string | null): { resourceMetadataUrl?: string; scope?: string } {
  if (challenge === null) return {}
  const resourceMetadataUrl = parameterOf(challenge, "resource_metadata")
  const scope = parameterOf(challenge, "scope")
  return { ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}

function parameterOf(challenge: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`(?:^|[\\s,])${name}\\s{0,4}=\\s{0,4}(?:"([^"]{0,2000})"|([^\\s,"]{1,2000}))`, "i").exec(challenge) ?? []
  return quoted ?? bare
}

async function beginningOf(response: Response): Promise<string> {
  // The body of a response is bytes; its type leaves that open.
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (reader === undefined) return ""
  const chunks: Uint8Array[] = []
  let bytes = 0
  const cancel = atDeadline(Date.now() + BODY_MS, () => void reader.cancel().catch(() => undefined))
  try {
    while (bytes < BODY_BYTES) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.length
    }
  } catch {
    // A body that breaks off is told as far as it came.
  }
  cancel()
  reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, BODY_BYTES)).trim()
}
