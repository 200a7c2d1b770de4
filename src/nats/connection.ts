/**
 * What this room needs of a connection: the part of the client library's `NatsConnection` that is used here.
 *
 * Stated as an interface of our own, so that the types of this door need no package that may not be installed.
 */

/** Headers of a message. */
export interface NATSHeaders {
  get(key: string): string
  set(key: string, value: string): void
  has(key: string): boolean
  /** The status of a message that the server itself sent: 503 where nobody serves a subject. */
  readonly code: number
}

/** A message that came in. */
export interface NATSMessage {
  readonly subject: string
  readonly data: Uint8Array
  readonly reply?: string | undefined
  readonly headers?: NATSHeaders | undefined
}

/** A subscription; `unsubscribe` ends it at once. */
export interface NATSSubscription {
  unsubscribe(max?: number): void
  drain(): Promise<void>
}

/** A connection of `@nats-io/transport-node`, as `connectNATS` gives it. */
export interface NATSConnection {
  readonly info?: { readonly max_payload: number } | undefined
  publish(subject: string, payload?: Uint8Array | string, options?: { reply?: string; headers?: never }): void
  subscribe(subject: string, options?: { queue?: string; callback?: (error: Error | null, message: NATSMessage) => void }): NATSSubscription
  flush(): Promise<void>
  status(): AsyncIterable<{ readonly type: string }>
  closed(): Promise<unknown>
  isClosed(): boolean
  close(): Promise<void>
  reconnect(): Promise<void>
  getServer(): string
}
