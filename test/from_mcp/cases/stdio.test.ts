/**
 * Servers that are processes: noisy, dying, silent, quarrelsome about their environment.
 */
import { describe, expect, test } from "vitest"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { BY_THE_CLOCK, callError, callerOf, connect, connectScripted, expectWithin, scriptedServer, testFolder, timed, toolOf } from "../../fixtures/servers/scripted.js"
import { isAlive, until } from "../../fixtures/servers/server_log.js"

const TOOL = [{ name: "t" }]

// microsoft/azure-devops-mcp#147, hustcc/mcp-mermaid#25, hurttlocker/o8#1541
describe("text on stdout beside the protocol", () => {
  test("lines of text are warnings that quote them, and the call succeeds", async () => {
    const { wrapper, call, log } = await connectScripted({
      tools: TOOL,
      atStart: [{ raw: "Starting v1.2\n" }],
      calls: { t: [{ raw: "Calling API...\n" }, { echo: true }] },
    })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    expect(wrapper.warnings).toHaveLength(2)
    expect(wrapper.warnings.map(({ server, kind }) => [server, kind])).toEqual([
      ["demo", "junk"],
      ["demo", "junk"],
    ])
    expect(wrapper.warnings[0]?.message).toContain("Starting v1.2")
    expect(wrapper.warnings[1]?.message).toContain("Calling API...")
    expect(log.starts()).toHaveLength(1)
  })

  test.each([
    ["before it on the same line", 'Calling API...{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"n":1}}}\n'],
    ["with braces of its own", 'got {"a":{"b":1}} and {"jsonrpc":"2.0"} {"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"n":1}}}\n'],
    ["with a quote that is never closed", 'it said "hello {"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"n":1}}}\n'],
    ["with the members of the answer in another order", 'log: {"id":$ID,"result":{"content":[],"structuredContent":{"n":1}},"jsonrpc":"2.0"}\n'],
    ["and a line end of Windows", 'Calling API...{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"n":1}}}\r\n'],
    ["as bytes that are no UTF-8 text", '\u0000\u001b[32m✓\u001b[0m {"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"n":1}}}\n'],
  ])("text %s does not lose the answer", BY_THE_CLOCK, async (_, raw) => {
    const { wrapper, call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw }] } })
    const { value, ms } = await timed(() => call("t", {}, { timeoutMs: 30_000 }))
    expect(value.data).toEqual({ n: 1 })
    expectWithin(ms, 1_000)
    expect(wrapper.warnings.map(({ kind }) => kind)).toContain("junk")
  })

  test.each(['{"level":"info","msg":"x"}\n', "[1,2]\n", "null\n", "5\n", '"jsonrpc"\n', "{}\n", '{"jsonrpc":"2.0"}\n', '{"jsonrpc":"2.0","id":\n'])(
    "a line that is JSON or half of it, and no message, is a warning: %j",
    async (raw) => {
      const { wrapper, call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw }, { echo: true }] } })
      expect((await call("t", {}, { timeoutMs: 30_000 })).data).toEqual({ given: {} })
      expect(wrapper.warnings.length).toBeGreaterThanOrEqual(1)
    },
  )

  test("a long line is quoted by its first 200 characters", async () => {
    const { wrapper, call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw: `${"a".repeat(200)}${"b".repeat(5_000)}\n` }, { echo: true }] } })
    await call("t", {})
    expect(wrapper.warnings).toHaveLength(1)
    expect(wrapper.warnings[0]?.message).toContain("a".repeat(190))
    expect(wrapper.warnings[0]?.message).not.toContain("bb")
  })

  test("empty lines are nothing at all", async () => {
    const { wrapper, call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw: "\n\r\n \n" }, { echo: true }] } })
    expect((await call("t", {})).data).toEqual({ given: {} })
    expect(wrapper.warnings).toEqual([])
  })

  test("a flood of lines is bounded: warnings are few and short, and the call succeeds", async () => {
    const { wrapper, call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw: "noise\n", times: 20_000 }, { raw: `${"long ".repeat(20_000)}\n` }, { echo: true }] } })
    expect((await call("t", {})).data).toEqual({ given: {} })
    expect(wrapper.warnings.length).toBeLessThanOrEqual(1_000)
    for (const { message } of wrapper.warnings) expect(message.length).toBeLessThanOrEqual(500)
  })

  test("six megabytes of text before the answer on its line do not lose it", BY_THE_CLOCK, async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ raw: "noise ", times: 1_000_000 }, { echo: true }] } })
    const { value, ms } = await timed(() => call("t", { a: 1 }))
    expect(value.data).toEqual({ given: { a: 1 } })
    expectWithin(ms, 5_000)
  })

  // punkpeye/mcp-proxy#89, JuliusBrussee/caveman#774
  test("characters split over single bytes arrive whole", async () => {
    const text = "— 🎉 读 \u2028 é"
    const { call } = await connectScripted({ tools: TOOL, chunk: 1, calls: { t: [{ raw: "né 🎉" }, { result: { content: [{ type: "text", text }] } }] } })
    expect((await call("t", {})).data).toEqual([{ type: "text", text }])
  })

  // google-gemini/gemini-cli#18054, google-gemini/gemini-cli#18771
  test("a malformed line is harmless: the same process goes on, with one warning", async () => {
    const { wrapper, call, log } = await connectScripted({ tools: TOOL, calls: { t: [[{ raw: '{"jsonrpc":"2.0","id":1,"result":{\n' }, { echo: true }], [{ echo: true }]] } })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
    expect((await call("t", { a: 2 })).data).toEqual({ given: { a: 2 } })
    expect(wrapper.warnings).toHaveLength(1)
    expect(wrapper.status).toBe("ready")
    expect(log.starts()).toHaveLength(1)
    expect(log.received("initialize")).toHaveLength(1)
  })

  test("answers in a batch, as one older revision allows, all arrive", async () => {
    const { call } = await connectScripted({
      initialize: { protocolVersion: "2025-03-26" },
      tools: TOOL,
      calls: { t: [{ raw: '[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":1}}]\n' }] },
    })
    expect((await call("t", {}, { timeoutMs: 30_000 })).data).toBe(1)
  })

  test("several answers in one write and one answer in many writes both arrive", async () => {
    const { call } = await connectScripted({
      tools: [{ name: "waits" }, { name: "sends" }, { name: "parts" }],
      calls: {
        waits: [{ delay: 50 }, { raw: '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}\n{"jsonrpc":"2.0","method":"notifications/unknown"}\n{"jsonrpc":"2.0",' }],
        sends: [{ delay: 100 }, { raw: '"id":$ID,"result":{"content":[],"structuredContent":1}}\n' }],
        parts: [{ raw: '{"jsonrpc":"2.0",' }, { delay: 20 }, { raw: '"id":$ID,"resu' }, { delay: 20 }, { raw: 'lt":{"content":[],"structuredContent":2}}\n' }],
      },
    })
    const [first, second] = await Promise.all([call("waits", {}), call("sends", {})])
    expect(first.data).toEqual([])
    expect(second.data).toBe(1)
    expect((await call("parts", {})).data).toBe(2)
  })
})

