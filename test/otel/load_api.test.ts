import { expect, test, vi } from "vitest"
import { otel } from "../../src/otel.js"
import { callError } from "../fixtures/servers/scripted.js"
import { connectInMemory } from "../fixtures/servers/in_memory.js"

vi.mock("@opentelemetry/api", () => {
  throw new Error("Cannot find package '@opentelemetry/api'")
})

test("without the package a call says which one to install, and nothing is sent", async () => {
  const { call, log } = await connectInMemory({ tools: [{ name: "echo", inputSchema: {} }] }, { instrument: otel().instrument })
  expect(await callError(call("echo"))).toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: "Telemetry needs the package @opentelemetry/api, which is not installed",
    details: { package: "@opentelemetry/api", remedy: "npm install @opentelemetry/api", outcome: "not_started" },
  })
  expect(log.received("tools/call")).toEqual([])
})
