/**
 * A tool that can be called: what a model is told of it, and a call whose answer a model can read.
 *
 * In: a definition and the way to run it. Out: the mapped result, and the envelope beside it. Knows neither registry nor MCP.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import type { Identity, OperationContext } from "../operation.js"
import type { JSONObject } from "../schema.js"
import type { ToolDefinition } from "./definition.js"
import { mapResult, type MapResultOptions, type ToolResult } from "./map_result.js"

/** What a call of a tool gives: what the model reads, and the answer that the program keeps. */
export interface ToolCallOutcome {
  readonly result: ToolResult
  readonly envelope: ResponseEnvelope
  /** True where the tool said that it failed and `onError` is `"return"`; else a `ToolError` is thrown. */
  readonly isError: boolean
}

/** An operation as an agent's tool. */
export interface Tool extends ToolDefinition {
  /**
   * Runs the operation and gives what a model reads. `args` is a JSON object; null and undefined stand for no arguments.
   *
   * @throws CallError where there is no answer, VALIDATION_ERROR for arguments that are no object (nothing was sent); ToolError where
   * the answer is an error.
   */
  call(args?: unknown, context?: OperationContext): Promise<ToolResult>
  /** The same, with the envelope beside the result. @throws CallError and ToolError as `call`; a ToolError holds the envelope. */
  callWithEnvelope(args?: unknown, context?: OperationContext): Promise<ToolCallOutcome>
  /** The answer alone, not mapped: an error of the tool is an answer and not thrown. @throws CallError */
  execute(args?: unknown, context?: OperationContext): Promise<ResponseEnvelope>
  /** How this tool's answers are mapped. */
  readonly mapping: MapResultOptions
}

/** How a tool is called; everything has a default. */
export interface ToolOptions extends MapResultOptions {
  /** Who calls, where the context of a call names nobody. */
  readonly identity?: Identity | undefined
}

/** Runs the operation of a tool; `undefined` stands for no arguments. */
export type RunTool = (args: JSONObject | undefined, context: OperationContext | undefined) => Promise<ResponseEnvelope>

/** The tool of a definition. */
export function makeTool(definition: ToolDefinition, run: RunTool, { identity, ...mapping }: ToolOptions): Tool {
  const execute = async (args?: unknown, context?: OperationContext): Promise<ResponseEnvelope> =>
    run(argumentsOf(args, definition), withIdentity(context, identity))
  const callWithEnvelope = async (args?: unknown, context?: OperationContext): Promise<ToolCallOutcome> => {
    const envelope = await execute(args, context)
    return { result: mapResult(envelope, mapping), envelope, isError: envelope.meta.source === "mcp" && envelope.meta.isError }
  }
  return Object.freeze({
    ...definition,
    mapping,
    execute,
    callWithEnvelope,
    call: async (args?: unknown, context?: OperationContext) => (await callWithEnvelope(args, context)).result,
  })
}

function argumentsOf(args: unknown, { name, metadata }: ToolDefinition): JSONObject | undefined {
  if (args === undefined || args === null) return undefined
  if (isPlainObject(args)) return args
  const kind = Array.isArray(args) ? "an array" : typeof args === "object" ? "an instance of a class" : `a ${typeof args}`
  throw new CallError("VALIDATION_ERROR", `Tool "${name}": the arguments are ${kind}, and a JSON object is wanted`, {
    details: {
      operationId: metadata.operationId,
      issues: [{ path: "", keyword: "type", message: "the arguments must be a JSON object" }],
      outcome: "not_started",
    },
  })
}

/** An object literal or one without a prototype, of this realm or another; no array and no instance of a class. */
function isPlainObject(value: unknown): value is JSONObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Contexts may compute their members, so they are read one by one and never spread. */
function withIdentity(context: OperationContext | undefined, identity: Identity | undefined): OperationContext | undefined {
  if (identity === undefined || context?.identity !== undefined) return context
  if (context === undefined) return { identity }
  const { signal, deadline, timeoutMs, idleTimeoutMs, requestId, parentRequestId, onProgress, traceparent, metadata, env } = context
  return { identity, signal, deadline, timeoutMs, idleTimeoutMs, requestId, parentRequestId, onProgress, traceparent, metadata, env }
}
