/**
 * The Vercel AI SDK runs agents on these tools: its own mock model, the reference server as a real process, no network.
 */
import { describe, expect, test } from "vitest"
import { generateText, Output, stepCountIs, jsonSchema, type ToolSet } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { filter } from "../../src/middleware.js"
import { localEnvelope, type ResponseEnvelope } from "../../src/envelope.js"
import { toTools } from "../../src/tools.js"
import { toAISDKTools } from "../../src/tools/ai_sdk.js"
import { everything } from "../fixtures/servers/everything.js"
import { until } from "../fixtures/servers/server_log.js"

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function asks(...calls: [tool: string, input: object][]): Generated {
  return {
    content: calls.map(([toolName, input], index) => ({ type: "tool-call", toolCallId: `${toolName}-${String(index)}`, toolName, input: JSON.stringify(input) })),
    finishReason: { unified: "tool-calls", raw: undefined },
    usage,
    warnings: [],
  }
}

function says(text: string): Generated {
  return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] }
}

/** What the model read of its tools before it was asked for the last time. */
function read(model: MockLanguageModelV3): unknown[] {
  const prompt = model.doGenerateCalls.at(-1)?.prompt ?? []
  return prompt.flatMap((message) => (message.role === "tool" ? message.content.map((part) => ("output" in part ? part.output : part)) : []))
}

const run = { prompt: "go", stopWhen: stepCountIs(10), maxRetries: 0 }

describe("an agent of the AI SDK", () => {
  test("calls tools of a real server, reads their results, and goes on after one that failed", async () => {
    const { registry, log } = await everything()
    const tools: ToolSet = await toAISDKTools(await toTools(registry))
    const model = new MockLanguageModelV3({
      doGenerate: [
        asks(["everything__echo", { message: "hello" }], ["everything__get-structured-content", { location: "New York" }]),
        asks(["everything__simulate-research-query", { topic: "x" }], ["everything__get-sum", { a: "one", b: 2 }]),
        asks(["everything__get-tiny-image", {}]),
        says("done"),
      ],
    })
    const result = await generateText({ model, tools, ...run })
    expect(result.text).toBe("done")
    const [echo, structured, failed, refused, image] = read(model)
    expect(echo).toEqual({ type: "text", value: "Echo: hello" })
    expect(structured).toEqual({ type: "text", value: expect.stringMatching(/^\{"temperature":/) })
    expect(failed).toEqual({ type: "error-text", value: "MCP error -32601: Tool simulate-research-query requires task augmentation (taskSupport: 'required')" })
    expect(refused).toEqual({ type: "error-text", value: 'Server "everything", tool "get-sum": the input does not fit: /a: must be a number' })
    expect(image).toMatchObject({ type: "content", value: [{ type: "text", text: expect.any(String) }, { type: "file-data", mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) }, { type: "text" }] })
    const results = result.steps.flatMap((step) => step.toolResults).map((part) => part.output as ResponseEnvelope)
    expect(results[1]).toMatchObject({ data: { conditions: expect.any(String) }, meta: { source: "mcp", server: "everything", tool: "get-structured-content", conformance: "exact" } })
    expect(result.steps[1]?.content.filter((part) => part.type === "tool-error").map((part) => part.toolName)).toEqual(["everything__simulate-research-query", "everything__get-sum"])
    expect(log.calls().map(({ name }) => name)).toEqual(["echo", "get-structured-content", "simulate-research-query", "get-tiny-image"])
  })

  test("is told of each tool by name, description and the server's own schema", async () => {
    const { registry } = await everything()
    const list = await toTools(registry, { filter: ["everything.get-sum"] })
    const model = new MockLanguageModelV3({ doGenerate: says("done") })
    await generateText({ model, tools: await toAISDKTools(list), ...run })
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([{ type: "function", name: "everything__get-sum", description: list[0]?.description, inputSchema: list[0]?.parameters }])
  })

  test("gives a structured output beside its tools", async () => {
    const { registry } = await everything()
    const model = new MockLanguageModelV3({ doGenerate: [asks(["everything__get-sum", { a: 1, b: 2 }]), says('{"sum":3}')] })
    const schema = jsonSchema<{ sum: number }>({ type: "object", properties: { sum: { type: "number" } } })
    const result = await generateText({ model, tools: await toAISDKTools(await toTools(registry)), output: Output.object({ schema }), ...run })
    expect(result.output).toEqual({ sum: 3 })
  })

  test("that is stopped stops the call on the server", async () => {
    const { registry, log } = await everything()
    const stop = new AbortController()
    const model = new MockLanguageModelV3({ doGenerate: [asks(["everything__trigger-long-running-operation", { duration: 60, steps: 60 }]), says("never")] })
    const running = generateText({ model, tools: await toAISDKTools(await toTools(registry)), ...run, abortSignal: stop.signal }).catch((error: unknown) => error)
    await until(() => log.calls("trigger-long-running-operation").length === 1, "the tool runs", 15_000)
    stop.abort()
    await running
    await until(() => log.received("notifications/cancelled").length === 1, "the server is told")
    const call = log.messages().find(({ method }) => method === "tools/call")
    expect(log.received("notifications/cancelled")[0]?.requestId).toBe(call?.id)
    expect(model.doGenerateCalls.length).toBe(1)
  })

  test("reaches nothing that a middleware of the registry denies", async () => {
    const { registry, log } = await everything()
    registry.use(filter({ deny: ["everything.*"] }))
    const model = new MockLanguageModelV3({ doGenerate: [asks(["everything__echo", { message: "hello" }]), says("done")] })
    await generateText({ model, tools: await toAISDKTools(await toTools(registry)), ...run })
    expect(read(model)).toEqual([{ type: "error-text", value: '"everything.echo" is on the list of denied operations' }])
    expect(log.calls()).toEqual([])
  })

  test("reads an error as one where tools return their errors, and the program has the answer", async () => {
    const { registry } = await everything()
    const model = new MockLanguageModelV3({ doGenerate: [asks(["everything__simulate-research-query", { topic: "x" }]), says("done")] })
    const result = await generateText({ model, tools: await toAISDKTools(await toTools(registry, { onError: "return" })), ...run })
    expect(read(model)).toEqual([{ type: "error-text", value: expect.stringContaining("requires task augmentation") }])
    expect(result.steps[0]?.toolResults[0]?.output).toMatchObject({ meta: { isError: true } })
  })
})

test("an output that a host has kept as JSON still reads the same, and one that it has changed is said as it is", async () => {
  const { registry } = await everything()
  const tools = await toAISDKTools(await toTools(registry, { filter: ["everything.echo"] }))
  const toModelOutput = tools["everything__echo"]?.toModelOutput
  const kept: unknown = JSON.parse(JSON.stringify(localEnvelope({ a: 1 }, "x.y")))
  const options = { toolCallId: "1", input: {} }
  expect(await toModelOutput?.({ ...options, output: kept })).toEqual({ type: "text", value: '{"a":1}' })
  expect(await toModelOutput?.({ ...options, output: { other: true } })).toEqual({ type: "text", value: '{"other":true}' })
  expect(await toModelOutput?.({ ...options, output: "plain" })).toEqual({ type: "text", value: "plain" })
})