describe("a process that dies", () => {
  // PrefectHQ/fastmcp#499, GCWing/OpenBitFun#887
  test("in the middle of calls ends all of them within a second, with its signal and an unknown outcome", BY_THE_CLOCK, async () => {
    const { call } = await connectScripted({
      tools: [{ name: "wait" }, { name: "die" }],
      calls: { wait: [{ hang: true }], die: [{ ran: true }, { signal: "SIGKILL" }] },
    })
    const { value: errors, ms } = await timed(() => Promise.all([callError(call("wait", {})), callError(call("wait", {})), callError(call("die", {}))]))
    expectWithin(ms, 1_000)
    for (const error of errors) {
      expect(error.code).toBe("TRANSPORT_ERROR")
      expect(error.details).toMatchObject({ signal: "SIGKILL", outcome: "unknown" })
      expect(error.message).toContain("demo")
    }
  })

  test.each([
    ["right after it has listed its tools", { list: [{ result: { tools: TOOL } }, { exit: 5 }] }],
    ["between two calls", { tools: TOOL, calls: { t: [{ echo: true as const }, { exit: 5 }] } }],
  ])("%s leaves a client that says so, and starts no call", async (_, script) => {
    const { wrapper, log } = await connectScripted(script, { reconnect: false })
    const tool = toolOf(wrapper)
    if ("calls" in script) await tool.handler({})
    await until(() => wrapper.status !== "ready", "the client says so")
    expect(wrapper.status).toBe("failed")
    const calls = log.calls().length
    const error = await callError(tool.handler({}))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ exitCode: 5, outcome: "not_started" })
    expect(log.calls()).toHaveLength(calls)
    await wrapper.close()
    expect(wrapper.status).toBe("closed")
  })

  test("with an exit code tells the code", async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ exit: 7 }] } })
    const error = await callError(call("t", {}))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ exitCode: 7, outcome: "unknown" })
  })

  test("after its answer in the same breath has still answered", async () => {
    const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ echo: true }, { exit: 0 }] } })
    expect((await call("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
  })

  // modelcontextprotocol/typescript-sdk#153, can1357/oh-my-pi#11923, samanhappy/mcphub#1015
  test("at its start is told with its last words and its exit code", BY_THE_CLOCK, async () => {
    const { config } = scriptedServer({ atStart: [{ stderr: "FATAL: cannot open /etc/app/config.yaml\n" }, { exit: 3 }] })
    const { value: error, ms } = await timed(() => callError(connect("demo", config)))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ exitCode: 3 })
    expect(`${error.message} ${JSON.stringify(error.details)}`).toContain("FATAL: cannot open /etc/app/config.yaml")
    expectWithin(ms, 5_000)
  })

  test("keeps the end of what it said, 8 KiB of it", async () => {
    const { config } = scriptedServer({ atStart: [{ stderr: "early words\n" }, { stderr: "padding ", times: 5_000 }, { stderr: "the last word\n" }, { exit: 1 }] })
    const error = await callError(connect("demo", config))
    const told = JSON.stringify(error.details)
    expect(told).toContain("the last word")
    expect(told).not.toContain("early words")
    expect(told.length).toBeLessThan(8_192 + 2_000)
  })

  test("shows no secret of its config", async () => {
    const secrets = { env: "env-value-hunter2-1", token: "flag-value-hunter2-2", equals: "flag-value-hunter2-3", user: "hunter2-4", query: "hunter2-5" }
    const { config } = scriptedServer({
      atStart: [{ stderr: `${secrets.env} ${secrets.token} ${secrets.equals} https://me:${secrets.user}@host.example/p?key=${secrets.query}\n` }, { exit: 1 }],
    })
    const error = await callError(
      connect("demo", {
        ...config,
        args: [...config.args, "--api-key", secrets.token, `--auth-token=${secrets.equals}`],
        env: { SOME_SETTING: secrets.env },
      }),
    )
    const told = `${error.message} ${JSON.stringify(error.details)} ${JSON.stringify(error)}`
    expect(told).toContain("host.example")
    for (const secret of Object.values(secrets)) expect(told).not.toContain(secret)
  })

  test("and a server that tells a secret of its config in an error or on stdout shows none of it, while results stay as sent", async () => {
    const secret = "sk-hunter2-hunter2"
    const { config } = scriptedServer({
      tools: [{ name: "refuses" }, { name: "malformed" }, { name: "noisy" }],
      calls: {
        refuses: [{ error: { code: -32000, message: `bad token ${secret}`, data: { tried: [secret], nested: { text: `Bearer ${secret}` } } } }],
        malformed: [{ answer: { error: `no code, but ${secret}` } }],
        noisy: [{ raw: `calling with ${secret}\n` }, { result: { content: [{ type: "text", text: secret }] } }],
      },
    })
    const wrapper = await connect("demo", { ...config, env: { API_KEY: secret } })
    const call = callerOf(wrapper)
    for (const tool of ["refuses", "malformed"]) {
      const error = await callError(call(tool, {}))
      expect(error.code).toBe("PROTOCOL_ERROR")
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2")
    }
    expect((await call("noisy", {})).data).toEqual([{ type: "text", text: secret }])
    expect(wrapper.warnings.map(({ message }) => message).join(" ")).toContain("calling with")
    expect(JSON.stringify(wrapper.warnings)).not.toContain("hunter2")
  })

  test.each([
    ["in the middle of a call", "t", { outcome: "unknown", exitCode: 3 }],
    ["by a signal", "killed", { outcome: "unknown", signal: "SIGKILL", exitCode: null }],
  ])("%s is told with its command, how it ended and its last words, and shows no secret", async (_, tool, details) => {
    const secret = "hunter2-hunter2"
    const said = { stderr: `FATAL: no route, tried ${secret} at https://me:pw-pw-pw@host.example/p?key=in-query\n` }
    const { config } = scriptedServer({
      tools: [{ name: "t" }, { name: "killed" }],
      calls: { t: [said, { exit: 3 }], killed: [said, { signal: "SIGKILL" }] },
    })
    const wrapper = await connect("demo", { ...config, env: { API_KEY: secret } }, { reconnect: false })
    const error = await callError(callerOf(wrapper)(tool, {}))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ server: "demo", command: config.command, ...details })
    expect(error.details["stderr"]).toContain("FATAL: no route, tried *** at https://")
    const told = `${error.message} ${JSON.stringify(error)} ${JSON.stringify(wrapper.statusDetail)} ${JSON.stringify(wrapper.warnings)}`
    for (const hidden of ["hunter2", "pw-pw-pw", "in-query"]) expect(told).not.toContain(hidden)
    expect(told).toContain("host.example")
  })

  test("that was never there is told by its command", async () => {
    const error = await callError(connect("demo", { command: "no-such-binary-anywhere" }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ outcome: "not_started" })
    expect(error.message).toContain("no-such-binary-anywhere")
    expect(error.message).toContain("demo")
  })

  test("a working folder that does not exist is an error too", async () => {
    const error = await callError(connect("demo", { command: process.execPath, args: ["-e", ""], cwd: `${testFolder()}/absent` }))
    expect(error.code).toBe("TRANSPORT_ERROR")
    expect(error.details).toMatchObject({ outcome: "not_started" })
  })
})

