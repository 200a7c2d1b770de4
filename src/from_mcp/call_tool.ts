/**
 * One call of a tool: its input is checked, sent, and the answer becomes an envelope.
 *
 * In: the operation, an input, a context. Out: an envelope, or a CallError where there is no result. What is refused here was
 * never sent. The input goes on the wire as given, unless the client was told to prepare it. Handlers can be called directly, so
 * nothing is trusted to a registry.
 */
import { CallError, toCallError } from "../error.js"
import type { ResponseEnvelope } from "../envelope.js"
import { resolveDeadline, type OperationContext, type Progress, type RequestInstrument } from "../operation.js"
import { isObject, type SchemaIssue } from "../schema.js"
import { CallAgain } from "./call_again.js"
import type { CallGate } from "./call_gate.js"
import type { RetryOptions } from "./client_options.js"
import { clip } from "./clip.js"
import type { Connection } from "./connection.js"
import { observedRequest } from "./observed_request.js"
import type { MCPPort, PortContext, PortRequestOptions } from "./port.js"
import { toEnvelope } from "./result_envelope.js"
import type { ToolOperation } from "./tool_operation.js"
import type { ToolSet } from "./tool_set.js"
import { waitUntil } from "./wait_until.js"
import { withoutArguments } from "./without_arguments.js"

/** What a call goes through. */
export interface CallRoad {
  readonly server: string
  readonly connection: Connection
  readonly gate: CallGate
  readonly tools: ToolSet
  readonly timeoutMs: number
  readonly idleTimeoutMs: number | undefined
  readonly emptyArguments: "omit" | "object"
  readonly retry: RetryOptions | undefined
  readonly trusted: boolean
  readonly instrument: RequestInstrument | undefined
}

const SHOWN_ISSUES = 10

/**
 * Calls the tool.
 *
 * @throws CallError VALIDATION_ERROR before anything is sent; TIMEOUT, ABORTED, TRANSPORT_ERROR, AUTH_REQUIRED, PROTOCOL_ERROR or
 * RESOURCE_EXHAUSTED where there is no result, with `details.outcome`.
 */
export async function callTool(tool: ToolOperation, input: unknown, context: OperationContext | undefined, road: CallRoad): Promise<ResponseEnvelope> {
  const params = paramsOf(tool, input, context, road)
  const deadline = resolveDeadline(context, road.timeoutMs)
  const turn = road.gate.enter(tool, deadline, context)
  if (turn !== undefined) await turn
  const { round } = road.gate
  let again: CallAgain | undefined
  try {
    for (;;) {
      let port: MCPPort | undefined
      try {
        const found = road.connection.portFor(context, tool.id)
        if (found instanceof Promise) {
          const opened = await waitUntil(found, deadline, context, tool)
          // What was opened may list other tools.
          if (!road.tools.has(tool.name)) throw road.tools.notListed(tool, road.server)
          port = opened
        } else port = found
        const options = new CallOptions(deadline, context, tool, road.idleTimeoutMs)
        const { instrument, server } = road
        const sent = instrument === undefined ? port.request("tools/call", params, options) : observedRequest(instrument, { server, tool, port, params, options })
        const result = await sent
        if (!isObject(result)) {
          throw new CallError("PROTOCOL_ERROR", `${tool.subject}: the answer is no object`, { details: { server: road.server, tool: tool.name, outcome: "unknown" } })
        }
        road.gate.answered()
        return toEnvelope(result, tool.reading)
      } catch (error) {
        again ??= new CallAgain({ tool, deadline, context, round }, road)
        await again.after(withoutArguments(toCallError(error), input, tool.subject), port)
      }
    }
  } finally {
    road.gate.leave()
  }
}

/**
 * What the port is told. Only the deadline is looked at by every port; the rest is made when it is asked for, since most calls
 * are never stopped and a process does not care who calls.
 */
class CallOptions implements PortRequestOptions {
  onRequestId: ((id: number) => void) | undefined

  constructor(
    readonly deadline: number,
    readonly caller: OperationContext | undefined,
    private readonly tool: ToolOperation,
    private readonly idleDefaultMs: number | undefined,
  ) {}

  get timeoutMs(): number {
    return this.deadline - Date.now()
  }

  get context(): PortContext {
    return { purpose: "call", identity: this.caller?.identity, operationId: this.tool.id, metadata: this.caller?.metadata }
  }

  get signal(): AbortSignal | undefined {
    return this.caller?.signal
  }

  get idleTimeoutMs(): number | undefined {
    return this.caller?.idleTimeoutMs ?? this.idleDefaultMs
  }

  get onProgress(): ((progress: Progress) => void) | undefined {
    return this.caller?.onProgress
  }
}

function paramsOf(tool: ToolOperation, input: unknown, context: OperationContext | undefined, road: CallRoad): Record<string, unknown> {
  const isEmpty = input === undefined || input === null
  if (!isEmpty && !isPlainObject(input)) {
    throw invalidInput(tool, road.server, [{ path: "", keyword: "type", message: "the input must be a plain object" }])
  }
  const given = isEmpty ? {} : input
  const ready = tool.prepared(given)
  const issues = tool.inputIssues(ready)
  if (issues.length > 0) throw invalidInput(tool, road.server, issues)
  const params: Record<string, unknown> = { name: tool.name }
  if (!isEmpty || ready !== given) params["arguments"] = ready
  else if (road.emptyArguments === "object") params["arguments"] = {}
  if (context?.traceparent !== undefined) params["_meta"] = { traceparent: context.traceparent }
  return params
}

function invalidInput(tool: ToolOperation, server: string, issues: readonly SchemaIssue[]): CallError {
  const shown = issues.slice(0, SHOWN_ISSUES).map((issue) => `${issue.path === "" ? "/" : issue.path}: ${issue.message}`)
  const more = issues.length > SHOWN_ISSUES ? `; and ${issues.length - SHOWN_ISSUES} more` : ""
  return new CallError("VALIDATION_ERROR", clip(`Server "${server}", tool "${tool.name}": the input does not fit: ${shown.join("; ")}${more}`, 2_000), {
    details: { server, tool: tool.name, operationId: tool.id, issues, outcome: "not_started" },
  })
}

/** An object literal or one without a prototype, of this realm or another; no array and no instance of a class. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value))
}
