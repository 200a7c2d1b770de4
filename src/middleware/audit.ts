/**
 * Writes down who called what, and how it ended. Never what was given or what came back.
 */
import { isCallError } from "../error.js"
import type { Middleware } from "../registry.js"

/** One line of the audit. */
export interface AuditRecord {
  /** When the call began, epoch milliseconds. */
  readonly at: number
  readonly operationId: string
  readonly version: string
  readonly identityId: string | undefined
  readonly requestId: string | undefined
  readonly parentRequestId: string | undefined
  /** The number of the item where it belongs to a subscription. */
  readonly seq: number | undefined
  readonly durationMs: number
  /** `"ok"`, `"isError"` for an answer that says so, else the code of the error. */
  readonly result: string
}

/**
 * A middleware that gives a record of each call to the sink after it ended. The call waits for a sink that gives a promise; a sink
 * that fails fails the call, so that nothing runs on unrecorded.
 */
export function audit(sink: (record: AuditRecord) => void | Promise<void>): Middleware {
  return async (call, next) => {
    const at = Date.now()
    const write = (result: string) =>
      sink({
        at,
        operationId: call.id,
        version: call.spec.version,
        identityId: call.context.identity?.id,
        requestId: call.context.requestId,
        parentRequestId: call.context.parentRequestId,
        seq: call.seq,
        durationMs: Date.now() - at,
        result,
      })
    let envelope
    try {
      envelope = await next()
    } catch (thrown) {
      await write(isCallError(thrown) ? thrown.code : "EXECUTION_ERROR")
      throw thrown
    }
    if (!call.ended) await write(envelope.meta.source === "mcp" && envelope.meta.isError ? "isError" : "ok")
    return envelope
  }
}
