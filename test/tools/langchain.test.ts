/**
 * LangChain runs these tools: its own fake model, the reference server as a real process, no network.
 *
 * `@langchain/core` has no agent of its own, so the loop stands here, in the way in which LangGraph's tool node runs tools.
 */
import { describe, expect, test } from "vitest"
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages"
import { fakeModel } from "@langchain/core/testing"
import type { DynamicStructuredTool } from "@langchain/core/tools"
import type { ResponseEnvelope } from "../../src/envelope.js"
import { filter } from "../../src/middleware.js"
import { toTools } from "../../src/tools.js"
import { toLangChainTools } from "../../src/tools/langchain.js"
import { connectInMemory } from "../fixtures/servers/in_memory.js"
import { everything } from "../fixtures/servers/everything.js"
import { callError } from "../fixtures/servers/scripted.js"
import { until } from "../fixtures/servers/server_log.js"
import { OperationRegistry } from "../../src/registry.js"

type Model = ReturnType<typeof fakeModel>

/** Asks the model and runs the tools that it wants, until it wants none. Gives all messages. */
async function runAgent(model: Model, tools: readonly DynamicStructuredTool[], signal?: AbortSignal): Promise<BaseMessage[]> {
  const bound = model.bindTools([...tools])
  const messages: BaseMessage[] = [new HumanMessage("go")]
  for (;;) {
    const answer = await bound.invoke(messages)
    messages.push(answer)
    const calls = answer.tool_calls ?? []
    if (calls.length === 0) return messages
    for (const { name, args, id = "" } of calls) {
      signal?.throwIfAborted()
      const tool = tools.find((each) => each.name === name)
      if (tool === undefined) throw new Error(`The model asks for ${name}`)
      try {
        const message: unknown = await tool.invoke({ type: "tool_call", name, args, id }, signal === undefined ? {} : { signal })
        if (!(message instanceof ToolMessage)) throw new TypeError("it is no tool message")
        messages.push(message)
      } catch (error) {
        if (signal?.aborted === true) throw error
        messages.push(new ToolMessage({ status: "error", content: error instanceof Error ? error.message : "", tool_call_id: id, name }))
      }
    }
  }
}

const toolMessages = (messages: readonly BaseMessage[]) => messages.filter((message) => message instanceof ToolMessage)
const asks = (name: string, args: object) => ({ name, args: { ...args }, id: `${name}-1` })

