/**
 * Middleware: functions around every call that goes through a registry.
 *
 * In: the call as the pipeline sees it. Out: the envelope, or a throw. The first one given is the outermost.
 * A subscription runs the chain once for each item, so that a middleware which only knows calls works for it too.
 */
import type { ResponseEnvelope } from "../envelope.js"
import type { OperationContext, OperationSpec } from "../operation.js"

/** A call as a middleware sees it. Input and access have been checked. */
export interface MiddlewareCall {
  readonly id: string
  readonly spec: OperationSpec
  readonly input: unknown
  readonly context: OperationContext
  /** The number of the item, from 0, where the operation is a subscription; undefined for a call. */
  readonly seq?: number | undefined
  /** True after `next()` where a subscription has ended: the envelope then stands for the end and is delivered to nobody. */
  readonly ended: boolean
}

/** Goes on to the next middleware, or to the handler; another input may be given and is validated again. */
export type Next = (change?: { readonly input: unknown }) => Promise<ResponseEnvelope>

/** A function around calls: looks, changes, refuses (by throwing a CallError), or goes on by `next()`. */
export type Middleware = (call: MiddlewareCall, next: Next) => Promise<ResponseEnvelope>

/** Runs the chain around the innermost step, which gets the input that came through. */
export function runChain(
  middleware: readonly Middleware[],
  call: MiddlewareCall,
  innermost: (input: unknown) => Promise<ResponseEnvelope>,
): Promise<ResponseEnvelope> {
  const step = (index: number, input: unknown): Promise<ResponseEnvelope> => {
    const current = middleware[index]
    if (current === undefined) return innermost(input)
    // Not a copy of the call: `ended` changes while the chain runs.
    const seen = input === call.input ? call : withInput(call, input)
    return current(seen, (change) => step(index + 1, change === undefined ? input : change.input))
  }
  return step(0, call.input)
}

function withInput(call: MiddlewareCall, input: unknown): MiddlewareCall {
  // An object whose prototype is a call has the members of a call.
  return Object.create(call, { input: { value: input, enumerable: true } }) as MiddlewareCall
}
