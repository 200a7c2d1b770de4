/**
 * What a remote registry is made with.
 */
import type { OperationRegistry } from "../registry.js"
import type { NATSConnection } from "./connection.js"
import type { RemoteReport } from "./remote_report.js"
import type { NATSTransportOptions } from "./transport.js"

/** What `createRemoteRegistry` is made with; everything but the connection and the caller has a default. */
export interface RemoteRegistryOptions extends Pick<NATSTransportOptions, "token" | "prefix" | "maxMessageBytes" | "maxOpenBytes" | "keepAliveMs" | "watchdogMs"> {
  readonly connection: NATSConnection
  /** The name that calls are made under, one token; workers make an identity of it. */
  readonly caller: string
  /** Where the operations are registered. Local ones of the same id win. Default: a registry of its own. */
  readonly registry?: OperationRegistry | undefined
  /**
   * Whose word counts that an operation is read-only or idempotent. A call of such an operation is made again when its worker was lost
   * on the way. Default `false`: nobody's, since the hints of MCP servers are unverified.
   */
  readonly trusted?: boolean | ((worker: string) => boolean) | undefined
  /** How often workers announce themselves, in milliseconds: one that has been silent three times as long has gone. Default 5,000. */
  readonly announceEveryMs?: number | undefined
  /** How long the first answers of workers are waited for, in milliseconds. Default 500. */
  readonly discoverMs?: number | undefined
  /** Called once for each thing about a worker that is not as it should be. */
  readonly onReport?: ((report: RemoteReport) => void) | undefined
  /** The longest duration of a call that names none, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Most calls that may wait at once. Default 10,000. */
  readonly maxPending?: number | undefined
  /** How many items of a subscription may be under way to its consumer. Default 32. */
  readonly window?: number | undefined
  /** Most workers that are mirrored. Default 1,024. */
  readonly maxWorkers?: number | undefined
  /** Limits of one worker's catalogue; one that passes any of them is not mirrored. Default 1,024 pages, 64 MiB, 100,000 operations. */
  readonly maxPages?: number | undefined
  readonly maxCatalogueBytes?: number | undefined
  readonly maxOperations?: number | undefined
}
