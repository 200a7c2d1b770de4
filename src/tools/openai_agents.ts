/**
 * Door of the toolset for the OpenAI Agents SDK, `@openai/agents` and `@openai/agents-core` 0.20.
 *
 * In: tools. Out: function tools of an `Agent`. The model reads the mapped result; the envelope is in `customData` of the run's
 * tool output items. The package is loaded when this is used.
 */
import type { FunctionTool } from "@openai/agents-core"
import type { ResponseEnvelope } from "../envelope.js"
import { errorOutcome } from "./error_outcome.js"
import { loadPeer } from "./load_peer.js"
import type { ToolResult } from "./map_result.js"
import { isStrict } from "./provider.js"
import { isToolError } from "./tool_error.js"
import type { Tool } from "./tool.js"

type SDK = typeof import("@openai/agents-core")
type OpenSchema = Extract<NonNullable<Parameters<SDK["tool"]>[0]["parameters"]>, { additionalProperties: true }>

/**
 * The tools for an agent. A tool that fails answers the model with its error, and the run goes on; the run's abort signal stops the
 * call on the server.
 *
 * @throws CallError CONFIGURATION_ERROR where `@openai/agents-core` is not installed.
 */
export async function toOpenAIAgentsTools(tools: Iterable<Tool>): Promise<FunctionTool[]> {
  const sdk = await loadPeer("@openai/agents-core", () => import("@openai/agents-core"))
  return Array.from(tools, (tool) => functionTool(tool, sdk))
}

function functionTool(tool: Tool, sdk: SDK): FunctionTool {
  const answers = new Answers()
  const made = sdk.tool({
    name: tool.name,
    description: tool.description,
    // Plain JSON: the SDK's type wishes that nothing more is said of further properties.
    parameters: tool.parameters as unknown as OpenSchema,
    strict: false,
    execute: async (input, run, details) => {
      const call = details?.toolCall
      const context = { signal: details?.signal, ...(call === undefined ? {} : { metadata: { toolCallId: call.callId } }) }
      try {
        const { result, envelope } = await tool.callWithEnvelope(input, context)
        answers.keep(run, call?.callId, envelope)
        return outputOf(result)
      } catch (error) {
        if (isToolError(error)) answers.keep(run, call?.callId, error.envelope)
        throw error
      }
    },
    errorFunction: (_context, error) => errorOutcome(error).result,
    customDataExtractor: ({ runContext, toolCall }) => answers.take(runContext, toolCall.callId),
  })
  // The SDK writes `_` for every other character, a `-` too, by which two names can meet; providers take the name as it is.
  Object.assign(made, { name: tool.name, strict: isStrict(tool) })
  // Which context and result types a tool has is the business of the agent that it is given to.
  return made as unknown as FunctionTool
}

/** The answers of one tool's calls until the run asks for them; a run that is over takes its own with it. */
class Answers {
  readonly #ofRuns = new WeakMap<object, Map<string, ResponseEnvelope>>()

  keep(run: object | undefined, callId: string | undefined, envelope: ResponseEnvelope): void {
    if (run === undefined || callId === undefined) return
    const ofRun = this.#ofRuns.get(run) ?? new Map<string, ResponseEnvelope>()
    this.#ofRuns.set(run, ofRun.set(callId, envelope))
  }

  /** The SDK ends the run where data is not plain JSON, so nothing is given then. */
  take(run: object, callId: string): { envelope: unknown } | undefined {
    const ofRun = this.#ofRuns.get(run)
    const envelope = ofRun?.get(callId)
    ofRun?.delete(callId)
    try {
      const json: unknown = envelope === undefined ? undefined : JSON.parse(JSON.stringify(envelope))
      return json === undefined ? undefined : { envelope: json }
    } catch {
      return undefined
    }
  }
}

function outputOf(result: ToolResult) {
  if (typeof result === "string") return result
  return result.map((part) =>
    part.type === "text"
      ? { type: "text" as const, text: part.text }
      : { type: "image" as const, image: { data: part.data.data, mediaType: part.mediaType } },
  )
}
