/**
 * One way to call, whatever holds the operations.
 *
 * In: a registry or a map of pending requests, an environment, or a connected client. Out: a function of id, input and context. What
 * generated modules stand on.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import { parseOperationId, type OperationContext, type OperationEnv, type OperationHandler } from "../operation.js"

/** Something with operations in it: `OperationRegistry`, `PendingRequestMap`, `CallRouter`, `context.env`, or an `MCPClientWrapper`. */
export type OperationSource =
  | { execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> }
  | { getTool(nameOrId: string): { readonly handler: OperationHandler } | undefined }
  | OperationEnv

/** Calls an operation by its id. What `T` is, the caller knows: nothing is checked beyond what the operation itself checks. */
export type OperationCaller = <T>(operationId: string, input?: unknown, context?: OperationContext) => Promise<ResponseEnvelope<T>>

/**
 * The caller of a source.
 *
 * A call of it rejects with OPERATION_NOT_FOUND where the source does not hold the operation, and as the source does otherwise.
 */
export function callerOf(source: OperationSource): OperationCaller {
  const call = plainCallerOf(source)
  // The operation's own schemas say what its data is; a generated module knows them.
  return call as OperationCaller
}

type PlainCaller = (operationId: string, input?: unknown, context?: OperationContext) => Promise<ResponseEnvelope>

function plainCallerOf(source: OperationSource): PlainCaller {
  // An environment may hold a namespace of any name; only in the other two are these functions.
  if (isRegistry(source)) return (operationId, input, context) => source.execute(operationId, input, context)
  if (isClient(source)) {
    return async (operationId, input, context) => {
      const tool = source.getTool(operationId)
      if (tool === undefined) throw notFound(operationId)
      return tool.handler(input, context)
    }
  }
  return async (operationId, input, context) => {
    const id = parseOperationId(operationId)
    const operation = id === undefined ? undefined : source[id.namespace]?.[id.name]
    if (operation === undefined) throw notFound(operationId)
    return operation(input, context)
  }
}

function isRegistry(source: OperationSource): source is Extract<OperationSource, { execute: unknown }> {
  return "execute" in source && typeof source.execute === "function"
}

function isClient(source: OperationSource): source is Extract<OperationSource, { getTool: unknown }> {
  return "getTool" in source && typeof source.getTool === "function"
}

function notFound(operationId: string): CallError {
  return new CallError("OPERATION_NOT_FOUND", `There is no operation "${operationId}" in this source`, { details: { operationId, outcome: "not_started" } })
}
