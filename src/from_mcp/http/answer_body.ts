/**
 * Bodies of answers, read here before the SDK sees them.
 *
 * In: a response with an event stream or a document. Out: the messages as text, to a listener; and for the SDK a stream in
 * which small events stand in for the messages, so that it goes on keeping track of what it may take up again.
 * The SDK holds messages against its own schema while it reads a body, and drops what does not fit without ending the call.
 */
import type { MessageHead } from "./message_head.js"
import { EventStream, type StreamEvent } from "./event_stream.js"
import type { PostedRequest } from "./posting.js"

/** Hears what a stream holds. */
export interface StreamListener {
  /** The largest message that is taken. */
  readonly maxBytes: number
  /** The id of an event, from which the stream may be taken up again. */
  eventId(id: string): void
  message(text: string): void
  /** A message turns out to be larger while it still comes; what stands in front is in its head. */
  overflow(head: MessageHead): void
  /** Such a message has come to its end. */
  tooLarge(head: MessageHead): void
  /** True for an event of another type that the SDK is to see. */
  shows?(event: StreamEvent): boolean
  /** The stream is over; `error` is why, where it broke. */
  ended(error: unknown): void
}

/** Hears what a document holds. */
export interface DocumentListener {
  readonly maxBytes: number
  /** Its text; undefined where it was larger. */
  document(text: string | undefined): void
  broken(error: unknown): void
}

/** Between these a server may choose how long the SDK waits before it takes a stream up again; 0 would be a storm of requests. */
const SHORTEST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000

/** The response for the SDK in place of an event stream. `request` is the one that the stream was opened for, if any. */
export function heardStream(response: Response, request: PostedRequest | undefined, listener: StreamListener): Response {
  // The body of a response is bytes; its type leaves that open.
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (reader === undefined) return response
  const encoder = new TextEncoder()
  let out = ""
  let stoodIn = false
  /** What tells the SDK that the request is answered, once it is: else it would take up the stream of a settled call. */
  const standIn = () => {
    if (stoodIn || request === undefined || request.isOpen) return undefined
    stoodIn = true
    return JSON.stringify({ jsonrpc: "2.0", id: request.id, result: {} })
  }
  const heard = (event: StreamEvent) => {
    if (event.id !== undefined) listener.eventId(event.id)
    if (event.type !== "message") {
      if (listener.shows?.(event) === true) out += written(event)
      return
    }
    if (event.head !== undefined) listener.tooLarge(event.head)
    else if (event.data !== undefined && event.data !== "") listener.message(event.data)
    const data = standIn()
    out += written(data === undefined ? { ...event, type: "heard", data: "" } : { ...event, data })
  }
  const events = new EventStream(listener.maxBytes, heard, (head) => listener.overflow(head))
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown) => {
    listener.ended(error)
    const data = standIn()
    if (data !== undefined) controller.enqueue(encoder.encode(written({ type: "message", data })))
    controller.close()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (out === "") {
            const { done, value } = await reader.read()
            if (done) {
              finish(controller, undefined)
              return
            }
            events.feed(value)
          }
        } catch (error) {
          finish(controller, error)
          return
        }
        controller.enqueue(encoder.encode(out))
        out = ""
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/**
 * The response for the SDK in place of a document. It is heard when the SDK reads it and not before: until then the SDK has not
 * taken the session id of the response, and what it sends next would go without.
 */
export function heardDocument(response: Response, listener: DocumentListener): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          listener.document(await boundedText(response, listener.maxBytes))
        } catch (error) {
          listener.broken(error)
        }
        // A batch of nothing: all of it has been heard.
        controller.enqueue(new TextEncoder().encode("[]"))
        controller.close()
      },
      cancel: (reason) => response.body?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** The text of a body, or undefined where it is larger; the rest is let go then. */
async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  // As above: bytes.
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (reader === undefined) return ""
  const chunks: Uint8Array[] = []
  let bytes = Number(response.headers.get("content-length") ?? 0) > maxBytes ? Infinity : 0
  while (bytes <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) return new TextDecoder().decode(Buffer.concat(chunks))
    chunks.push(value)
    bytes += value.length
  }
  reader.cancel().catch(() => undefined)
  return undefined
}

/** An event as text; nothing where it would say nothing. */
function written({ type, data = "", id, retryMs }: StreamEvent): string {
  const lines: string[] = []
  if (id !== undefined) lines.push(`id: ${id}`)
  if (retryMs !== undefined) lines.push(`retry: ${Math.min(Math.max(retryMs, SHORTEST_RETRY_MS), LONGEST_RETRY_MS)}`)
  if (lines.length === 0 && data === "") return ""
  return `${lines.join("\n")}${lines.length === 0 ? "" : "\n"}event: ${type}\n${data.split("\n").map((line) => `data: ${line}\n`).join("")}\n`
}
