/**
 * An environment of operations outside of a handler: for scripts, tests and hosts.
 *
 * In: a target and the context on whose behalf calls are made. Out: `env.namespace.name(input)`.
 * Handlers need none of this: their `context.env` is made by the registry that runs them.
 */
import type { OperationContext, OperationEnv } from "../operation.js"
import { operationEnv, type CallTarget } from "../registry.js"

/**
 * Operations as functions: `env.fs.read_file({ path })` gives the envelope. Names are looked up when they are called; calls
 * carry the identity and deadline of the context.
 */
export function buildEnv(target: CallTarget, context: OperationContext = {}): OperationEnv {
  return operationEnv(target, context)
}