describe("a process that lives on without a pipe", () => {
  test("its calls end when it can say nothing any more", BY_THE_CLOCK, async () => {
    const { call } = await connectScripted({ tools: TOOL, ignoreEnd: true, calls: { t: [{ close: "stdout" }, { hang: true }] } })
    const { value: error, ms } = await timed(() => callError(call("t", {}, { timeoutMs: 30_000 })))
    expect([error.code, error.details["outcome"]]).toEqual(["TRANSPORT_ERROR", "unknown"])
    expectWithin(ms, 5_000)
  })

  test("calls that it cannot hear end as well, however much they say", async () => {
    const { call, wrapper } = await connectScripted({ tools: TOOL, ignoreEnd: true, calls: { t: [{ close: "stdin" }, { echo: true }] } }, { reconnect: false })
    const tool = toolOf(wrapper)
    expect((await call("t", {})).data).toEqual({ given: {} })
    for (let time = 0; time < 3; time++) {
      const error = await callError(tool.handler({ text: "x".repeat(200_000) }, { timeoutMs: 30_000 }))
      expect(error.code).toBe("TRANSPORT_ERROR")
    }
  })
})

test("50 MB on stderr neither block the server nor stay in memory", async () => {
  const collect = garbageCollector()
  const inUse = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const { call } = await connectScripted({ tools: TOOL, calls: { t: [{ stderr: "0123456789abcde\n", times: 3_276_800 }, { echo: true }] } })
  const before = inUse()
  expect((await call("t", {})).data).toEqual({ given: {} })
  // Memory of buffers is given back some turns after its collection.
  await until(() => inUse() - before < 5_000_000, "less than 5 MB are kept")
})

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}