describe("an agent of LangChain", () => {
  test("calls tools of a real server, reads their results, and goes on after one that failed", async () => {
    const { registry, log } = await everything()
    const tools = await toLangChainTools(await toTools(registry))
    const model = fakeModel()
      .respondWithTools([asks("everything__echo", { message: "hello" }), asks("everything__get-structured-content", { location: "New York" })])
      .respondWithTools([asks("everything__simulate-research-query", { topic: "x" }), asks("everything__get-sum", { a: "one", b: 2 })])
      .respondWithTools([asks("everything__get-tiny-image", {})])
      .respond(new AIMessage("done"))
    const messages = await runAgent(model, tools)
    expect(messages.at(-1)?.content).toBe("done")
    const [echo, structured, failed, refused, image] = toolMessages(messages)
    expect(echo).toMatchObject({ status: "success", content: "Echo: hello", name: "everything__echo", tool_call_id: "everything__echo-1" })
    expect(structured).toMatchObject({ content: expect.stringMatching(/^\{"temperature":/), artifact: { data: { conditions: expect.any(String) }, meta: { server: "everything", conformance: "exact" } } })
    expect(failed).toMatchObject({ status: "error", content: expect.stringContaining("requires task augmentation") })
    expect(refused).toMatchObject({ status: "error", content: 'Server "everything", tool "get-sum": the input does not fit: /a: must be a number' })
    expect(image?.content).toMatchObject([{ type: "text" }, { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } }, { type: "text" }])
    expect((image?.artifact as ResponseEnvelope).meta).toMatchObject({ source: "mcp", tool: "get-tiny-image" })
    expect(log.calls().map(({ name }) => name)).toEqual(["echo", "get-structured-content", "simulate-research-query", "get-tiny-image"])
    expect(model.calls.at(-1)?.messages.filter((message) => message instanceof ToolMessage).length).toBe(5)
  })

  test("that is stopped stops the call on the server", async () => {
    const { registry, log } = await everything()
    const stop = new AbortController()
    const model = fakeModel().respondWithTools([asks("everything__trigger-long-running-operation", { duration: 60, steps: 60 })])
    const running = runAgent(model, await toLangChainTools(await toTools(registry)), stop.signal)
    const ended = callError(running)
    await until(() => log.calls("trigger-long-running-operation").length === 1, "the tool runs", 15_000)
    stop.abort()
    expect((await ended).code).toBe("ABORTED")
    await until(() => log.received("notifications/cancelled").length === 1, "the server is told")
    expect(log.received("notifications/cancelled")[0]?.requestId).toBe(log.messages().find(({ method }) => method === "tools/call")?.id)
  })

  test("reaches nothing that a middleware of the registry denies", async () => {
    const { registry, log } = await everything()
    registry.use(filter({ deny: ["everything.*"] }))
    const model = fakeModel().respondWithTools([asks("everything__echo", { message: "hello" })]).respond(new AIMessage("done"))
    const messages = await runAgent(model, await toLangChainTools(await toTools(registry)))
    expect(toolMessages(messages)).toMatchObject([{ status: "error", content: '"everything.echo" is on the list of denied operations' }])
    expect(log.calls()).toEqual([])
  })

  test("reads an error as one where tools return their errors, and the program has the answer", async () => {
    const { registry } = await everything()
    const model = fakeModel().respondWithTools([asks("everything__simulate-research-query", { topic: "x" })]).respond(new AIMessage("done"))
    const [message] = toolMessages(await runAgent(model, await toLangChainTools(await toTools(registry, { onError: "return" }))))
    expect(message).toMatchObject({ status: "error", content: expect.stringMatching(/^Error: .* requires task augmentation/), artifact: { meta: { isError: true } } })
  })
})

describe("a tool of LangChain", () => {
  const inputSchema = { type: "object", properties: { url: { type: "string", pattern: "^https\\:\\/\\/" } }, required: ["url"] }
  async function one() {
    const { wrapper, log } = await connectInMemory({ tools: [{ name: "open", inputSchema, annotations: { openWorldHint: true } }] })
    const registry = new OperationRegistry()
    registry.registerAll(wrapper.tools)
    const [tool] = await toLangChainTools(await toTools(registry))
    if (tool === undefined) throw new Error("There is no tool")
    return { tool, log }
  }

  test("holds the server's own schema and its metadata", async () => {
    const { tool } = await one()
    expect(tool).toMatchObject({ name: "demo__open", schema: inputSchema, metadata: { operationId: "demo.open", server: "demo", tool: "open", version: "1.2.3", annotations: { openWorldHint: true } } })
  })

  test("takes a pattern that is legal without the u flag (langchain-ai/langchainjs#11351), and refuses what does not fit by its pointer", async () => {
    const { tool, log } = await one()
    await tool.invoke({ url: "https://x" })
    expect((await callError(tool.invoke({ url: "http://x" }))).message).toContain("/url")
    expect(tool.schema).toEqual(inputSchema)
    expect(log.calls("open").map((params) => params.arguments)).toEqual([{ url: "https://x" }])
  })

  test("called without a tool call gives the content alone", async () => {
    const { registry } = await everything()
    const [tool] = await toLangChainTools(await toTools(registry, { filter: ["everything.echo"] }))
    expect(await tool?.invoke({ message: "hello" })).toBe("Echo: hello")
  })
})
