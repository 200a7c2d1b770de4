/**
 * Answers callers who ask what a worker serves: the wire forms of the operations that this caller may run, page by page.
 *
 * In: requests whose subject names the caller. Out: pages into that caller's own inbox and nowhere else.
 * A request that cannot be read gets an error or nothing, and never stops the worker from hearing the next one. Who the caller is comes
 * from the subject; what it may see is asked of the registry for every first page.
 */
import { Buffer } from "node:buffer"
import { CallError, toCallError } from "../error.js"
import type { Identity } from "../operation.js"
import { CataloguePages } from "./catalogue_pages.js"
import { toWireCode } from "./codes.js"
import type { NATSConnection, NATSMessage } from "./connection.js"
import type { Exposed } from "./exposed.js"
import { Misread, readMessage } from "./frames.js"
import { isOwnInbox, isToken, QUEUE, type Subjects } from "./subjects.js"

/** What a catalogue server is made with. */
export interface CatalogueServerOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly name: string
  readonly exposed: Exposed
  readonly identify: (caller: string, token?: string) => Identity | undefined | Promise<Identity | undefined>
}

/** A request holds a cursor and a token; a longer one is none. */
const MAX_REQUEST_BYTES = 16 * 1024
/** So many requests of one caller may wait at once: pages are asked for one after the other. */
const MAX_WAITING = 4
/** The server's usual limit, where the connection does not say it. */
const USUAL_PAYLOAD = 1024 * 1024

/** Serves the catalogue of a worker until it is stopped. */
export function serveCatalogue({ connection, subjects, name, exposed, identify }: CatalogueServerOptions): { stop(): void } {
  const pages = new CataloguePages(exposed, name)
  const waiting = new Map<string, number>()

  const answer = (caller: string, text: string, reply: string) => {
    if (!isOwnInbox(caller, reply) || Buffer.byteLength(text) > maxPayload(connection)) return
    connection.publish(reply, text)
  }
  const work = async (caller: string, data: Uint8Array): Promise<string> => {
    const { cursor, token } = readRequest(data)
    const identity = await identified(identify, caller, token)
    if (identity === undefined) {
      throw new CallError("ACCESS_DENIED", `"${name}" does not know the caller "${caller}"`, { details: { missing: { identity: true }, outcome: "not_started" } })
    }
    return pages.page(identity, cursor, maxPayload(connection))
  }
  const take = async ({ subject, reply, data }: NATSMessage): Promise<void> => {
    const caller = subjects.lastToken(subject)
    if (!isToken(caller) || !isOwnInbox(caller, reply)) return
    const before = waiting.get(caller) ?? 0
    if (before >= MAX_WAITING) {
      const error = new CallError("RESOURCE_EXHAUSTED", `"${caller}" has asked for ${String(MAX_WAITING)} pages at once already`, { details: { limit: MAX_WAITING, value: before, outcome: "not_started" } })
      answer(caller, errorText(error), reply)
      return
    }
    waiting.set(caller, before + 1)
    try {
      answer(caller, await work(caller, data), reply)
    } catch (thrown) {
      answer(caller, errorText(toCallError(thrown)), reply)
    } finally {
      const left = (waiting.get(caller) ?? 1) - 1
      if (left === 0) waiting.delete(caller)
      else waiting.set(caller, left)
    }
  }
  const subscription = connection.subscribe(subjects.catalogues(name), {
    queue: QUEUE,
    callback: (error, message) => {
      // A throw here would make the connection deaf; a connection that closes meanwhile makes publish throw.
      if (error === null) take(message).catch(() => undefined)
    },
  })
  return { stop: () => subscription.unsubscribe() }
}

function readRequest(data: Uint8Array): { cursor?: string | undefined; token?: string | undefined } {
  const message = data.length > MAX_REQUEST_BYTES ? new Misread("it is too long") : readMessage(data)
  if (message instanceof Misread) throw new CallError("PROTOCOL_ERROR", `The request for a page cannot be read: ${message.why}`, { details: { outcome: "not_started" } })
  const { cursor, token } = message
  if ((cursor !== undefined && typeof cursor !== "string") || (token !== undefined && typeof token !== "string")) {
    throw new CallError("PROTOCOL_ERROR", "The request for a page cannot be read: cursor and token must be texts", { details: { outcome: "not_started" } })
  }
  return { cursor, token }
}

async function identified(identify: CatalogueServerOptions["identify"], caller: string, token: string | undefined): Promise<Identity | undefined> {
  try {
    return await identify(caller, token)
  } catch {
    // What the host's function threw is not the caller's to know.
    return undefined
  }
}

function errorText({ code, message }: CallError): string {
  return JSON.stringify({ v: 1, error: { ...toWireCode(code), message } })
}

function maxPayload(connection: NATSConnection): number {
  return connection.info?.max_payload ?? USUAL_PAYLOAD
}
