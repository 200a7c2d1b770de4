/**
 * The `fetch` that the SDK's HTTP transports are given.
 *
 * In: what the SDK would send. Out: a response that the SDK may read, or a CallError; messages of the response go to the
 * postings before that.
 * Each kind of request is told by its HTTP method alone: POST sends a message, GET opens a stream, DELETE ends a session. Of the
 * answers the SDK sees no more than that there is one; streams are heard, kept and taken up again here.
 */
import { CallError, isCallError } from "../../error.js"
import { requestError, type RequestPlace } from "../errors.js"
import type { Mask } from "../mask.js"
import type { PortContext } from "../port.js"
import { hearDocument, heardWhenRead, relayedStream } from "./answer_body.js"
import { hearAnswer } from "./answer_stream.js"
import type { Authorizer } from "./authorizer.js"
import { shownURL } from "./endpoint.js"
import { guardedFetch } from "./guarded_fetch.js"
import type { HeaderSource } from "./header_source.js"
import type { PostedRequest, Posting } from "./posting.js"
import type { Postings } from "./postings.js"
import { SessionStream } from "./session_stream.js"
import { statusError } from "./status_error.js"

/** What every request of one session needs. */
export interface HTTPFetchSettings {
  readonly server: string
  /** Streamable HTTP, or the older transport over one stream of events. */
  readonly wire: "http" | "sse"
  readonly url: URL
  readonly headers: HeaderSource
  /** Puts on credentials that the host's headers do not hold. */
  readonly authorizer?: Authorizer | undefined
  readonly fetch: typeof fetch
  readonly mask: Mask
  readonly maxBytes: number
  /** For whom the session is opened; stands for all that belongs to no call. */
  readonly opener: Omit<PortContext, "purpose">
}

/** What a transport hears of its requests. */
export interface HTTPFetchListener {
  /** The handshake's POST was answered by a status that is no success. */
  refused(status: number): void
  /** The sender of a message hears of this error, so nobody else has to. */
  told(error: unknown): void
  /** The stream that belongs to no request was refused, so that nothing is heard of the server's own accord. */
  unheard(error: unknown): void
  /** The one stream of the older transport could not be opened, or is over. */
  lost(error: unknown): void
  /** The session is gone: the stream that belongs to no request was open once and is not known any more. */
  stale(error: CallError): void
}

/** A server's way to say that it has no such stream. */
const NO_STREAM = 405
/** Tells the SDK that a message is taken and that there is nothing to read. */
const ACCEPTED = 202
const EVENT_STREAM = "text/event-stream"
/** The fetch of one session. */
export class HTTPFetch {
  readonly #stream: SessionStream
  /** True once the stream that belongs to no request was open. */
  #wasOpen = false
  /** Requests whose answers are heard, also where the answer has come and its stream goes on. */
  readonly #heard = new Set<PostedRequest>()

  constructor(
    private readonly settings: HTTPFetchSettings,
    private readonly postings: Postings,
    private readonly listener: HTTPFetchListener,
  ) {
    this.#stream = new SessionStream(postings.listener(), (error) => this.#streamRefused(error))
  }

  /** Ends every stream. */
  close(): void {
    this.#stream.stop()
    for (const request of this.#heard) request.abort.abort()
  }

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    switch (init.method ?? "GET") {
      case "POST":
        return this.#post(url, init)
      case "DELETE":
        return this.#send(url, init, "DELETE", "close")
      default:
        if (this.settings.wire === "sse") return this.#listen(url, init)
        this.#stream.start((eventId, signal) => this.#openStream(url, init, eventId, signal))
        // The SDK is told that there is none: it would take up streams in its own way.
        return new Response(null, { status: NO_STREAM })
    }
  }

