/**
 * Shows a worker to the tools that list NATS services (`nats micro ls`, `info`, `stats`).
 *
 * In: what the worker counts. Out: answers to `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`, bare, with the service's name, or with name
 * and id. Follows ADR-32 of NATS. Knows nothing of operations: a catalogue of schemas would not fit into one message.
 * The public package for this is not used: its counters end where a handler first waits, and its callbacks may throw into the
 * connection's parser, which makes the connection deaf.
 */
import { randomBytes } from "node:crypto"
import type { NATSConnection, NATSHeaders, NATSMessage } from "./connection.js"
import { QUEUE, inboxPrefix, type Subjects } from "./subjects.js"

/** What a worker counts. */
export interface ServiceStats {
  /** Calls that came in. */
  readonly requests: number
  /** Those of them that ended with an error. */
  readonly errors: number
  /** The message of the last error. */
  readonly lastError?: string | undefined
  /** All calls' time from arrival to their last answer, in milliseconds. */
  readonly processingMs: number
}

/** What a service is made of. */
export interface ServicesOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  /** The worker's name. */
  readonly name: string
  /** The only user that is answered; without one every inbox is answered. */
  readonly monitor?: string | undefined
  /** The package's version. */
  readonly version: string
  /** What is said beside name and version; read anew for each answer. */
  readonly metadata: () => Readonly<Record<string, string>>
  /** Read anew for each answer. */
  readonly stats: () => ServiceStats
  /** Makes empty headers. With it, an answer that cannot be given is an error in the protocol's two headers; without it, silence. */
  readonly headers?: (() => NATSHeaders) | undefined
}

const MAX_ERROR = 256
const DEFAULT_MAX_PAYLOAD = 1_048_576
const encoder = new TextEncoder()

/** Answers until `stop()`. The service is named after the prefix; its id is new each time. */
export function serveServices(options: ServicesOptions): { stop(): void } {
  const { connection, subjects } = options
  const name = subjects.prefix
  const id = randomBytes(12).toString("hex")
  const answers = answersOf(options, name, id)
  const within = options.monitor === undefined ? "_INBOX." : `${inboxPrefix(options.monitor)}.`

  const onMessage = (error: Error | null, message: NATSMessage) => {
    // Whatever is thrown in here would end the connection's parser.
    try {
      const { reply } = message
      if (error !== null || reply === undefined || reply.length === within.length || !reply.startsWith(within)) return
      const answer = answers.get(message.subject.split(".")[1] ?? "")
      if (answer !== undefined) send(options, reply, answer)
    } catch {
      // Closed or forbidden meanwhile: who asked takes silence for "no such service".
    }
  }
  // One for all three verbs: a server with a thousand workers holds three subscriptions a worker instead of nine.
  const subscriptions = ["$SRV.*", `$SRV.*.${name}`, `$SRV.*.${name}.${id}`].map((subject) => connection.subscribe(subject, { callback: onMessage }))
  return {
    stop() {
      for (const subscription of subscriptions) {
        try {
          subscription.unsubscribe()
        } catch {
          // A closed connection has ended it already.
        }
      }
    },
  }
}

function answersOf(options: ServicesOptions, name: string, id: string): ReadonlyMap<string, () => object> {
  const { subjects, version } = options
  const started = new Date().toISOString()
  const endpoint = { name: "call", subject: subjects.calls("*"), queue_group: QUEUE }
  const head = (verb: string) => ({
    type: `io.nats.micro.v1.${verb}_response`,
    name,
    id,
    version,
    metadata: options.metadata(),
  })
  return new Map([
    ["PING", () => head("ping")],
    ["INFO", () => ({ ...head("info"), description: `mcp-operations worker ${options.name}`, endpoints: [endpoint] })],
    ["STATS", () => ({ ...head("stats"), started, endpoints: [{ ...endpoint, ...endpointStats(options.stats()) }] })],
  ])
}

function endpointStats({ requests, errors, lastError, processingMs }: ServiceStats): object {
  const nanos = Math.round(processingMs * 1_000_000)
  return {
    num_requests: requests,
    num_errors: errors,
    last_error: lastError?.slice(0, MAX_ERROR) ?? "",
    processing_time: nanos,
    average_processing_time: requests === 0 ? 0 : Math.round(nanos / requests),
  }
}

function send(options: ServicesOptions, reply: string, answer: () => object): void {
  const { connection } = options
  const limit = connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD
  const body = bytesOf(answer, limit)
  if (body !== undefined) return connection.publish(reply, body)
  const headers = options.headers?.()
  if (headers === undefined) return
  headers.set("Nats-Service-Error-Code", "500")
  headers.set("Nats-Service-Error", "the answer cannot be given")
  // The connection's own type of headers is not known here; it made these.
  connection.publish(reply, new Uint8Array(0), { headers: headers as never })
}

/** Undefined where what the worker counts cannot be read, or does not fit into one message. */
function bytesOf(answer: () => object, limit: number): Uint8Array | undefined {
  try {
    const body = encoder.encode(JSON.stringify(answer()))
    return body.length <= limit ? body : undefined
  } catch {
    return undefined
  }
}
