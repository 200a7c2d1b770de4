/**
 * The worker's side of the call protocol: requests become calls of a registry, their outcome becomes events.
 *
 * In: a registry and a transport. Out: a served transport.
 * The identity comes from the transport, never from the event. An envelope with `meta.isError` is an answer. What a call
 * has no result for is one `call.error`; what cannot be sent any more is dropped, for its caller has gone.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError, toCallError } from "../error.js"
import { ON_ABORT, onAbort, type AbortHook, type Identity, type OperationContext, type Progress } from "../operation.js"
import { jsonDifference, type OperationRegistry } from "../registry.js"
import type { CallRequested } from "./events.js"
import type { CallPeer, CallReply, CallTransport, ServedCalls } from "./transport.js"

/** What a call handler serves, and how. */
export interface CallHandlerOptions {
  readonly registry: OperationRegistry
  readonly transport: CallTransport
  /** `"check"` (default) answers EXECUTION_ERROR where JSON would change a result; `"off"` hands it on as it is. */
  readonly json?: "check" | "off" | undefined
}

/** Serves the operations of a registry over a transport. Drain or close what it gives when it is to end. */
export function buildCallHandler({ registry, transport, json = "check" }: CallHandlerOptions): ServedCalls {
  const check = json === "check"
  return transport.serve((request, peer, reply) => {
    const context = new RequestContext(request, peer, reply)
    if (registry.getSpec(request.operationId)?.type === "subscription") void stream(registry, request, context, reply, check)
    else void answer(registry, request, context, reply, check)
  })
}

async function answer(registry: OperationRegistry, request: CallRequested, context: RequestContext, reply: CallReply, check: boolean): Promise<void> {
  const { requestId } = request
  try {
    const output = await registry.execute(request.operationId, request.input, context)
    if (check) refuseWhatJSONChanges(request.operationId, output)
    await reply.send({ type: "call.responded", requestId, output })
  } catch (thrown) {
    await sendError(reply, requestId, thrown)
  }
}

async function stream(registry: OperationRegistry, request: CallRequested, context: RequestContext, reply: CallReply, check: boolean): Promise<void> {
  const { requestId } = request
  const items = registry.subscribe(request.operationId, request.input, context)
  try {
    for (let seq = 0; ; seq++) {
      // Room first, item then: a slow consumer holds the producer back.
      await reply.credit()
      const step = await items.next()
      if (step.done === true) break
      if (check) refuseWhatJSONChanges(request.operationId, step.value)
      await reply.send({ type: "call.responded", requestId, output: step.value, seq })
    }
    await reply.send({ type: "call.completed", requestId })
  } catch (thrown) {
    await sendError(reply, requestId, thrown)
  } finally {
    await items.return?.()
  }
}

async function sendError(reply: CallReply, requestId: string, thrown: unknown): Promise<void> {
  const { code, message, details } = toCallError(thrown)
  try {
    await reply.send({ type: "call.error", requestId, code, message, ...(Object.keys(details).length === 0 ? {} : { details: toJSONDetails(details) }) })
  } catch {
    // The caller has gone; there is nobody left to tell.
  }
}

function refuseWhatJSONChanges(operationId: string, { data, meta }: ResponseEnvelope): void {
  // What an MCP server sent came out of JSON.
  if (meta.source === "mcp") return
  const difference = jsonDifference(data)
  if (difference === undefined) return
  const where = difference.pointer === "" ? "the whole" : difference.pointer
  throw new CallError("EXECUTION_ERROR", `JSON would change the result of "${operationId}" at ${where}: ${difference.reason}`, {
    details: { operationId, pointer: difference.pointer, reason: difference.reason, outcome: "unknown" },
  })
}

function toJSONDetails(details: Record<string, unknown>): Record<string, unknown> {
  if (jsonDifference(details) === undefined) return details
  return Object.fromEntries(Object.entries(details).filter(([, value]) => jsonDifference(value) === undefined))
}

/** The context of a served call: the request's words, the transport's identity, progress and abort by the reply. */
class RequestContext implements OperationContext, AbortHook {
  readonly #request: CallRequested
  readonly #reply: CallReply
  readonly identity: Identity | undefined

  constructor(request: CallRequested, peer: CallPeer, reply: CallReply) {
    this.#request = request
    this.#reply = reply
    this.identity = peer.identity
  }

  get requestId(): string {
    return this.#request.requestId
  }

  get parentRequestId(): string | undefined {
    return this.#request.parentRequestId
  }

  get deadline(): number | undefined {
    return this.#request.deadline
  }

  get idleTimeoutMs(): number | undefined {
    return this.#request.idleTimeoutMs
  }

  get traceparent(): string | undefined {
    return this.#request.traceparent
  }

  get metadata(): OperationContext["metadata"] {
    return this.#request.metadata
  }

  get signal(): AbortSignal {
    return this.#reply.signal
  }

  get onProgress(): (progress: Progress) => void {
    return ({ progress, total, message }) => {
      this.#reply
        .send({
          type: "call.progress",
          requestId: this.#request.requestId,
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        })
        .catch(() => undefined)
    }
  }

  [ON_ABORT](listener: (reason: unknown) => void): () => void {
    return onAbort(this.#reply, listener)
  }
}
