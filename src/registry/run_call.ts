/**
 * The one pipeline: what happens to every call, whatever road it came by.
 *
 * Access, input, deadline, middleware, handler, result. In: a registered operation, the input, the caller's context. Out: an
 * envelope, or a CallError. Nothing reaches a handler around it.
 */
import { isResponseEnvelope, localEnvelope, type ResponseEnvelope } from "../envelope.js"
import { CallError, mapError } from "../error.js"
import { onAbort, resolveDeadline, type OperationContext, type OperationEnv, type OperationSpec, type Identity } from "../operation.js"
import { checkAccess } from "./access.js"
import { CallContext } from "./call_context.js"
import { jsonDifference } from "./json_difference.js"
import { runChain, type Middleware, type MiddlewareCall } from "./middleware_chain.js"
import type { AnyHandler, Registered } from "./registered.js"
import { abortedError, settle, timeoutError } from "./settle.js"

/** A check of the host's own, named by `accessControl.customAuth`. It must answer true to allow. */
export type CustomAuth = (request: { readonly identity: Identity; readonly spec: OperationSpec }) => boolean | Promise<boolean>

/** What the pipeline knows of the registry it runs for. */
export interface CallRules {
  readonly customAuth: ReadonlyMap<string, CustomAuth>
  readonly middleware: readonly Middleware[]
  readonly checkJSON: boolean
  readonly timeoutMs: number
  readonly envFor: (registered: Registered, context: CallContext) => OperationEnv
}

/** Runs one call. `trusted` leaves the access check out; only the trust rule sets it. */
export async function runCall(
  registered: Registered,
  input: unknown,
  caller: OperationContext | undefined,
  rules: CallRules,
  trusted: boolean,
): Promise<ResponseEnvelope> {
  const custom = trusted ? undefined : checkDeclaredAccess(registered, caller?.identity)
  if (custom !== undefined) await askCustomAuth(registered, custom, caller?.identity, rules)
  const { context, handler } = begin(registered, input, caller, rules, rules.timeoutMs)
  if (rules.middleware.length === 0) return invoke(registered, handler, input, context, caller, rules.checkJSON)
  const call: MiddlewareCall = { id: registered.id, spec: registered.spec, input, context, ended: false }
  return settle(
    runChain(rules.middleware, call, async (through) => {
      if (through !== input) registered.validateInput(through)
      return invoke(registered, handler, through, context, undefined, rules.checkJSON)
    }),
    context,
    caller,
    registered.id,
    (thrown) => mapError(thrown, registered.declaredCodes),
  )
}

/**
 * What every call and subscription must pass before its handler is reached.
 *
 * @throws CallError OPERATION_NOT_FOUND, VALIDATION_ERROR, TIMEOUT or ABORTED, all of them with nothing started.
 */
export function begin(
  registered: Registered,
  input: unknown,
  caller: OperationContext | undefined,
  rules: CallRules,
  timeoutMs: number,
): { context: CallContext; handler: AnyHandler } {
  const { handler, id } = registered
  if (handler === undefined) {
    throw new CallError("OPERATION_NOT_FOUND", `"${id}" is described here, but nothing here can run it: register a handler, or route it elsewhere`, {
      details: { operationId: id, outcome: "not_started" },
    })
  }
  registered.validateInput(input)
  const now = Date.now()
  const deadline = resolveDeadline(caller, timeoutMs, now)
  if (deadline <= now) throw timeoutError(id, deadline, "not_started")
  const context = new CallContext(caller, deadline, (self) => rules.envFor(registered, self))
  let stopped: CallError | undefined
  onAbort(caller, (reason) => (stopped ??= abortedError(id, reason, "not_started")))()
  if (stopped !== undefined) throw stopped
  return { context, handler }
}

/**
 * Checks what the operation declares; gives the name of the function to ask beside it, where there is one.
 *
 * @throws CallError ACCESS_DENIED
 */
export function checkDeclaredAccess(registered: Registered, identity: Identity | undefined): string | undefined {
  const { accessControl } = registered.spec
  if (accessControl === undefined) return undefined
  const decision = checkAccess(identity, accessControl)
  if (!decision.allowed) throw denied(registered.id, { missing: decision.missing })
  return accessControl.customAuth
}

/**
 * Asks the host's function that an operation names. An unknown name refuses.
 *
 * @throws CallError ACCESS_DENIED
 */
export async function askCustomAuth(registered: Registered, name: string, identity: Identity | undefined, rules: CallRules): Promise<void> {
  const ask = rules.customAuth.get(name)
  if (ask === undefined || identity === undefined) throw denied(registered.id, { missing: { customAuth: name } })
  let allowed: unknown
  try {
    allowed = await ask({ identity, spec: registered.spec })
  } catch (cause) {
    throw denied(registered.id, { missing: { customAuth: name } }, cause)
  }
  if (allowed !== true) throw denied(registered.id, { missing: { customAuth: name } })
}

/**
 * The envelope of what a handler gave: one passes as it is, anything else is checked and wrapped.
 *
 * @throws CallError EXECUTION_ERROR where the result breaks the output schema, or JSON would change it.
 */
export function toEnvelope(registered: Registered, result: unknown, checkJSON: boolean): ResponseEnvelope {
  if (isResponseEnvelope(result)) return result
  registered.validateOutput(result)
  if (checkJSON && result !== undefined) {
    const difference = jsonDifference(result)
    if (difference !== undefined) {
      const where = difference.pointer === "" ? "the whole" : difference.pointer
      throw new CallError("EXECUTION_ERROR", `JSON would change the result of "${registered.id}" at ${where}: ${difference.reason}`, {
        details: { operationId: registered.id, pointer: difference.pointer, reason: difference.reason, outcome: "unknown" },
      })
    }
  }
  return localEnvelope(result, registered.id)
}

function invoke(
  registered: Registered,
  handler: AnyHandler,
  input: unknown,
  context: CallContext,
  caller: OperationContext | undefined,
  checkJSON: boolean,
): ResponseEnvelope | Promise<ResponseEnvelope> {
  const map = (thrown: unknown) => mapError(thrown, registered.declaredCodes)
  let result: unknown
  try {
    // Handlers take `never` so that each of them is assignable; what is given has been checked against their schema.
    result = handler.call(registered.spec, input as never, context)
  } catch (thrown) {
    throw map(thrown)
  }
  if (isAsyncIterable(result)) return firstOf(result, registered, context, caller, checkJSON)
  if (!isPromiseLike(result)) return toEnvelope(registered, result, checkJSON)
  return settle(Promise.resolve(result), context, caller, registered.id, map).then((value) => toEnvelope(registered, value, checkJSON))
}

/** A subscription that is called and not subscribed to gives its first item and is ended. */
async function firstOf(
  items: AsyncIterable<unknown>,
  registered: Registered,
  context: CallContext,
  caller: OperationContext | undefined,
  checkJSON: boolean,
): Promise<ResponseEnvelope> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    const first = await settle(iterator.next(), context, caller, registered.id, (thrown) => mapError(thrown, registered.declaredCodes))
    return toEnvelope(registered, first.done === true ? null : first.value, checkJSON)
  } finally {
    // Not awaited: a generator that waits for something answers return() only after that.
    iterator.return?.().catch(() => undefined)
  }
}

function denied(id: string, details: Record<string, unknown>, cause?: unknown): CallError {
  return new CallError("ACCESS_DENIED", `The caller may not run "${id}"`, { details: { operationId: id, ...details, outcome: "not_started" }, cause })
}

/** True for what has a `then`. */
function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}

/** True for what can be iterated asynchronously: the result of a subscription's handler. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value
}
