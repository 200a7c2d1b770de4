import { AsyncLocalStorage } from "node:async_hooks"
import { Type } from "@sinclair/typebox"
import { context as otelContext, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type ContextManager } from "@opentelemetry/api"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CallError } from "../src/error.js"
import { createMCPClient, type MCPClientWrapper } from "../src/from_mcp.js"
import { defineOperation, type AnyOperation } from "../src/operation.js"
import { otel } from "../src/otel.js"
import { OperationRegistry } from "../src/registry.js"
import { connectInMemory } from "./fixtures/servers/in_memory.js"
import { everythingOverHTTP } from "./fixtures/servers/http_everything.js"
import { openScope } from "./fixtures/servers/scope.js"
import { until } from "./fixtures/servers/server_log.js"
import { recordedTelemetry, spanOf } from "./otel/recorded_telemetry.js"

const anything = Type.Unknown()
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const TRACE = "0af7651916cd43dd8448eb211c80319c"
const PARENT = "b7ad6b7169203331"

const local = (name: string, handler: AnyOperation["handler"]) =>
  defineOperation({ namespace: "local", name, inputSchema: anything, outputSchema: anything, handler: handler as (input: unknown) => unknown })

function setUp(operations: readonly AnyOperation[] = []) {
  const recorded = recordedTelemetry()
  const telemetry = otel(recorded)
  const registry = new OperationRegistry()
  registry.use(telemetry)
  registry.registerAll(operations)
  return { ...recorded, telemetry, registry }
}

const script = {
  tools: ["echo", "fail", "refuse"].map((name) => ({ name, inputSchema: {} })),
  calls: { fail: [{ result: { isError: true, content: [] } }], refuse: [{ error: { code: -32_602, message: "argument hunter2 is wrong" } }] },
}

async function withServer() {
  const own = setUp()
  const { wrapper, log, call } = await connectInMemory(script, { instrument: own.telemetry.instrument })
  own.registry.registerAll(wrapper.tools)
  return { ...own, wrapper, log, call }
}

describe("with server-everything over HTTP", () => {
  const { scope, end } = openScope()
  let wrapper: MCPClientWrapper
  let own: ReturnType<typeof setUp>
  let address: URL
  beforeAll(async () => {
    own = setUp()
    address = new URL((await everythingOverHTTP("streamableHttp", scope)).url)
    wrapper = await createMCPClient("everything", { url: address.href }, { instrument: own.telemetry.instrument })
    scope(() => wrapper.close())
    own.registry.registerAll(wrapper.tools)
  }, 60_000)
  afterAll(end)

  test("a call is two spans: the operation, and below it the request by the conventions", async () => {
    await own.registry.execute("everything.get-sum", { a: 1, b: 2 })
    const operation = spanOf(own.spans(), "execute everything.get-sum")
    const request = spanOf(own.spans(), "tools/call get-sum")
    expect([operation.kind, request.kind]).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT])
    expect(request.parentSpanContext?.spanId).toBe(operation.spanContext().spanId)
    expect(request.spanContext().traceId).toBe(operation.spanContext().traceId)
    expect(operation.attributes).toEqual({
      "mcp_operations.operation.id": "everything.get-sum",
      "mcp_operations.operation.version": wrapper.server.version,
      "mcp_operations.operation.type": "mutation",
      "mcp_operations.source": "mcp",
    })
    expect(request.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get-sum",
      "mcp_operations.server.name": "everything",
      "mcp_operations.operation.id": "everything.get-sum",
      "mcp.protocol.version": "2025-11-25",
      "mcp.session.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "server.address": "127.0.0.1",
      "server.port": Number(address.port),
    })
    expect([operation.status.code, request.status.code]).toEqual([SpanStatusCode.UNSET, SpanStatusCode.UNSET])
  })

  test("durations are in seconds with the advised buckets, the size in bytes, and no session stands in a metric", async () => {
    const duration = await own.metric("mcp.client.operation.duration")
    expect(duration.unit).toBe("s")
    expect(duration.points).toMatchObject([{ count: 1, boundaries: BUCKETS }])
    expect(duration.points[0]?.sum).toBeGreaterThan(0)
    expect(duration.points[0]?.sum).toBeLessThan(60)
    expect(duration.points[0]?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get-sum",
      "mcp_operations.server.name": "everything",
      "mcp.protocol.version": "2025-11-25",
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "server.address": "127.0.0.1",
      "server.port": Number(address.port),
    })
    const text = JSON.stringify({ content: [{ type: "text", text: "The sum of 1 and 2 is 3." }] })
    expect(await own.metric("mcp_operations.result.size")).toMatchObject({ unit: "By", points: [{ count: 1, sum: text.length }] })
    expect(await own.metric("mcp_operations.operation.duration")).toMatchObject({
      unit: "s",
      points: [{ count: 1, boundaries: BUCKETS, attributes: { "mcp_operations.operation.id": "everything.get-sum", "mcp_operations.source": "mcp" } }],
    })
  })
})

