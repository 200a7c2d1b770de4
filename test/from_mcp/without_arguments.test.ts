import { describe, expect, test } from "vitest"
import { connectInMemory } from "../fixtures/servers/in_memory.js"
import { callError, connectScripted } from "../fixtures/servers/scripted.js"

const SECRET = "argument-secret-41ab"
const tools = [{ name: "refuses", inputSchema: {} }, { name: "dies", inputSchema: {} }, { name: "fails", inputSchema: {} }]

describe("a server that quotes the arguments", () => {
  test.each([
    ["in its message", `the key ${SECRET} is wrong`, "the key *** is wrong"],
    ["as part of JSON", `got ${JSON.stringify({ key: 'a "quoted" one' })}`, 'got {"key":"***"}'],
    ["so long that it was clipped", `${"x".repeat(485)} ${SECRET}`, `${"x".repeat(485)} ***…`],
    ["with what is too short to be told from other words", "the key short is wrong", "the key short is wrong"],
  ])("%s: the error does not", async (_, message, shown) => {
    const { call } = await connectInMemory({ tools, calls: { refuses: [{ error: { code: -32_602, message, data: { given: [SECRET], hint: 1 } } }] } })
    const error = await callError(call("refuses", { key: SECRET, nested: [{ deep: 'a "quoted" one' }], short: "short" }))
    expect(error.message).toBe(`Server "demo", tool "refuses": the server answered with error -32602: ${shown}`)
    expect(error.details).toEqual({ server: "demo", tool: "refuses", rpcCode: -32_602, rpcData: { given: ["***"], hint: 1 }, outcome: "failed" })
  })

  test("in its log before it dies: the error does not", async () => {
    const { call } = await connectScripted({ tools, calls: { dies: [{ stderr: `called with ${SECRET}\n` }, { exit: 3 }] } }, { reconnect: false })
    const error = await callError(call("dies", { key: SECRET }))
    expect(JSON.stringify(error)).not.toContain(SECRET)
    expect(error.details).toMatchObject({ exitCode: 3, outcome: "unknown", stderr: expect.stringContaining("called with ***") })
  })

  test("a name of server or tool that is given as an argument too stays in the message", async () => {
    const own = [{ name: "a-long-tool-name", inputSchema: {} }]
    const { call } = await connectInMemory({ tools: own, calls: { "a-long-tool-name": [{ error: { code: 1, message: "no a-long-tool-name here" } }] } })
    const error = await callError(call("a-long-tool-name", { name: "a-long-tool-name" }))
    expect(error.message).toBe('Server "demo", tool "a-long-tool-name": the server answered with error 1: no *** here')
  })

  test("of an input that holds itself: the call ends at once", async () => {
    const { call } = await connectInMemory({ tools })
    const input: Record<string, unknown> = { key: SECRET }
    input["self"] = [input, input]
    expect(await callError(call("refuses", input))).toMatchObject({ code: "VALIDATION_ERROR", details: { outcome: "not_started" } })
  })

  test("in a result: it is left as it is, for it is the caller's", async () => {
    const content = [{ type: "text", text: `the key ${SECRET} is wrong` }]
    const { call } = await connectInMemory({ tools, calls: { fails: [{ result: { isError: true, content } }] } })
    expect((await call("fails", { key: SECRET })).data).toEqual(content)
  })
})