  /** Sends a message. What answers it is heard here; the SDK gets a response with nothing left to say. */
  async #post(url: string | URL, init: RequestInit): Promise<Response> {
    const posting = this.postings.ofBody(init.body)
    try {
      return await this.#posted(url, init, posting)
    } catch (error) {
      this.listener.told(error)
      throw error
    }
  }

  async #posted(url: string | URL, init: RequestInit, posting: Posting | undefined): Promise<Response> {
    const request = posting?.request
    const place = posting?.place ?? this.#place("POST")
    const signal = request?.abort.signal ?? init.signal
    const response = await this.#guarded(url, { ...init, signal: signal ?? null }, posting?.context ?? { ...this.settings.opener, purpose: "connect" }, place)
    if (!response.ok) {
      if (request?.method === "initialize") this.listener.refused(response.status)
      throw await statusError(response, { place, method: "POST", url: new URL(url), inSession: hasSession(init) })
    }
    if (this.settings.wire === "sse" || posting === undefined || request === undefined) return response
    const hear = this.#hearing(url, init, response, posting, request)
    if (hear === undefined) return response
    // The handshake is heard when the SDK reads it; every other answer needs nothing of the SDK.
    if (request.method === "initialize") return heardWhenRead(response, hear)
    void hear()
    return new Response(null, { status: ACCEPTED })
  }

  /** What hears the answer to a request; undefined where it comes another way. */
  #hearing(url: string | URL, init: RequestInit, response: Response, posting: Posting, request: PostedRequest): (() => Promise<void>) | undefined {
    const { place } = posting
    switch (mediaType(response)) {
      case EVENT_STREAM: {
        const sessionId = response.headers.get("mcp-session-id")
        const stream = {
          request,
          listener: this.postings.listener(posting),
          reopen: (eventId: string) => this.#reopen(url, init, sessionId, eventId, posting, request),
          failed: (reason: string, error: unknown) => this.postings.brokeOff(posting, reason, error),
        }
        return () => this.#whileHeard(posting, request, hearAnswer(response, stream))
      }
      case "application/json":
        return () => this.#whileHeard(posting, request, hearDocument(response, this.postings.documentListener(posting)))
      case "":
        // Some servers accept a request and answer in the stream that belongs to no request.
        return undefined
      default:
        response.body?.cancel().catch(() => undefined)
        throw requestError(place, "PROTOCOL_ERROR", `the server answered with ${mediaType(response)}, neither JSON nor an event stream`, { kind: "http", status: response.status, outcome: "unknown" })
    }
  }

  async #whileHeard(posting: Posting, request: PostedRequest, hearing: Promise<void>): Promise<void> {
    this.#heard.add(request)
    try {
      await hearing
    } catch (error) {
      // Nobody waits for this promise but the call.
      this.postings.brokeOff(posting, "the answer could not be read", error)
    } finally {
      this.#heard.delete(request)
    }
  }

  /** The stream that answers a request, behind an event. */
  async #reopen(url: string | URL, init: RequestInit, sessionId: string | null, eventId: string, posting: Posting, request: PostedRequest): Promise<Response> {
    const headers = streamHeaders(init, eventId)
    // The handshake's own request has none yet.
    if (sessionId !== null) headers.set("mcp-session-id", sessionId)
    const response = await this.#send(url, { method: "GET", headers, signal: request.abort.signal }, "GET", "stream", posting)
    if (mediaType(response) === EVENT_STREAM) return response
    response.body?.cancel().catch(() => undefined)
    throw requestError(posting.place, "PROTOCOL_ERROR", "the server has no stream to go on with", { kind: "http", status: response.status, outcome: "unknown" })
  }

  /** The stream of a session that belongs to no request; undefined where the server has none. */
  async #openStream(url: string | URL, init: RequestInit, eventId: string | undefined, signal: AbortSignal): Promise<Response | undefined> {
    const response = await this.#send(url, { method: "GET", headers: streamHeaders(init, eventId), signal }, "GET", "stream")
    if (response.ok && mediaType(response) === EVENT_STREAM) {
      this.#wasOpen = true
      return response
    }
    response.body?.cancel().catch(() => undefined)
    return undefined
  }

  /** Servers that never gave such a stream may refuse it as they like; one that did, and knows the session no more, has forgotten it. */
  #streamRefused(error: unknown): void {
    if (this.#wasOpen && isCallError(error) && error.details["kind"] === "session_expired") this.listener.stale(error)
    else this.listener.unheard(error)
  }

  /** Opens the one stream of the older transport. Everything that ends it ends the connection. */
  async #listen(url: string | URL, init: RequestInit): Promise<Response> {
    try {
      const place = this.#place("GET")
      const response = await this.#send(url, init, "GET", "stream")
      if (mediaType(response) !== EVENT_STREAM) {
        throw requestError(place, "PROTOCOL_ERROR", "the server answered GET with something other than an event stream", { kind: "http", status: response.status, outcome: "not_started" })
      }
      return relayedStream(
        response,
        this.postings.listener(),
        ({ type, data = "" }) => type === "endpoint" && this.#mayPostTo(data),
        (error) => this.listener.lost(error ?? this.#ended()),
      )
    } catch (error) {
      this.listener.told(error)
      this.listener.lost(error)
      throw error
    }
  }

  /** True for an endpoint on the server's own origin. */
  #mayPostTo(endpoint: string): boolean {
    const { url } = this.settings
    const target = URL.canParse(endpoint, url.href) ? new URL(endpoint, url) : undefined
    if (target?.origin === url.origin) return true
    const where = target === undefined ? "no url" : shownURL(target)
    this.listener.lost(
      requestError(this.#place("GET"), "PROTOCOL_ERROR", `the endpoint that the server names is not on its own origin: ${where}`, { kind: "endpoint", outcome: "not_started" }),
    )
    return false
  }

  #ended(): CallError {
    return new CallError("TRANSPORT_ERROR", `Server "${this.settings.server}": the server ended its event stream`, { details: { kind: "stream" } })
  }

  /** A request that carries no message. A 405 to what a server need not have is given back. */
  async #send(url: string | URL, init: RequestInit, method: "GET" | "DELETE", purpose: "stream" | "close", posting?: Posting): Promise<Response> {
    const place = posting?.place ?? this.#place(method)
    const response = await this.#guarded(url, init, { ...(posting?.context ?? this.settings.opener), purpose }, place)
    const optional = posting === undefined && this.settings.wire === "http" && response.status === NO_STREAM
    if (response.ok || optional) return response
    throw await statusError(response, { place, method, url: new URL(url), inSession: hasSession(init) })
  }

  async #guarded(url: string | URL, init: RequestInit, context: PortContext, place: RequestPlace): Promise<Response> {
    // The SDK's timers may ask for a stream when all is over, and the host's function may take a while.
    init.signal?.throwIfAborted()
    const given = await this.settings.headers(context)
    init.signal?.throwIfAborted()
    const { fetch, url: home, authorizer } = this.settings
    const send = (headers: Headers) => guardedFetch(url, init, { fetch, home, headers, place })
    if (authorizer === undefined || given.has("authorization")) return send(given)

    const token = await authorizer.token()
    const response = await send(withToken(given, token))
    // A session that is closed is not worth a login.
    if (context.purpose === "close" || !authorizer.isRefusal(response)) return response
    await authorizer.renew(response, token, place, init.signal ?? undefined)
    // The server has refused the request, so it has not run.
    return send(withToken(given, await authorizer.token()))
  }

  #place(method: string): RequestPlace {
    return { server: this.settings.server, method, mask: this.settings.mask }
  }
}

function withToken(given: Headers, token: string | undefined): Headers {
  if (token === undefined) return given
  const headers = new Headers(given)
  headers.set("authorization", `Bearer ${token}`)
  return headers
}

/** The headers of a POST, or of the SDK's GET, as those of a stream behind an event. */
function streamHeaders(init: RequestInit, eventId: string | undefined): Headers {
  const headers = new Headers(init.headers)
  headers.delete("content-type")
  headers.set("accept", EVENT_STREAM)
  if (eventId !== undefined) headers.set("last-event-id", eventId)
  return headers
}

function hasSession(init: RequestInit): boolean {
  return new Headers(init.headers).has("mcp-session-id")
}

function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
}
