/**
 * The formats of OpenAI and Anthropic: tools in a request, answers in the next one.
 */
import { describe, expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { CallError } from "../../src/error.js"
import { localEnvelope } from "../../src/envelope.js"
import { defineOperation } from "../../src/operation.js"
import {
  ToolError,
  errorOutcome,
  toAnthropicResult,
  toAnthropicTools,
  toOpenAIMessage,
  toOpenAIOutput,
  toOpenAIResponsesTools,
  toOpenAITools,
  toTool,
} from "../../src/tools.js"

const tool = toTool(
  defineOperation({ namespace: "math", name: "add", description: "Adds", inputSchema: Type.Object({ a: Type.Number() }), outputSchema: Type.Number(), handler: ({ a }) => a + 1 }),
)
const parameters = { type: "object", properties: { a: { type: "number" } }, required: ["a"] }

describe("a tool in a request", () => {
  test.each<[string, unknown, unknown]>([
    ["of Chat Completions", toOpenAITools([tool]), [{ type: "function", function: { name: "math__add", description: "Adds", parameters, strict: false } }]],
    ["of Responses", toOpenAIResponsesTools([tool]), [{ type: "function", name: "math__add", description: "Adds", parameters, strict: false }]],
    ["of Messages", toAnthropicTools([tool]), [{ name: "math__add", description: "Adds", input_schema: parameters }]],
    ["without a description", toAnthropicTools([{ ...tool, description: "" }]), [{ name: "math__add", input_schema: parameters }]],
  ])("%s", (_what, given, expected) => {
    expect(given).toEqual(expected)
  })
})

describe("an answer in the next request", () => {
  const image = { type: "file", data: { type: "data", data: "AAEC" }, mediaType: "image/png" } as const
  const mixed = { result: [{ type: "text", text: "see" } as const, image], isError: false }
  const plain = { result: "2", isError: false }
  const failed = errorOutcome(new ToolError("failed", "disk full", localEnvelope(null, "x.y")))

  test.each<[string, unknown, unknown]>([
    ["Chat Completions, a text", toOpenAIMessage("c1", plain), { role: "tool", tool_call_id: "c1", content: "2" }],
    ["Chat Completions, an image: described", toOpenAIMessage("c1", mixed), { role: "tool", tool_call_id: "c1", content: "see\n[file, image/png, 3 bytes]" }],
    ["Chat Completions, a failure", toOpenAIMessage("c1", failed), { role: "tool", tool_call_id: "c1", content: "Error: disk full" }],
    ["Responses, a text", toOpenAIOutput("c1", plain), { type: "function_call_output", call_id: "c1", output: "2" }],
    [
      "Responses, an image",
      toOpenAIOutput("c1", mixed),
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "see" }, { type: "input_image", image_url: "data:image/png;base64,AAEC" }] },
    ],
    ["Messages, a text", toAnthropicResult("u1", plain), { type: "tool_result", tool_use_id: "u1", content: "2" }],
    [
      "Messages, an image",
      toAnthropicResult("u1", mixed),
      { type: "tool_result", tool_use_id: "u1", content: [{ type: "text", text: "see" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "AAEC" } }] },
    ],
    ["Messages, a failure", toAnthropicResult("u1", failed), { type: "tool_result", tool_use_id: "u1", content: "Error: disk full", is_error: true }],
  ])("%s", (_what, given, expected) => {
    expect(given).toEqual(expected)
  })

  test.each<[string, unknown, string]>([
    ["a CallError speaks for itself", new CallError("ACCESS_DENIED", "not allowed"), "Error: not allowed"],
    ["anything else may hold anything", new Error("postgres://user:hunter2@host"), "Error: the tool failed"],
    ["what is no error at all", "hunter2", "Error: the tool failed"],
  ])("of a call that threw: %s", (_what, thrown, result) => {
    expect(errorOutcome(thrown)).toEqual({ result, isError: true })
  })
})