describe("the environment of a process", () => {
  // modelcontextprotocol/typescript-sdk#216, modelcontextprotocol/python-sdk#213, openai/codex#10206
  test.each([["nothing"], ["a variable"]])("with %s of its own it has PATH and HOME, and no secret of the host", async (own) => {
    process.env["HOST_SECRET_FOR_TEST"] = "hunter2"
    try {
      const { config } = scriptedServer({ tools: TOOL, calls: { t: [{ env: true }] } })
      const wrapper = await connect("demo", own === "nothing" ? config : { ...config, env: { API_KEY: "k" } })
      const env = (await callerOf(wrapper)("t", {})).data as Record<string, string>
      expect(env["API_KEY"]).toBe(own === "nothing" ? undefined : "k")
      expect(env["PATH"]).toBe(process.env["PATH"])
      expect(env["HOME"]).toBe(process.env["HOME"])
      expect(env).not.toHaveProperty("HOST_SECRET_FOR_TEST")
    } finally {
      delete process.env["HOST_SECRET_FOR_TEST"]
    }
  })

  test("what the config says wins", async () => {
    const { config } = scriptedServer({ tools: TOOL, calls: { t: [{ env: true }] } })
    const wrapper = await connect("demo", { ...config, env: { HOME: "/nowhere" } })
    expect((await callerOf(wrapper)("t", {})).data).toMatchObject({ HOME: "/nowhere" })
  })
})

