/**
 * The messages under way of one HTTP connection, and where what comes back for them goes.
 *
 * In: messages that are sent, and texts that are heard. Out: parsed messages; an end for each request whose answer is too large,
 * broken off or unreadable.
 * A request of the server is answered for whom the stream was opened that it came in, so its context is kept until then.
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import { clip } from "../clip.js"
import { EndOfCall, endingAnswer, malformed } from "../end_of_call.js"
import type { RequestPlace } from "../errors.js"
import { parseMessage } from "../parse_message.js"
import type { PortContext } from "../port.js"
import type { DocumentListener, StreamListener } from "./answer_body.js"
import type { MessageHead } from "./message_head.js"
import { keyOfBody, keyOfMessage, PostedRequest, requestKey, type Posting } from "./posting.js"

/** Where messages go, and what is said about those that cannot. */
export interface PostingsOwner {
  readonly maxBytes: number
  /** A message as it was parsed, whatever it is. */
  emit(message: unknown): void
  report(text: string): void
}

const ASKED_KEPT = 1_000

/** All postings of one connection. */
export class Postings {
  readonly #under = new Map<string, Posting>()
  readonly #asked = new Map<string, PortContext>()

  constructor(private readonly owner: PostingsOwner) {}

  /** Takes in a message that is about to be sent. */
  add(message: JSONRPCMessage, context: PortContext, place: RequestPlace): Posting {
    const request = "method" in message && "id" in message ? new PostedRequest(message.id, message.method) : undefined
    const posting = { place, context, request }
    this.#under.set(keyOfMessage(message), posting)
    return posting
  }

  /** The posting that a body belongs to. */
  ofBody(body: unknown): Posting | undefined {
    return this.#under.get(keyOfBody(body))
  }

  /** For whom a request of the server is answered; it is forgotten then. */
  takeAsker(id: RequestId): PortContext | undefined {
    const key = JSON.stringify(id)
    const context = this.#asked.get(key)
    this.#asked.delete(key)
    return context
  }

  /** A message has left: only a request that waits for its answer stays. */
  sent(message: JSONRPCMessage, posting: Posting): void {
    if (posting.request === undefined) this.#under.delete(keyOfMessage(message))
  }

  /** Nobody waits for the answer any more; what is under way for it ends. */
  giveUp(id: RequestId): void {
    const request = this.#under.get(requestKey(id))?.request
    if (request === undefined) return
    this.#settle(request)
    request.abort.abort()
  }

  /** Ends all that is under way, without a word to anyone. */
  giveUpAll(): void {
    for (const { request } of this.#under.values()) {
      if (request === undefined) continue
      request.settle()
      request.abort.abort()
    }
    this.#under.clear()
  }

  /** Ends a request in place of the server. */
  end(posting: Posting | undefined, end: EndOfCall): void {
    const request = posting?.request
    if (request?.isOpen !== true) return
    this.#settle(request)
    this.owner.emit(endingAnswer(request.id, end))
  }

  /** Ends a request whose answer did not come to its end. */
  brokeOff(posting: Posting, reason: string, error: unknown): void {
    this.end(posting, new EndOfCall("TRANSPORT_ERROR", reason, { kind: "stream", outcome: "unknown" }, error))
  }

  /** Hears the document that answers a request. */
  documentListener(posting: Posting): DocumentListener {
    return {
      maxBytes: this.owner.maxBytes,
      document: (text) => this.#document(posting, text),
      broken: (error) => this.brokeOff(posting, "the answer broke off", error),
    }
  }

  /** Hears a stream: that of a posting, or the one that belongs to none. */
  listener(posting?: Posting): StreamListener {
    const request = posting?.request
    return {
      maxBytes: this.owner.maxBytes,
      event: () => undefined,
      message: (text) => this.#heard(text, posting),
      overflow: (head) => {
        // In the stream of a request, what is this large and names no method is its answer; the rest need not come.
        if (request === undefined || head.isCall) return
        this.end(posting, this.#overLimit())
        request.abort.abort()
      },
      tooLarge: (head) => this.#tooLarge(head),
    }
  }

  #document(posting: Posting, text: string | undefined): void {
    if (text === undefined) {
      this.end(posting, this.#overLimit())
      return
    }
    let parsed: unknown
    try {
      parsed = parseMessage(text)
    } catch (cause) {
      this.end(posting, new EndOfCall("PROTOCOL_ERROR", "the answer is not JSON", { sent: clip(text, 200), outcome: "unknown" }, cause))
      return
    }
    this.#deliver(parsed, posting)
    this.end(posting, malformed("the document that answers the request holds no answer to it"))
  }

  #heard(text: string, posting: Posting | undefined): void {
    let parsed: unknown
    try {
      parsed = parseMessage(text)
    } catch {
      this.owner.report(`An event that is not JSON was dropped: ${clip(text, 200)}`)
      return
    }
    this.#deliver(parsed, posting)
  }

  #deliver(message: unknown, posting: Posting | undefined): void {
    if (Array.isArray(message)) {
      for (const one of message) this.#deliver(one, posting)
      return
    }
    if (typeof message === "object" && message !== null) {
      const { id, method } = message as { id?: unknown; method?: unknown } // Members of any object, both checked below.
      if (typeof id === "number" || typeof id === "string") {
        if (method === undefined) this.#answered(id)
        else this.#askedBy(id, posting)
      }
    }
    this.owner.emit(message)
  }

  #answered(id: RequestId): void {
    const request = this.#under.get(requestKey(id))?.request
    if (request !== undefined) this.#settle(request)
  }

  #askedBy(id: RequestId, posting: Posting | undefined): void {
    if (posting === undefined) return
    this.#asked.set(JSON.stringify(id), posting.context)
    if (this.#asked.size <= ASKED_KEPT) return
    for (const oldest of this.#asked.keys()) {
      this.#asked.delete(oldest)
      break
    }
  }

  #tooLarge(head: MessageHead): void {
    const posting = head.isCall || head.id === undefined ? undefined : this.#under.get(requestKey(head.id))
    if (posting === undefined) this.owner.report(`A message of more than ${this.owner.maxBytes} bytes was dropped`)
    else this.end(posting, this.#overLimit())
  }

  #overLimit(): EndOfCall {
    const limit = this.owner.maxBytes
    return new EndOfCall("RESOURCE_EXHAUSTED", `the answer has more than ${limit} bytes, the limit of maxResultBytes`, { limit, outcome: "unknown" })
  }

  #settle(request: PostedRequest): void {
    request.settle()
    this.#under.delete(requestKey(request.id))
  }
}