describe("how a call ended", () => {
  test.each([
    ["fail", "tool_error", "tool_error", {}],
    ["refuse", "PROTOCOL_ERROR", "-32602", { "rpc.response.status_code": "-32602" }],
  ])("%s: the operation has error.type %s, the request %s", async (tool, operationType, requestType, more) => {
    const { registry, spans, metric } = await withServer()
    await registry.execute(`demo.${tool}`).catch(() => undefined)
    const operation = spanOf(spans(), `execute demo.${tool}`)
    const request = spanOf(spans(), `tools/call ${tool}`)
    expect([operation.status, request.status]).toEqual([{ code: SpanStatusCode.ERROR }, { code: SpanStatusCode.ERROR }])
    expect([operation.attributes["error.type"], request.attributes["error.type"]]).toEqual([operationType, requestType])
    expect(request.attributes).toMatchObject(more)
    expect([operation.events, request.events]).toEqual([[], []])
    expect((await metric("mcp.client.operation.duration")).points).toMatchObject([{ count: 1, attributes: { "error.type": requestType, ...more } }])
  })

  test.each([
    ["ACCESS_DENIED", new CallError("ACCESS_DENIED", "no", { details: { outcome: "not_started" } }), "not_started"],
    ["NO_STOCK", new CallError("NO_STOCK", "none left"), undefined],
    ["EXECUTION_ERROR", new Error("boom"), undefined],
  ])("a handler that throws: %s", async (code, thrown, outcome) => {
    const { registry, spans } = setUp([{ ...local("x", () => Promise.reject(thrown)), errorSchemas: [{ code: "NO_STOCK" }] }])
    await expect(registry.execute("local.x")).rejects.toMatchObject({ code })
    const span = spanOf(spans(), "execute local.x")
    expect([span.attributes["error.type"], span.attributes["mcp_operations.outcome"], span.status]).toEqual([code, outcome, { code: SpanStatusCode.ERROR }])
  })

  test("an aborted call ends its spans", async () => {
    const own = setUp()
    const { wrapper, log } = await connectInMemory({ tools: [{ name: "hang", inputSchema: {} }], calls: { hang: [{ hang: true }] } }, { instrument: own.telemetry.instrument })
    own.registry.registerAll(wrapper.tools)
    const stop = new AbortController()
    const call = own.registry.execute("demo.hang", {}, { signal: stop.signal })
    await until(() => log.calls("hang").length === 1, "the server has the call")
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: "ABORTED" })
    expect(own.spans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([["tools/call hang", "ABORTED"], ["execute demo.hang", "ABORTED"]])
  })
})