describe("a handshake that never ends", () => {
  // anthropics/claude-code#35287, assistant-ui/assistant-ui#5070
  test.each([{}, { ignoreEnd: true, ignoreSigterm: true } as const])("rejects in time and leaves no process behind: %j", BY_THE_CLOCK, async (stubborn) => {
    const { config, log } = scriptedServer({ initialize: "never", ...stubborn })
    const { value: error, ms } = await timed(() => callError(connect("demo", config, { connectTimeoutMs: 300 })))
    expect(error.code).toBe("TIMEOUT")
    expect(error.message).toContain("demo")
    expect(ms).toBeGreaterThanOrEqual(298)
    expectWithin(ms, 1_300)
    const pids = log.pids()
    await until(() => pids.every((pid) => !isAlive(pid)), "the server is gone")
  })

  test("a listing that never ends is bounded by the same limit", BY_THE_CLOCK, async () => {
    const { config, log } = scriptedServer({ list: [{ hang: true }] })
    const { value: error, ms } = await timed(() => callError(connect("demo", config, { connectTimeoutMs: 400 })))
    expect(error.code).toBe("TIMEOUT")
    expectWithin(ms, 1_400)
    await until(() => log.pids().every((pid) => !isAlive(pid)), "the server is gone")
  })

  test("giving up by signal ends it at once", BY_THE_CLOCK, async () => {
    const { config, log } = scriptedServer({ initialize: "never" })
    const stop = new AbortController()
    const connecting = callError(connect("demo", config, { signal: stop.signal }))
    await until(() => log.received("initialize").length === 1, "initialize has arrived")
    const { value: error, ms } = await timed(async () => {
      stop.abort(new Error("private reason"))
      return connecting
    })
    expect(error.code).toBe("ABORTED")
    expectWithin(ms, 1_000)
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain("private reason")
    await until(() => log.pids().every((pid) => !isAlive(pid)), "the server is gone")
  })

  test.each([
    ["an error", [{ error: { code: -32602, message: "Unsupported protocol version" } }], "PROTOCOL_ERROR"],
    ["a revision that nobody knows", [{ result: { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "x", version: "1" } } }], "1999-01-01"],
    ["nothing of what it must say", [{ result: {} }], "PROTOCOL_ERROR"],
  ])("a handshake answered with %s rejects and leaves no process behind", BY_THE_CLOCK, async (_, initialize, told) => {
    const { config, log } = scriptedServer({ initialize })
    const { value: error, ms } = await timed(() => callError(connect("demo", config, { connectTimeoutMs: 30_000 })))
    expect(`${error.code} ${error.message} ${JSON.stringify(error.details)}`).toContain(told)
    expect(error.message).toContain("demo")
    expectWithin(ms, 5_000)
    await until(() => log.pids().every((pid) => !isAlive(pid)), "the server is gone")
  })
})

describe("closing", () => {
  // modelcontextprotocol/typescript-sdk#2023, anomalyco/opencode#34525, ihor-sokoliuk/mcp-searxng#60
  test("ends the whole tree of processes, those too that ignore being asked", async () => {
    const { config, log } = scriptedServer({ tools: TOOL, ignoreEnd: true, ignoreSigterm: true, calls: { t: [{ child: true }, { echo: true }] } })
    const wrapper = await connect("demo", { command: "sh", args: ["-c", '"$0" "$@"; true', config.command, ...config.args] })
    await callerOf(wrapper)("t", {})
    expect(log.pids()).toHaveLength(2)
    await wrapper.close()
    expect(wrapper.status).toBe("closed")
    await until(() => log.pids().every((pid) => !isAlive(pid)), "the tree is gone")
  })

  test("twice is the same as once", async () => {
    const { wrapper } = await connectScripted({ tools: TOOL })
    await Promise.all([wrapper.close(), wrapper.close()])
    await wrapper.close()
    expect(wrapper.status).toBe("closed")
  })
})

// langchain-ai/langchain-mcp-adapters#320
test("ten calls run in one process, and two clients of one config have a process each", async () => {
  const { config, log } = scriptedServer({ tools: TOOL })
  const first = await connect("one", config)
  for (let index = 0; index < 10; index++) await callerOf(first)("t", { index })
  expect(log.starts()).toHaveLength(1)
  const second = await connect("two", config)
  await callerOf(second)("t", {})
  expect(new Set(log.starts()).size).toBe(2)
})
