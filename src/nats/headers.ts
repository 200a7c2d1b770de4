/**
 * The client package, loaded when it is used.
 *
 * Out: its `connect` and its headers. Without the package, an error that says what to install.
 */
import { CallError } from "../error.js"
import type { NATSConnection, NATSHeaders } from "./connection.js"

/** The part of the client package that is used here. */
export interface NATSClient {
  readonly connect: (options: Record<string, unknown>) => Promise<NATSConnection>
  readonly headers: () => NATSHeaders
}

/** The header of a part of a message that is longer than the server takes: `index/count;bytes of the whole`. */
export const CHUNK_HEADER = "Op-Chunk"

/** A text as a header can carry it: one line, and not a long one. */
export function headerText(text: string): string {
  return text.slice(0, 512).replace(/[\x00-\x1f\x7f]+/g, " ")
}

/** Loads the client package. @throws CallError CONFIGURATION_ERROR where it is not installed */
export async function loadClient(): Promise<NATSClient> {
  try {
    return await import("@nats-io/transport-node")
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", "Calls over NATS need the package @nats-io/transport-node", {
      details: { package: "@nats-io/transport-node", remedy: "npm install @nats-io/transport-node@~3.3.1 (3.4 and later need Node 22)" },
      cause,
    })
  }
}
