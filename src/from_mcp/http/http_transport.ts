/**
 * The SDK's HTTP transports, told for whom each message is sent, and heard before the SDK parses an answer.
 *
 * In: messages with their context. Out: messages as the server sent them, and a CallError for each that cannot be sent.
 * Everything is done in the `fetch` that the SDK is given: headers, origin, statuses, sizes, the end of a request that was given
 * up, the streams. Session ids and the revision of the protocol stay the SDK's.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { CallError } from "../../error.js"
import type { RequestNetwork } from "../../operation.js"
import type { ContextualSendOptions, ContextualTransport } from "../connection.js"
import { toPortError, type RequestPlace } from "../errors.js"
import type { PortContext } from "../port.js"
import { HTTPFetch, type HTTPFetchSettings } from "./http_fetch.js"
import { withIdFirst } from "./posting.js"
import { Postings } from "./postings.js"

/** How long the server may take to hear that its session is over. */
const TERMINATE_MS = 2_000

type Inner = Transport & { terminateSession?(): Promise<void> }

/** One MCP session over HTTP. */
export class HTTPTransport implements ContextualTransport {
  onmessage: Transport["onmessage"]
  onclose: Transport["onclose"]
  onerror: Transport["onerror"]
  /** Hears that the session seems to be gone, though no call has met that. */
  onstale: ((reason: CallError) => void) | undefined
  lossReason: CallError | undefined
  /** The status that the first POST was refused with. */
  refusedWith: number | undefined
  #inner: Inner | undefined
  #failStart: (error: unknown) => void = () => undefined
  #started = false
  #closing: Promise<void> | undefined
  /** Errors that a caller or the host has heard of already. */
  readonly #told = new WeakSet()
  readonly #postings: Postings
  readonly #requests: HTTPFetch

  readonly network: RequestNetwork

  constructor(private readonly settings: HTTPFetchSettings) {
    const { hostname, port, protocol } = settings.url
    this.network = { transport: "tcp", protocol: "http", address: hostname, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) }
    this.#postings = new Postings({
      maxBytes: settings.maxBytes,
      emit: (message) => this.#emit(message),
      report: (text) => this.#report(new Error(text)),
    })
    this.#requests = new HTTPFetch(settings, this.#postings, {
      refused: (status) => (this.refusedWith = status),
      told: (error) => this.#tell(error),
      unheard: (error) => this.#report(error instanceof Error ? error : new Error(String(error))),
      lost: (error) => this.#lost(error),
      stale: (error) => {
        if (this.#closing === undefined) this.onstale?.(error)
      },
    })
  }

  async start(): Promise<void> {
    const inner = await this.#load()
    this.#inner = inner
    inner.onclose = () => this.onclose?.()
    inner.onerror = (error) => this.#report(error)
    // The older transport waits for an event for as long as it takes, and hides why its stream could not be opened.
    const failed = new Promise<never>((_resolve, reject) => (this.#failStart = reject))
    failed.catch(() => undefined)
    try {
      await Promise.race([inner.start(), failed])
      this.#started = true
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async send(message: JSONRPCMessage, options?: ContextualSendOptions): Promise<void> {
    if (this.#inner === undefined) throw new Error("Not connected")
    const { context, ...sdkOptions } = options ?? {}
    const posting = this.#postings.add(message, this.#contextOf(message, context), this.#place(message))
    try {
      await this.#inner.send(withIdFirst(message), sdkOptions)
    } catch (error) {
      if (posting.request !== undefined) this.#postings.giveUp(posting.request.id)
      throw error
    } finally {
      this.#postings.sent(message, posting)
    }
  }

  abandon(id: RequestId): void {
    this.#postings.giveUp(id)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  get sessionId(): string | undefined {
    return this.#inner?.sessionId
  }

  setProtocolVersion(version: string): void {
    this.#inner?.setProtocolVersion?.(version)
  }

  async #load(): Promise<Inner> {
    const options = { fetch: this.#requests.fetch }
    if (this.settings.wire === "http") {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
      return new StreamableHTTPClientTransport(this.settings.url, options)
    }
    // Deprecated as the transport itself is: servers that speak nothing newer are why it is here.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js")
    return new SSEClientTransport(this.settings.url, options)
  }

  async #close(): Promise<void> {
    const inner = this.#inner
    this.#postings.giveUpAll()
    this.#requests.close()
    if (inner?.sessionId !== undefined && inner.terminateSession !== undefined) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, TERMINATE_MS)))
      await Promise.race([inner.terminateSession().catch(() => undefined), late])
      clearTimeout(timer)
    }
    await inner?.close()
  }

  /** A listener that throws must not be taken for a stream that breaks. */
  #emit(message: unknown): void {
    try {
      // The port holds each message against the protocol; here it is passed on as it is.
      this.onmessage?.(message as JSONRPCMessage)
    } catch (error) {
      this.#report(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #contextOf(message: JSONRPCMessage, given: PortContext | undefined): PortContext {
    const { opener } = this.settings
    if (!("method" in message)) {
      const asker = message.id === undefined ? undefined : this.#postings.takeAsker(message.id)
      return asker ?? { ...opener, purpose: "stream" }
    }
    return given ?? { ...opener, purpose: "connect" }
  }

  #place(message: JSONRPCMessage): RequestPlace {
    const { server, mask } = this.settings
    if (!("method" in message)) return { server, mask, method: "answer" }
    const tool: unknown = message.method === "tools/call" ? message.params?.["name"] : undefined
    return { server, mask, method: message.method, ...(typeof tool === "string" && { tool }) }
  }

  #lost(error: unknown): void {
    if (this.#closing !== undefined) return
    const { server, mask } = this.settings
    this.lossReason = toPortError(error, { server, mask, method: "event stream" }, this.#started ? "unknown" : "not_started")
    this.#failStart(this.lossReason)
    this.close().catch(() => undefined)
  }

  #tell(error: unknown): void {
    if (typeof error === "object" && error !== null) this.#told.add(error)
  }

  #report(error: Error): void {
    if (this.#closing !== undefined || this.#told.has(error)) return
    this.#tell(error)
    this.onerror?.(error)
  }
}
