/**
 * What the compiler must accept and refuse of operations, the registry and environments.
 */
import { Type } from "@sinclair/typebox"
import { createMCPClient } from "../../src/from_mcp.js"
import { OperationRegistry, defineOperation, type Operation, type ResponseEnvelope } from "../../src/index.js"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <_A, _B>(..._proof: Equal<_A, _B> extends true ? [] : [never]): void => undefined

const registry = new OperationRegistry()
const add = defineOperation({
  namespace: "math",
  name: "add",
  type: "query",
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler: ({ a, b }, context) => {
    same<typeof a, number>()
    same<typeof b, number | undefined>()
    void context.identity?.id
    return { sum: a + (b ?? 0) }
  },
})
const ticks = defineOperation({
  namespace: "clock",
  name: "ticks",
  type: "subscription",
  inputSchema: Type.Object({ every: Type.Number() }),
  outputSchema: Type.Number(),
  handler: async function* ({ every }) {
    yield await Promise.resolve(every)
  },
})

registry.register(add)
registry.registerAll([add, ticks])

const envelope = await registry.execute(add, { a: 1 })
same<typeof envelope, ResponseEnvelope<{ sum: number }>>()
const byId = await registry.execute("math.add", { anything: true })
same<typeof byId, ResponseEnvelope>()
for await (const tick of registry.subscribe(ticks, { every: 5 })) same<typeof tick, ResponseEnvelope<number>>()

// @ts-expect-error the input has no such member type
await registry.execute(add, { a: "1" })
// @ts-expect-error a required member is missing
await registry.execute(add, {})
// @ts-expect-error the input must be given
await registry.execute(add)

defineOperation({
  namespace: "math",
  name: "wrong",
  inputSchema: Type.Object({}),
  outputSchema: Type.Number(),
  // @ts-expect-error the handler's result does not fit the output schema
  handler: () => "text",
})
defineOperation({
  namespace: "math",
  name: "wrong",
  type: "subscription",
  inputSchema: Type.Object({}),
  outputSchema: Type.Number(),
  // @ts-expect-error a subscription yields
  handler: () => 5,
})
defineOperation({
  namespace: "math",
  name: "envelope",
  inputSchema: Type.Object({}),
  outputSchema: Type.Number(),
  handler: () => Promise.resolve({ data: 5, meta: { source: "local" as const, operationId: "a.b", timestamp: 0 } }),
})
// @ts-expect-error a registry takes operations, not specs without a handler
registry.register({ ...add, handler: undefined })

same<typeof add extends Operation ? true : false, false>()

const wrapper = await createMCPClient("files", { command: "server" })
registry.registerAll(wrapper.tools)
const answer = await wrapper.tools[0]?.handler({ path: "." })
same<typeof answer, ResponseEnvelope | undefined>()
if (answer?.meta.source === "mcp") same<typeof answer.meta.isError, boolean>()
// @ts-expect-error only an MCP answer has isError
void answer?.meta.isError
