/**
 * Door of the toolset for the Vercel AI SDK, `ai` 6 and 7.
 *
 * In: tools. Out: the `tools` of `generateText`, `streamText` and agents. A tool's output is the envelope, which the program finds in
 * its tool results; the model reads the mapped result by `toModelOutput`. `ai` is loaded when this is used.
 */
import type { Tool as SDKTool } from "ai"
import { isResponseEnvelope } from "../envelope.js"
import type { ToolMetadata } from "./definition.js"
import { loadPeer } from "./load_peer.js"
import { errorText, mapResult, type ToolResultPart } from "./map_result.js"
import { isStrict } from "./provider.js"
import type { Tool } from "./tool.js"

/** Tools by name, as the AI SDK takes them. */
export type AISDKTools = Record<string, SDKTool>

type ModelOutput = Awaited<ReturnType<NonNullable<SDKTool["toModelOutput"]>>>
type ContentPart = Exclude<Extract<ModelOutput, { type: "content" }>["value"][number], { type: "media" }>
type JSONObject = NonNullable<SDKTool["metadata"]>

/**
 * The tools for the AI SDK. A tool that fails becomes a `tool-error` of the run, unless it was made with `onError: "return"`; the
 * run's abort signal stops the call on the server.
 *
 * @throws CallError CONFIGURATION_ERROR where `ai` is not installed.
 */
export async function toAISDKTools(tools: Iterable<Tool>): Promise<AISDKTools> {
  const sdk = await loadPeer("ai", () => import("ai"))
  // The name for files that version 7 asks for is refused by version 6, which lacks this function.
  const filePart = "isStepCount" in sdk ? taggedFile : dataFile
  return Object.fromEntries(
    Array.from(tools, (tool) => {
      const { title, outputSchema } = tool.metadata
      const made: SDKTool = sdk.dynamicTool({
        description: tool.description,
        ...(title === undefined ? {} : { title }),
        // Plain JSON: what the SDK's type names beyond that is a narrower wish.
        inputSchema: sdk.jsonSchema(tool.parameters),
        execute: async (input, { abortSignal, toolCallId }) => {
          const { envelope } = await tool.callWithEnvelope(input, { signal: abortSignal, metadata: { toolCallId } })
          return envelope
        },
        toModelOutput: ({ output }) => modelOutput(output, tool, filePart),
        metadata: jsonOf(tool.metadata),
      })
      return [tool.name, Object.assign(made, { outputSchema: sdk.jsonSchema(envelopeSchema(outputSchema)) }, isStrict(tool) ? { strict: true } : {})]
    }),
  )
}

function modelOutput(output: unknown, { mapping }: Tool, filePart: (part: FilePart) => ContentPart): ModelOutput {
  // A host may keep messages and change them: what is no envelope any more is said as it is.
  if (!isResponseEnvelope(output)) return { type: "text", value: typeof output === "string" ? output : jsonText(output) }
  if (output.meta.source === "mcp" && output.meta.isError) return { type: "error-text", value: errorText(output.meta) }
  const result = mapResult(output, mapping)
  if (typeof result === "string") return { type: "text", value: result }
  return { type: "content", value: result.map((part) => (part.type === "text" ? { type: "text", text: part.text } : filePart(part))) }
}

type FilePart = Extract<ToolResultPart, { type: "file" }>

function dataFile({ data, mediaType }: FilePart): ContentPart {
  return { type: "file-data", data: data.data, mediaType }
}

function taggedFile({ data, mediaType }: FilePart): ContentPart {
  // The types of version 6 do not know this form of version 7.
  return { type: "file", data, mediaType } as unknown as ContentPart
}

/** A schema whose references lead into itself means something else inside another one, so it is left out there. */
function envelopeSchema(data: unknown): Parameters<typeof import("ai").jsonSchema>[0] {
  const fits = typeof data === "object" && data !== null && !JSON.stringify(data).includes('"$ref"')
  return { type: "object", properties: { data: fits ? data : {}, meta: { type: "object" } }, required: ["data", "meta"] }
}

function jsonText(value: unknown): string {
  // JSON has no text for undefined: JSON.stringify gives undefined then.
  const text: unknown = JSON.stringify(value)
  return typeof text === "string" ? text : ""
}

function jsonOf({ operationId, server, tool, version, type, annotations }: ToolMetadata): JSONObject {
  // What came from JSON goes back to it.
  return JSON.parse(JSON.stringify({ operationId, server, tool, version, type, annotations })) as JSONObject
}
