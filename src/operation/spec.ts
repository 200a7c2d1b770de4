/**
 * What an operation is: a described, typed thing that can be called.
 *
 * In: nothing. Out: the shapes that every adapter fills and every consumer reads.
 * `kind` of work stands in `type`; hints of an MCP server (`annotations`) are unverified and decide nothing by themselves.
 */
import type { TSchema } from "@sinclair/typebox"
import type { ResponseEnvelope } from "../envelope.js"
import type { OperationContext } from "./context.js"
import type { AccessControl } from "./identity.js"

/** `"query"` changes nothing, `"mutation"` may change something, `"subscription"` answers many times. */
export type OperationType = "query" | "mutation" | "subscription"

/** An error that an operation may end with: its code, and the schema of its details where there is one. */
export interface ErrorSpec {
  readonly code: string
  readonly description?: string | undefined
  readonly schema?: TSchema | undefined
}

/** Everything about an operation but its handler. `specToJSON` gives its plain form. */
export interface OperationSpec<Input extends TSchema = TSchema, Output extends TSchema = TSchema> {
  readonly name: string
  readonly namespace: string
  readonly version: string
  readonly type: OperationType
  readonly title?: string | undefined
  readonly description: string
  readonly tags?: readonly string[] | undefined
  readonly inputSchema: Input
  readonly outputSchema: Output
  readonly errorSchemas?: readonly ErrorSpec[] | undefined
  readonly accessControl?: AccessControl | undefined
  /** Hints of an MCP server about the tool; unverified. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
  readonly icons?: readonly unknown[] | undefined
  /** The id patterns (`ns.name`, `ns.*`) that this operation asks to call on its own account; see the trust rule of the registry. */
  readonly trust?: readonly string[] | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/** Runs an operation. MCP handlers answer with a promise of the envelope; the context may be left out. */
export type OperationHandler<Input = unknown, Result = Promise<ResponseEnvelope>> = (input: Input, context?: OperationContext) => Result

/** Any spec with any handler: what a registry takes. */
export type AnyOperation = OperationSpec & { readonly handler: (input: never, context: OperationContext) => unknown }