describe("parents", () => {
  test("the server is told of the request's span, in _meta", async () => {
    const { registry, spans, log } = await withServer()
    await registry.execute("demo.echo", { a: 1 })
    const { traceId, spanId } = spanOf(spans(), "tools/call echo").spanContext()
    expect(log.received("tools/call")).toEqual([{ name: "echo", arguments: { a: 1 }, _meta: { traceparent: `00-${traceId}-${spanId}-01` } }])
  })

  test("or is not, where the host does not want it", async () => {
    const recorded = recordedTelemetry()
    const { call, log } = await connectInMemory(script, { instrument: otel({ ...recorded, propagate: false }).instrument })
    await call("echo", { a: 1 })
    expect(log.received("tools/call")).toEqual([{ name: "echo", arguments: { a: 1 } }])
    expect(recorded.spans()).toHaveLength(1)
  })

  test("traceparent of the call's context is the parent of both, and its tracestate-less trace goes on", async () => {
    const { registry, spans, log } = await withServer()
    await registry.execute("demo.echo", {}, { traceparent: `00-${TRACE}-${PARENT}-01` })
    const operation = spanOf(spans(), "execute demo.echo")
    expect(operation.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT, isRemote: true })
    const { spanId } = spanOf(spans(), "tools/call echo").spanContext()
    expect(log.received("tools/call")[0]?._meta).toEqual({ traceparent: `00-${TRACE}-${spanId}-01` })
  })

  test.each(["", "nonsense", `00-${"0".repeat(32)}-${PARENT}-01`, `00-${TRACE}-${"0".repeat(16)}-01`, `ff-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01x`])(
    "the traceparent %j is no parent",
    async (traceparent) => {
      const { registry, spans } = setUp([local("x", () => 1)])
      await registry.execute("local.x", null, { traceparent })
      expect(spanOf(spans(), "execute local.x").parentSpanContext).toBeUndefined()
    },
  )

  test("a child call is below its parent, also where no context manager is set up", async () => {
    const own = setUp([
      local("child", () => 1),
      { ...local("parent", () => 1), handler: (_input: unknown, context) => context.env?.["local"]?.["child"]?.() },
    ])
    await own.registry.execute("local.parent", null, { requestId: "r1" })
    const parent = spanOf(own.spans(), "execute local.parent")
    expect(spanOf(own.spans(), "execute local.child").parentSpanContext?.spanId).toBe(parent.spanContext().spanId)
  })

  test("a handler called without a registry has the request's span alone", async () => {
    const { call, spans } = await withServer()
    await call("echo", {})
    expect(spans().map(({ name, parentSpanContext }) => [name, parentSpanContext])).toEqual([["tools/call echo", undefined]])
  })

  describe("with a context manager of the host", () => {
    const storage = new AsyncLocalStorage<Context>()
    const manager: ContextManager = {
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (context, run, self, ...args) => storage.run(context, () => run.apply(self as never, args)),
      bind: (_context, target) => target,
      enable: () => manager,
      disable: () => manager,
    }
    beforeAll(() => void otelContext.setGlobalContextManager(manager))
    afterAll(() => otelContext.disable())

    test("the host's active span is the parent, and spans of a handler are below the operation", async () => {
      const own = setUp()
      const tracer = own.tracerProvider.getTracer("host")
      own.registry.register(local("x", () => tracer.startActiveSpan("inside", (span) => span.end())))
      await tracer.startActiveSpan("outside", async (span) => {
        await own.registry.execute("local.x", null, { traceparent: `00-${TRACE}-${PARENT}-01` })
        span.end()
      })
      const [inside, operation, outside] = ["inside", "execute local.x", "outside"].map((name) => spanOf(own.spans(), name))
      expect(operation?.parentSpanContext?.spanId).toBe(outside?.spanContext().spanId)
      expect(inside?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId)
    })

    test("tracestate of the trace goes to the server too", async () => {
      const { registry, log } = await withServer()
      const { createTraceState } = await import("@opentelemetry/api")
      const outer = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE, spanId: PARENT, traceFlags: 1, traceState: createTraceState("vendor=abc") })
      await manager.with(outer, () => registry.execute("demo.echo"))
      expect(log.received("tools/call")[0]?._meta).toMatchObject({ tracestate: "vendor=abc" })
    })
  })
})

test("each item of a subscription is a span, its end is none", async () => {
  const { registry, spans } = setUp([
    { ...local("items", () => 1), type: "subscription", handler: async function* () {
      yield await Promise.resolve(1)
      yield 2
    } },
  ])
  const items: unknown[] = []
  for await (const { data } of registry.subscribe("local.items")) items.push(data)
  expect(items).toEqual([1, 2])
  expect(spans().map(({ name, attributes }) => [name, attributes["mcp_operations.item.seq"]])).toEqual([["execute local.items", 0], ["execute local.items", 1]])
})

test("without an SDK of OpenTelemetry calls run as before, and nothing is made up for the server", async () => {
  const telemetry = otel()
  const { wrapper, log } = await connectInMemory(script, { instrument: telemetry.instrument })
  const registry = new OperationRegistry()
  registry.use(telemetry)
  registry.registerAll(wrapper.tools)
  expect((await registry.execute("demo.echo", { a: 1 }, { traceparent: `00-${TRACE}-${PARENT}-01` })).data).toEqual({ given: { a: 1 } })
  expect(log.received("tools/call")).toEqual([{ name: "echo", arguments: { a: 1 }, _meta: { traceparent: `00-${TRACE}-${PARENT}-01` } }])
})
