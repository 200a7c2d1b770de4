/**
 * A request for a tool with a listener beside it.
 *
 * In: the listener, the port, params and options. Out: what the port gives. A listener that fails changes nothing for the
 * caller, unless it throws a CallError on purpose before anything was sent.
 */
import { isCallError, toCallError } from "../error.js"
import type { OperationContext, RequestEnd, RequestInstrument, RequestObservation } from "../operation.js"
import { isObject } from "../schema.js"
import type { MCPPort, PortRequestOptions } from "./port.js"
import { withoutArguments } from "./without_arguments.js"

/** What is sent where, for whom. */
export interface ToolRequest {
  readonly server: string
  readonly tool: { readonly name: string; readonly id: string; readonly subject: string }
  readonly port: MCPPort
  readonly params: Readonly<Record<string, unknown>>
  readonly options: PortRequestOptions & { readonly caller: OperationContext | undefined; onRequestId: ((id: number) => void) | undefined }
}

/** Sends `tools/call`, told of to the listener. */
export async function observedRequest(instrument: RequestInstrument, request: ToolRequest): Promise<unknown> {
  const { port, params, options } = request
  const observation = await begin(instrument, request)
  if (observation === undefined) return port.request("tools/call", params, options)
  const end = (how: RequestEnd) => quietly(() => observation.onEnd(how))
  options.onRequestId = (id) => quietly(() => observation.onRequestId?.(id))
  try {
    const result = await port.request("tools/call", withMeta(params, observation.meta), options)
    // A result that is no object is refused by the caller; the listener gets an empty one.
    end({ result: isObject(result) ? result : {} })
    return result
  } catch (thrown) {
    end({ error: withoutArguments(toCallError(thrown), params["arguments"], request.tool.subject) })
    throw thrown
  }
}

async function begin(instrument: RequestInstrument, { server, tool, port, options }: ToolRequest): Promise<RequestObservation | undefined> {
  try {
    return await instrument.onRequest({
      method: "tools/call",
      server,
      tool: tool.name,
      operationId: tool.id,
      context: options.caller,
      protocolVersion: port.protocolVersion,
      sessionId: port.sessionId,
      network: port.network,
    })
  } catch (thrown) {
    if (isCallError(thrown)) throw thrown
    return undefined
  }
}

function withMeta(params: ToolRequest["params"], meta: RequestObservation["meta"]): ToolRequest["params"] {
  if (meta === undefined) return params
  const own = params["_meta"]
  return { ...params, _meta: { ...(isObject(own) ? own : {}), ...meta } }
}

function quietly(run: () => void): void {
  try {
    run()
  } catch {
    // A fault of the listener does not end the call.
  }
}
