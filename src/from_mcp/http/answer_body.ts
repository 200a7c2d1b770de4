/**
 * Bodies of answers, read here and not by the SDK.
 *
 * In: a response with an event stream or a document. Out: the messages as text, to a listener.
 * The SDK holds messages against its own schema while it reads a body, and drops what does not fit without ending the call; it
 * also decodes and splits each stream again, which costs more than the rest of a call.
 */
import type { MessageHead } from "./message_head.js"
import { EventStream, type StreamEvent } from "./event_stream.js"

/** Hears what a stream holds. */
export interface StreamListener {
  /** The largest message that is taken. */
  readonly maxBytes: number
  /** An event, before what it holds is told. */
  event(event: StreamEvent): void
  message(text: string): void
  /** A message turns out to be larger while it still comes; what stands in front is in its head. */
  overflow(head: MessageHead): void
  /** Such a message has come to its end. */
  tooLarge(head: MessageHead): void
}

/** Hears what a document holds. */
export interface DocumentListener {
  readonly maxBytes: number
  /** Its text; undefined where it was larger. */
  document(text: string | undefined): void
  broken(error: unknown): void
}

/** Reads an event stream to its end. Gives why it broke, undefined where it did not. */
export async function hearStream(response: Response, listener: StreamListener): Promise<unknown> {
  const reader = readerOf(response)
  const events = eventsFor(listener)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return undefined
      events.feed(value)
    }
  } catch (error) {
    return error
  }
}

/** Reads a document to its end. */
export async function hearDocument(response: Response, listener: DocumentListener): Promise<void> {
  let text: string | undefined
  try {
    text = await boundedText(response, listener.maxBytes)
  } catch (error) {
    listener.broken(error)
    return
  }
  listener.document(text)
}

/**
 * A response for the SDK whose body is empty and read by `hear`, not before the SDK begins to: until then the SDK has not taken the
 * session id of the response, and what it sends next would go without.
 */
export function heardWhenRead(response: Response, hear: () => Promise<void>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await hear()
        // A batch of nothing, where a document is wanted; in a stream, a line that means nothing.
        controller.enqueue(new TextEncoder().encode("[]"))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** The older transport's stream: its messages are heard, and the SDK sees the events that `shows` says. */
export function relayedStream(response: Response, listener: StreamListener, shows: (event: StreamEvent) => boolean, ended: (error: unknown) => void): Response {
  const encoder = new TextEncoder()
  let out = ""
  const reader = readerOf(response)
  const events = eventsFor({
    ...listener,
    event: (event) => {
      if (shows(event)) out += `event: ${event.type}\n${(event.data ?? "").split("\n").map((line) => `data: ${line}\n`).join("")}\n`
    },
  })
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (out === "") {
            const { done, value } = await reader.read()
            if (done) {
              ended(undefined)
              controller.close()
              return
            }
            events.feed(value)
          }
        } catch (error) {
          ended(error)
          controller.close()
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

function eventsFor(listener: StreamListener): EventStream {
  const heard = (event: StreamEvent) => {
    listener.event(event)
    if (event.type !== "message") return
    if (event.head !== undefined) listener.tooLarge(event.head)
    else if (event.data !== undefined && event.data !== "") listener.message(event.data)
  }
  return new EventStream(listener.maxBytes, heard, (head) => listener.overflow(head))
}

/** The text of a body, or undefined where it is larger; the rest is let go then. */
async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const reader = readerOf(response)
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

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  // The body of a response is bytes; its type leaves that open.
  const body = (response.body ?? new ReadableStream({ start: (controller) => controller.close() })) as ReadableStream<Uint8Array>
  return body.getReader()
}
