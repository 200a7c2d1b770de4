/**
 * Waits until the server has all that was sent, or says in our words why it will not.
 */
import { CallError } from "../error.js"
import type { NATSConnection } from "./connection.js"

/** Resolves when the server has what was sent before. @throws CallError TRANSPORT_ERROR where the connection is lost meanwhile */
export async function flushed(connection: NATSConnection): Promise<void> {
  try {
    await connection.flush()
  } catch (cause) {
    throw new CallError("TRANSPORT_ERROR", "The connection to the NATS server was lost", { details: { kind: "disconnected", outcome: "not_started" }, cause })
  }
}
