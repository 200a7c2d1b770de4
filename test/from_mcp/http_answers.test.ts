/**
 * Answers over HTTP: every form that is allowed, the malformed ones, and the ones that are too large.
 */
import { describe, expect, test } from "vitest"
import type { MCPWarning } from "../../src/from_mcp.js"
import { echo, openStream, resultOf, withCalls, type PostedMessage, type Received } from "../fixtures/servers/http_by_hand.js"
import { callError } from "../fixtures/servers/scripted.js"

describe("an answer is the same in every form that HTTP allows", () => {
  const content = { text: "grüße, 世界 🎉", n: 1 }
  const stream = (write: (text: string, request: Received) => void) => (request: Received) => {
    openStream(request.response)
    write(JSON.stringify(resultOf(request.message, content)), request)
  }
  const forms: Record<string, (request: Received) => void> = {
    "one document": ({ message, response }) => void response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(resultOf(message, content))),
    "a batch": ({ message, response }) => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([resultOf(message, content)])),
    "an event": stream((text, { response }) => response.end(`event: message\ndata: ${text}\n\n`)),
    "an event without a space": stream((text, { response }) => response.end(`data:${text}\n\n`)),
    "carriage returns and line feeds": stream((text, { response }) => response.end(`data: ${text}\r\n\r\n`)),
    "carriage returns": stream((text, { response }) => response.end(`data: ${text}\r\r`)),
    "a byte order mark": stream((text, { response }) => response.end(`\uFEFFdata: ${text}\n\n`)),
    "comments and unknown fields around it": stream((text, { response }) => response.end(`: hello\n\nfoo: bar\nretry: soon\n\n:\ndata: ${text}\nbar\n\n`)),
    "several data lines": stream((_text, { message, response }) => {
      const lines = JSON.stringify(resultOf(message, content), null, 2).split("\n")
      response.end(lines.map((line) => `data: ${line}\n`).join("") + "\n")
    }),
    "one byte at a time": stream((text, { response }) => {
      const bytes = Buffer.from(`: x\r\n\r\ndata: ${text}\r\n\r\n`)
      let at = 0
      const next = () => (at < bytes.length ? response.write(bytes.subarray(at, ++at), () => setImmediate(next)) : response.end())
      next()
    }),
    "other messages before and behind it": stream((text, { response }) => {
      const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })
      response.end(`data: ${note}\n\ndata: ${text}\n\ndata: ${note}\n\n`)
    }),
  }

  test.each(Object.keys(forms))("%s", async (form) => {
    const { call } = await withCalls((request) => forms[form]?.(request))
    const { data, meta } = await call("t", { a: 1 })
    expect(data).toEqual(content)
    expect(meta).toMatchObject({ source: "mcp", isError: false, dataFrom: "structuredContent" })
  })

  test("an answer without the end of its stream counts as soon as it is there", async () => {
    const { call } = await withCalls(({ message, response }) => {
      openStream(response)
      response.write(`data: ${JSON.stringify(resultOf(message, { a: 1 }))}\n\n`)
    })
    expect((await call("t", {})).data).toEqual({ a: 1 })
  })
})

describe("a malformed answer ends its call at once, in a document and in a stream", () => {
  const answers: [string, string, Record<string, unknown>][] = [
    ["result: null", '{"jsonrpc":"2.0","id":ID,"result":null}', { code: "PROTOCOL_ERROR", details: { outcome: "unknown" } }],
    ["result: a text", '{"jsonrpc":"2.0","id":ID,"result":"text"}', { code: "PROTOCOL_ERROR", details: { outcome: "unknown" } }],
    ["error: a text", '{"jsonrpc":"2.0","id":ID,"error":"boom"}', { code: "PROTOCOL_ERROR", details: { outcome: "unknown" } }],
    ["error without a message", '{"jsonrpc":"2.0","id":ID,"error":{"code":1}}', { code: "PROTOCOL_ERROR", details: { outcome: "unknown" } }],
    ["error", '{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"no"}}', { code: "PROTOCOL_ERROR", details: { rpcCode: -32001, outcome: "failed" } }],
  ]
  const forms = {
    document: (text: string, { response }: Received) => void response.writeHead(200, { "content-type": "application/json" }).end(text),
    stream: (text: string, { response }: Received) => {
      openStream(response)
      response.write(`data: ${text}\n\n`)
    },
  }
  for (const form of ["document", "stream"] as const) {
    test.each(answers)(`%s, as a ${form}`, async (_name, answer, expected) => {
      const { call } = await withCalls((request) => forms[form](answer.replace("ID", String(request.message?.id)), request))
      expect(await callError(call("t", {}))).toMatchObject(expected)
    })

    test.each([
      ["_meta: null", '{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":1,"_meta":null}}'],
      ["a member beside result", '{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":1},"extra":1}'],
      ["its id as text", '{"jsonrpc":"2.0","id":"ID","result":{"structuredContent":1}}'],
    ])(`%s costs nothing, as a ${form}`, async (_name, answer) => {
      const { call } = await withCalls((request) => forms[form](answer.replace("ID", String(request.message?.id)), request))
      expect((await call("t", {})).data).toBe(1)
    })
  }

  test.each<[string, string, (response: Received["response"]) => void, string]>([
    ["no JSON", "PROTOCOL_ERROR", (response) => response.writeHead(200, { "content-type": "application/json" }).end("{nope"), "not JSON"],
    ["no answer in the document", "PROTOCOL_ERROR", (response) => response.writeHead(200, { "content-type": "application/json" }).end("[]"), "no answer"],
    ["a web page", "PROTOCOL_ERROR", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"), "text/html"],
    [
      "the end of the stream",
      "TRANSPORT_ERROR",
      (response) => {
        openStream(response)
        response.end()
      },
      "without an answer",
    ],
    [
      "a stream that is cut",
      "TRANSPORT_ERROR",
      (response) => {
        openStream(response)
        response.write("data: {", () => response.destroy())
      },
      "broke off",
    ],
    [
      "a document that is cut",
      "TRANSPORT_ERROR",
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
        response.write("{", () => response.destroy())
      },
      "broke off",
    ],
    ["a connection that is cut", "TRANSPORT_ERROR", (response) => response.destroy(), "POST"],
  ])("%s is a %s, outcome unknown, and the next call works", async (_name, code, answer, words) => {
    let calls = 0
    const { call } = await withCalls((request) => (++calls === 1 ? answer(request.response) : echo(request)))
    const error = await callError(call("t", {}))
    expect(error).toMatchObject({ code, details: { server: "demo", tool: "t", outcome: "unknown" } })
    expect(error.message).toContain(words)
    expect((await call("t", { a: 2 })).data).toEqual({ a: 2 })
    expect(calls).toBe(2)
  })

  test("an event that is no JSON is a warning; the answer behind it counts", async () => {
    const warnings: MCPWarning[] = []
    const { call } = await withCalls(
      ({ message, response }) => {
        openStream(response)
        response.end(`data: hello there\n\ndata: ${JSON.stringify(resultOf(message, 1))}\n\n`)
      },
      { onWarning: (warning) => warnings.push(warning) },
    )
    expect((await call("t", {})).data).toBe(1)
    expect(warnings).toMatchObject([{ server: "demo", message: expect.stringContaining("hello there") }])
  })
})

