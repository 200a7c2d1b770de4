/**
 * The OpenAI Agents SDK runs agents on these tools: its own scripted model, the reference server as a real process, no network.
 */
import { beforeAll, describe, expect, test } from "vitest"
import { Agent, RunToolCallOutputItem, Runner, setTracingDisabled } from "@openai/agents-core"
import { ScriptedModel, assistantMessage, functionCall, modelResponse } from "@openai/agents-core/testing"
import { filter } from "../../src/middleware.js"
import { toTools, type Tool } from "../../src/tools.js"
import { toOpenAIAgentsTools } from "../../src/tools/openai_agents.js"
import { everything } from "../fixtures/servers/everything.js"
import { until } from "../fixtures/servers/server_log.js"

beforeAll(() => setTracingDisabled(true))

async function runAgent(model: ScriptedModel, tools: Iterable<Tool>, signal?: AbortSignal) {
  const agent = new Agent({ name: "tester", model, tools: await toOpenAIAgentsTools(tools) })
  return new Runner({ tracingDisabled: true }).run(agent, "go", signal === undefined ? {} : { signal })
}

const asks = (name: string, input: object) => functionCall(name, { ...input }, { callId: `${name}-1` })

/** What the model read of its tools before it was asked for the last time. */
function read(model: ScriptedModel): unknown[] {
  const input = model.calls.at(-1)?.request.input
  return Array.isArray(input) ? input.flatMap((item) => (item.type === "function_call_result" ? [item.output] : [])) : []
}

describe("an agent of the OpenAI Agents SDK", () => {
  test("calls tools of a real server, reads their results, and goes on after one that failed", async () => {
    const { registry, log } = await everything()
    const model = new ScriptedModel([
      modelResponse([asks("everything__echo", { message: "hello" }), asks("everything__get-structured-content", { location: "New York" })]),
      modelResponse([asks("everything__simulate-research-query", { topic: "x" }), asks("everything__get-sum", { a: "one", b: 2 })]),
      modelResponse([asks("everything__get-tiny-image", {})]),
      modelResponse([assistantMessage("done")]),
    ])
    const result = await runAgent(model, await toTools(registry))
    expect(result.finalOutput).toBe("done")
    const [echo, structured, failed, refused, image] = read(model)
    expect(echo).toEqual({ type: "text", text: "Echo: hello" })
    expect(structured).toEqual({ type: "text", text: expect.stringMatching(/^\{"temperature":/) })
    expect(failed).toEqual({ type: "text", text: "Error: MCP error -32601: Tool simulate-research-query requires task augmentation (taskSupport: 'required')" })
    expect(refused).toEqual({ type: "text", text: 'Error: Server "everything", tool "get-sum": the input does not fit: /a: must be a number' })
    expect(image).toMatchObject([{ type: "input_text" }, { type: "input_image", image: expect.stringMatching(/^data:image\/png;base64,iVBOR/) }, { type: "input_text" }])
    const outputs = result.newItems.filter((item) => item instanceof RunToolCallOutputItem)
    expect(outputs.map((item) => item.customData)).toMatchObject([
      { envelope: { meta: { tool: "echo" } } },
      { envelope: { data: { conditions: expect.any(String) }, meta: { tool: "get-structured-content", conformance: "exact" } } },
      { envelope: { meta: { tool: "simulate-research-query", isError: true } } },
      undefined,
      { envelope: { meta: { tool: "get-tiny-image" } } },
    ])
    expect(log.calls().map(({ name }) => name)).toEqual(["echo", "get-structured-content", "simulate-research-query", "get-tiny-image"])
  })

  test("is told of each tool by name, description and the server's own schema", async () => {
    const { registry } = await everything()
    const list = await toTools(registry, { filter: ["everything.get-sum"] })
    const model = new ScriptedModel([modelResponse([assistantMessage("done")])])
    await runAgent(model, list)
    expect(model.calls[0]?.request.tools).toMatchObject([{ type: "function", name: "everything__get-sum", description: list[0]?.description, parameters: list[0]?.parameters, strict: false }])
  })

  test("that is stopped stops the call on the server", async () => {
    const { registry, log } = await everything()
    const stop = new AbortController()
    const model = new ScriptedModel([modelResponse([asks("everything__trigger-long-running-operation", { duration: 60, steps: 60 })])])
    const running = runAgent(model, await toTools(registry), stop.signal).catch((error: unknown) => error)
    await until(() => log.calls("trigger-long-running-operation").length === 1, "the tool runs", 15_000)
    stop.abort()
    await running
    await until(() => log.received("notifications/cancelled").length === 1, "the server is told")
    expect(log.received("notifications/cancelled")[0]?.requestId).toBe(log.messages().find(({ method }) => method === "tools/call")?.id)
    expect(model.calls.length).toBe(1)
  })

  test("reaches nothing that a middleware of the registry denies", async () => {
    const { registry, log } = await everything()
    registry.use(filter({ deny: ["everything.*"] }))
    const model = new ScriptedModel([modelResponse([asks("everything__echo", { message: "hello" })]), modelResponse([assistantMessage("done")])])
    await runAgent(model, await toTools(registry))
    expect(read(model)).toEqual([{ type: "text", text: 'Error: "everything.echo" is on the list of denied operations' }])
    expect(log.calls()).toEqual([])
  })
})
