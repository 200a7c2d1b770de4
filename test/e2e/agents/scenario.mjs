/**
 * One agent run with each SDK, started by run.mjs among the packages that it speaks about.
 *
 * A model asks for tools of a real server, reads what they answer, an error among it, and is stopped in the middle of a long call; a
 * middleware that denies keeps all of them from the server. Ends with 1 where one step is not as stated.
 */
import assert from "node:assert/strict"
import { AIMessage, ToolMessage } from "@langchain/core/messages"
import { fakeModel } from "@langchain/core/testing"
import { Agent, Runner, setTracingDisabled } from "@openai/agents-core"
import { ScriptedModel, assistantMessage, functionCall, modelResponse } from "@openai/agents-core/testing"
import { generateText, isStepCount } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { OperationRegistry, filter } from "mcp-operations"
import { createMCPClient } from "mcp-operations/from-mcp"
import { toTools } from "mcp-operations/tools"
import { toAISDKTools } from "mcp-operations/tools/ai-sdk"
import { toLangChainTools } from "mcp-operations/tools/langchain"
import { toOpenAIAgentsTools } from "mcp-operations/tools/openai-agents"

setTracingDisabled(true)

const wrapper = await createMCPClient("everything", { command: process.execPath, args: [process.argv[2]] })
const registry = new OperationRegistry()
registry.registerAll(wrapper.tools)
const denied = new OperationRegistry()
denied.registerAll(wrapper.tools)
denied.use(filter({ deny: ["everything.*"] }))

const CALLS = [
  ["everything__echo", { message: "hello" }],
  ["everything__simulate-research-query", { topic: "x" }],
  ["everything__get-tiny-image", {}],
]
const LONG = ["everything__trigger-long-running-operation", { duration: 60, steps: 60 }]
const DENIED = '"everything.echo" is on the list of denied operations'

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }

/** By SDK: runs the calls one after the other and gives what the model read of each; `signal` stops the run. */
const agents = {
  async ai(tools, calls, signal) {
    const asks = calls.map(([toolName, input], index) => ({
      content: [{ type: "tool-call", toolCallId: String(index), toolName, input: JSON.stringify(input) }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    }))
    const says = { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] }
    const model = new MockLanguageModelV4({ doGenerate: [...asks, says] })
    const { text } = await generateText({ model, tools: await toAISDKTools(tools), prompt: "go", stopWhen: isStepCount(10), maxRetries: 0, abortSignal: signal })
    assert.equal(text, "done")
    return model.doGenerateCalls.at(-1).prompt.flatMap((message) => (message.role === "tool" ? message.content.map((part) => part.output) : []))
  },
  async langchain(tools, calls, signal) {
    const model = fakeModel()
    for (const [index, [name, args]] of calls.entries()) model.respondWithTools([{ name, args, id: String(index) }])
    model.respond(new AIMessage("done"))
    const list = await toLangChainTools(tools)
    const bound = model.bindTools(list)
    const messages = []
    for (;;) {
      const answer = await bound.invoke(messages.length === 0 ? "go" : messages)
      if ((answer.tool_calls ?? []).length === 0) return messages.filter((message) => message instanceof ToolMessage).map(({ status, content }) => ({ status, content }))
      messages.push(answer)
      for (const call of answer.tool_calls) {
        const tool = list.find(({ name }) => name === call.name)
        const failed = (error) => {
          if (signal?.aborted) throw error
          return new ToolMessage({ status: "error", content: error.message, tool_call_id: call.id })
        }
        messages.push(await tool.invoke({ type: "tool_call", ...call }, { signal }).catch(failed))
      }
    }
  },
  async openai(tools, calls, signal) {
    const model = new ScriptedModel([...calls.map(([name, input], index) => modelResponse([functionCall(name, input, { callId: String(index) })])), modelResponse([assistantMessage("done")])])
    const agent = new Agent({ name: "tester", model, tools: await toOpenAIAgentsTools(tools) })
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "go", { signal })
    assert.equal(finalOutput, "done")
    return model.calls.at(-1).request.input.flatMap((item) => (item.type === "function_call_result" ? [item.output] : []))
  },
}

const expected = {
  ai([echo, failed, image]) {
    assert.deepEqual(echo, { type: "text", value: "Echo: hello" })
    assert.equal(failed.type, "error-text")
    assert.match(failed.value, /requires task augmentation/)
    assert.deepEqual(image.value.map(({ type }) => type), ["text", "file", "text"])
    assert.equal(image.value[1].mediaType, "image/png")
    assert.match(image.value[1].data.data, /^iVBOR/)
  },
  langchain([echo, failed, image]) {
    assert.deepEqual(echo, { status: "success", content: "Echo: hello" })
    assert.equal(failed.status, "error")
    assert.match(failed.content, /requires task augmentation/)
    assert.deepEqual(image.content.map(({ type }) => type), ["text", "image_url", "text"])
  },
  openai([echo, failed, image]) {
    assert.deepEqual(echo, { type: "text", text: "Echo: hello" })
    assert.match(failed.text, /^Error: .*requires task augmentation/)
    assert.deepEqual(image.map(({ type }) => type), ["input_text", "input_image", "input_text"])
  },
}

/** The tools, and a promise of the moment at which the server reports that the long call runs. */
async function watched() {
  let started
  const running = new Promise((resolve) => (started = resolve))
  const tools = await toTools(registry)
  return {
    running,
    tools: tools.map((tool) => ({ ...tool, callWithEnvelope: (args, context) => tool.callWithEnvelope(args, { ...context, onProgress: () => started() }) })),
  }
}

try {
  for (const [name, run] of Object.entries(agents)) {
    expected[name](await run(await toTools(registry), CALLS))
    const read = JSON.stringify(await run(await toTools(denied), [CALLS[0]]))
    assert.ok(read.includes(JSON.stringify(DENIED).slice(1, -1)), read)
    const stop = new AbortController()
    const { running, tools } = await watched()
    const ended = run(tools, [LONG], stop.signal).then(
      () => assert.fail("the run was not stopped"),
      (error) => assert.ok(stop.signal.aborted, error),
    )
    await running
    stop.abort()
    await ended
    console.log(`${name}: tools called, an error read, a denial kept, a run stopped`)
  }
} finally {
  await wrapper.close()
}
