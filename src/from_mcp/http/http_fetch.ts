/**
 * The `fetch` that the SDK's HTTP transports are given.
 *
 * In: what the SDK would send. Out: a response that the SDK may read, or a CallError; messages of the response go to the
 * postings before that.
 * Each kind of request is told by its HTTP method alone: POST sends a message, GET opens or takes up a stream, DELETE ends a session.
 */
import { CallError } from "../../error.js"
import { EndOfCall } from "../end_of_call.js"
import { requestError, type RequestPlace } from "../errors.js"
import type { Mask } from "../mask.js"
import type { PortContext } from "../port.js"
import { heardDocument, heardStream } from "./answer_body.js"
import { shownURL } from "./endpoint.js"
import { guardedFetch } from "./guarded_fetch.js"
import type { HeaderSource } from "./header_source.js"
import type { Posting } from "./posting.js"
import type { Postings } from "./postings.js"
import { statusError } from "./status_error.js"

/** What every request of one session needs. */
export interface HTTPFetchSettings {
  readonly server: string
  /** Streamable HTTP, or the older transport over one stream of events. */
  readonly wire: "http" | "sse"
  readonly url: URL
  readonly headers: HeaderSource
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
  /** The one stream of the older transport could not be opened, or is over. */
  lost(error: unknown): void
}

/** How often the SDK is to try to take up a stream. */
export const RESUMES = 2

/** A server's way to say that it has no such stream. */
const NO_STREAM = 405
const EVENT_STREAM = "text/event-stream"
/** Ends a stream for the SDK that it would take up for a request which is settled. */
const SETTLED = 'data: {"jsonrpc":"2.0","id":0,"result":{}}\n\n'

/** The fetch of one session. */
export class HTTPFetch {
  constructor(
    private readonly settings: HTTPFetchSettings,
    private readonly postings: Postings,
    private readonly listener: HTTPFetchListener,
  ) {}

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    switch (init.method ?? "GET") {
      case "POST":
        return this.#post(url, init)
      case "DELETE":
        return this.#send(url, init, "DELETE", "close")
      default:
        return this.settings.wire === "sse" ? this.#listen(url, init) : this.#stream(url, init)
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
    switch (mediaType(response)) {
      case EVENT_STREAM:
        return heardStream(response, request, this.postings.listener(posting))
      case "application/json":
        return heardDocument(response, this.postings.documentListener(posting))
      case "":
        // Some servers accept a request and answer in the stream that belongs to no request.
        return response
      default:
        throw requestError(place, "PROTOCOL_ERROR", `the server answered with ${mediaType(response)}, neither JSON nor an event stream`, { kind: "http", status: response.status, outcome: "unknown" })
    }
  }

  /** Opens the stream of a session that belongs to no request, or takes up the stream of a request. */
  async #stream(url: string | URL, init: RequestInit): Promise<Response> {
    const eventId = new Headers(init.headers).get("last-event-id")
    if (eventId === null || eventId === this.postings.ownEventId) {
      const response = await this.#send(url, init, "GET", "stream")
      if (response.ok && mediaType(response) === EVENT_STREAM) return heardStream(response, undefined, this.postings.listener())
      response.body?.cancel().catch(() => undefined)
      // For a page in place of a stream the SDK would ask again every second.
      return new Response(null, { status: NO_STREAM })
    }
    const posting = this.postings.resumedFrom(eventId)
    const request = posting?.request
    if (request === undefined) return new Response(SETTLED, { headers: { "content-type": EVENT_STREAM } })
    try {
      const response = await this.#send(url, { ...init, signal: request.abort.signal }, "GET", "stream", posting)
      request.failedResumes = 0
      return heardStream(response, request, this.postings.listener(posting))
    } catch (error) {
      if (++request.failedResumes >= RESUMES) {
        const reason = "the stream of the answer broke off and could not be taken up again"
        this.postings.end(posting, new EndOfCall("TRANSPORT_ERROR", reason, { kind: "stream", outcome: "unknown" }, error))
      }
      throw error
    }
  }

  /** Opens the one stream of the older transport. Everything that ends it ends the connection. */
  async #listen(url: string | URL, init: RequestInit): Promise<Response> {
    try {
      const place = this.#place("GET")
      const response = await this.#send(url, init, "GET", "stream")
      if (mediaType(response) !== EVENT_STREAM) {
        throw requestError(place, "PROTOCOL_ERROR", "the server answered GET with something other than an event stream", { kind: "http", status: response.status, outcome: "not_started" })
      }
      return heardStream(response, undefined, {
        ...this.postings.listener(),
        shows: ({ type, data = "" }) => type === "endpoint" && this.#mayPostTo(data),
        ended: (error) => this.listener.lost(error ?? this.#ended()),
      })
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
    const headers = await this.settings.headers(context)
    init.signal?.throwIfAborted()
    return guardedFetch(url, init, { fetch: this.settings.fetch, home: this.settings.url, headers, place })
  }

  #place(method: string): RequestPlace {
    return { server: this.settings.server, method, mask: this.settings.mask }
  }
}

function hasSession(init: RequestInit): boolean {
  return new Headers(init.headers).has("mcp-session-id")
}

function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
}