describe("an answer above maxResultBytes", () => {
  const large = (message: PostedMessage | undefined) => JSON.stringify(resultOf(message, "x".repeat(200_000)))
  const idBehind = (message: PostedMessage | undefined) => {
    const { id, ...rest } = JSON.parse(large(message)) as Record<string, unknown>
    return JSON.stringify({ ...rest, id })
  }
  const forms: Record<string, (request: Received) => void> = {
    "a document of known length": ({ message, response }) => void response.writeHead(200, { "content-type": "application/json", "content-length": large(message).length }).end(large(message)),
    "a document in chunks": ({ message, response }) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.write(large(message).slice(0, 150_000))
      response.end(large(message).slice(150_000))
    },
    "an event": ({ message, response }) => {
      openStream(response)
      response.end(`data: ${large(message)}\n\n`)
    },
    "an event with its id behind the result": ({ message, response }) => {
      openStream(response)
      response.end(`data: ${idBehind(message)}\n\n`)
    },
    "an event of many lines": ({ message, response }) => {
      openStream(response)
      const lines = JSON.stringify(resultOf(message, Array.from({ length: 50_000 }, (_, index) => index)), null, 1).split("\n")
      response.end(lines.map((line) => `data: ${line}\n`).join("") + "\n")
    },
    "an event that never ends": ({ message, response }) => {
      openStream(response)
      response.write(`data: ${large(message)}`)
    },
  }

  test.each(Object.keys(forms))("%s ends its call with RESOURCE_EXHAUSTED, and the connection stays usable", async (form) => {
    const { wrapper, call } = await withCalls((request) => (request.message?.params?.arguments?.large === true ? forms[form]?.(request) : echo(request)), {
      maxResultBytes: 100_000,
    })
    const error = await callError(call("t", { large: true }))
    expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { server: "demo", tool: "t", limit: 100_000, outcome: "unknown" } })
    expect((await call("t", { a: 1 })).data).toEqual({ a: 1 })
    expect(wrapper.status).toBe("ready")
  })

  test("is measured in bytes, to the byte", async () => {
    const answer = (message: PostedMessage | undefined, bytes: number) => {
      const empty = Buffer.byteLength(JSON.stringify(resultOf(message, "é")))
      return JSON.stringify(resultOf(message, `é${"x".repeat(bytes - empty)}`))
    }
    const { call } = await withCalls(
      ({ message, response }) => {
        openStream(response)
        response.end(`data: ${answer(message, Number(message?.params?.arguments?.bytes))}\n\n`)
      },
      { maxResultBytes: 5_000 },
    )
    expect((await call("t", { bytes: 5_000 })).meta).toMatchObject({ isError: false })
    expect(await callError(call("t", { bytes: 5_001 }))).toMatchObject({ code: "RESOURCE_EXHAUSTED" })
  })

  test("does not count a large notification in front of the answer", async () => {
    const { call } = await withCalls(
      ({ message, response }) => {
        openStream(response)
        const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x".repeat(200_000) } })
        response.end(`data: ${note}\n\ndata: ${JSON.stringify(resultOf(message, 1))}\n\n`)
      },
      { maxResultBytes: 100_000 },
    )
    expect((await call("t", {})).data).toBe(1)
  })

  test("8 MB below the limit come back equal, there and back", async () => {
    const { call } = await withCalls(echo)
    const text = "é".repeat(4 * 1024 * 1024)
    expect((await call("t", { text })).data).toEqual({ text })
  })
})
