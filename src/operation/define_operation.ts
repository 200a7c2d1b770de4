/**
 * Makes an operation of a local function: its types come from its TypeBox schemas.
 *
 * In: a spec and a handler. Out: the same, checked and frozen, with `version`, `type` and `description` filled where they
 * were left out. The handler may give its plain result or an envelope; the registry wraps what is none.
 */
import type { Static, TSchema } from "@sinclair/typebox"
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import type { OperationContext } from "./context.js"
import { operationId } from "./names.js"
import type { OperationSpec, OperationType } from "./spec.js"

type Awaitable<T> = T | Promise<T>

/** What the handler of a local operation may give: the plain output, or an envelope around it. */
export type LocalResult<Output> = Output | ResponseEnvelope<Output>

/** The handler's type for one operation type: subscriptions yield many results, the others give one. */
export type LocalHandler<Kind extends OperationType, Input, Output> = Kind extends "subscription"
  ? (input: Input, context: OperationContext) => AsyncIterable<LocalResult<Output>>
  : (input: Input, context: OperationContext) => Awaitable<LocalResult<Output>>

/** What `defineOperation` is given: `type` defaults to `"mutation"`, `version` to `"1.0.0"`, `description` to `""`. */
export type OperationDefinition<Input extends TSchema, Output extends TSchema, Kind extends OperationType> = Omit<
  OperationSpec<Input, Output>,
  "version" | "type" | "description"
> & {
  readonly version?: string | undefined
  readonly type?: Kind | undefined
  readonly description?: string | undefined
  readonly handler: LocalHandler<Kind, Static<Input>, Static<Output>>
}

/** A local operation as `defineOperation` gives it: the registry infers input and output from it. */
export type Operation<Input extends TSchema = TSchema, Output extends TSchema = TSchema, Kind extends OperationType = OperationType> = OperationSpec<
  Input,
  Output
> & {
  readonly type: Kind
  readonly handler: LocalHandler<Kind, Static<Input>, Static<Output>>
}

/**
 * A local operation, typed by its schemas.
 *
 * @throws CallError CONFIGURATION_ERROR for a namespace or name that is none, or a handler that is no function.
 *
 * @example
 * const add = defineOperation({
 *   namespace: "math", name: "add", type: "query",
 *   inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
 *   outputSchema: Type.Number(),
 *   handler: ({ a, b }) => a + b,
 * })
 */
export function defineOperation<Input extends TSchema, Output extends TSchema, Kind extends OperationType = "mutation">(
  definition: OperationDefinition<Input, Output, Kind>,
): Operation<Input, Output, Kind> {
  const id = operationId(definition)
  if (typeof definition.handler !== "function") throw new CallError("CONFIGURATION_ERROR", `The handler of "${id}" is no function`)
  return Object.freeze({
    ...definition,
    version: definition.version ?? "1.0.0",
    // Kind defaults to "mutation" exactly where the member is left out.
    type: definition.type ?? ("mutation" as Kind),
    description: definition.description ?? "",
  })
}
