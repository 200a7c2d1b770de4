/**
 * Door of the toolset for LangChain, `@langchain/core` 1.
 *
 * In: tools. Out: structured tools whose message content is what the model reads and whose artifact is the envelope. The input is
 * checked by the operation alone: LangChain's own check of JSON Schemas fails on legal ones. The package is loaded when this is used.
 */
import type { DynamicStructuredTool } from "@langchain/core/tools"
import { loadPeer } from "./load_peer.js"
import type { ToolResult } from "./map_result.js"
import type { Tool } from "./tool.js"

type SDK = typeof import("@langchain/core/tools")
type Schema = Extract<DynamicStructuredTool["schema"], { type?: unknown }>

/**
 * The tools for LangChain and LangGraph. A tool that fails throws its ToolError or CallError; made with `onError: "return"` it answers
 * a tool message with the status `error`. The signal of the run's config stops the call on the server.
 *
 * @throws CallError CONFIGURATION_ERROR where `@langchain/core` is not installed.
 */
export async function toLangChainTools(tools: Iterable<Tool>): Promise<DynamicStructuredTool[]> {
  const sdk = await loadPeer("@langchain/core", () => import("@langchain/core/tools"))
  const { ToolMessage } = await import("@langchain/core/messages")
  const OperationTool = operationToolOf(sdk)
  return Array.from(tools, (tool) => {
    const { operationId, server, tool: toolName, version, annotations } = tool.metadata
    return new OperationTool({
      name: tool.name,
      description: tool.description,
      // Plain JSON: what LangChain's type names beyond that is a narrower wish.
      schema: tool.parameters as Schema,
      responseFormat: "content_and_artifact",
      metadata: { operationId, server, tool: toolName, version, ...(annotations === undefined ? {} : { annotations }) },
      func: async (input, _manager, config) => {
        const call: unknown = config !== undefined && "toolCall" in config ? config.toolCall : undefined
        const toolCallId = typeof call === "object" && call !== null && "id" in call && typeof call.id === "string" ? call.id : undefined
        const { result, envelope, isError } = await tool.callWithEnvelope(input, {
          signal: config?.signal,
          ...(toolCallId === undefined ? {} : { metadata: { toolCallId } }),
        })
        const content = contentOf(result)
        if (!isError || toolCallId === undefined) return [content, envelope]
        return [new ToolMessage({ status: "error", content, artifact: envelope, tool_call_id: toolCallId, name: tool.name }), envelope]
      },
    })
  })
}

function operationToolOf({ DynamicStructuredTool: Base }: SDK) {
  return class OperationTool extends Base<Schema> {
    override invoke(...args: never[]): Promise<never> {
      // The check looks at `schema` before anything is waited for, so it can be shown an open one for that long.
      const { schema } = this
      this.schema = { type: "object" }
      // Its parameters and result have a type for each kind of input; what came in is what goes on.
      const answer = super.invoke(...(args as unknown as Parameters<InstanceType<typeof Base<Schema>>["invoke"]>)) as Promise<never>
      this.schema = schema
      return answer
    }
  }
}

function contentOf(result: ToolResult): string | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[] {
  if (typeof result === "string") return result
  return result.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data.data}` } },
  )
}
