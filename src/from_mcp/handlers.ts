/**
 * What a host may do for a server that asks its client: the shapes of requests and answers.
 *
 * Shapes and nothing else; `answer_server.ts` holds what a server sends against them. They are those of the specification of
 * 2025-11-25 as far as they are looked at here, further members are passed on.
 */
import type { Identity } from "../operation.js"

/** Who asks, and how long the answer is wanted. */
export interface ServerRequest {
  /** The name that the client was given for the server. */
  readonly server: string
  /** For whom the session was opened, where the config has `sessionFor`. */
  readonly identity?: Identity | undefined
  /** Aborts when the server takes the request back or the connection is closed; nobody waits for the answer then. */
  readonly signal: AbortSignal
}

/** A folder or file that the server may work in. */
export interface Root {
  /** A `file://` url. */
  readonly uri: string
  readonly name?: string | undefined
}

/** A question with a form. `requestedSchema` is a flat JSON Schema of the answer, as the server sent it: it is not to be trusted. */
export interface FormElicitation {
  readonly message: string
  readonly requestedSchema: Readonly<Record<string, unknown>>
}

/** A page that a person is asked to visit, such as one for a payment; shown with its host, opened only with consent. */
export interface URLElicitation {
  readonly message: string
  readonly url: string
  readonly elicitationId: string
}

/** What the person did. Members that `content` leaves out and whose schema states a default get it. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> | undefined }
  | { readonly action: "decline" | "cancel" }

/** What the server wants of the host's model: `messages`, `maxTokens`, `systemPrompt` and so on, as sent. */
export type SamplingRequest = Readonly<Record<string, unknown>> & { readonly messages: readonly unknown[] }

/** What the model said. */
export interface SamplingAnswer {
  readonly role: "assistant" | "user"
  /** One content block, or several. */
  readonly content: unknown
  readonly model: string
  readonly stopReason?: string | undefined
}

/**
 * Answers to a server's requests. The client announces exactly what has a handler here; everything else is refused at once.
 * A handler that throws has the server told that there is no answer, and nothing of why; a CallError ACCESS_DENIED tells it that
 * the person refused.
 */
export interface ClientHandlers {
  /** The folders that the server may work in, or what gives them each time that it asks. */
  readonly roots?: readonly Root[] | ((request: ServerRequest) => readonly Root[] | Promise<readonly Root[]>) | undefined
  readonly elicitation?:
    | {
        readonly form?: ((question: FormElicitation, request: ServerRequest) => ElicitationAnswer | Promise<ElicitationAnswer>) | undefined
        readonly url?: ((question: URLElicitation, request: ServerRequest) => ElicitationAnswer | Promise<ElicitationAnswer>) | undefined
      }
    | undefined
  readonly sampling?: ((wanted: SamplingRequest, request: ServerRequest) => SamplingAnswer | Promise<SamplingAnswer>) | undefined
}

/** How much a server is to log, from everything to almost nothing. */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/** Something that a server logged. `level`, `logger` and `data` are as it sent them. */
export interface LogEntry {
  readonly server: string
  readonly level: string
  readonly logger?: string | undefined
  readonly data: unknown
}
