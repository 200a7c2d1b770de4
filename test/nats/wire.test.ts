import { describe, expect, test } from "vitest"
import type { CallAnswer, CallRequested } from "../../src/call.js"
import { CallAge } from "../../src/nats/call_age.js"
import { Assembly, cut, readPartHeader } from "../../src/nats/chunks.js"
import { fromWireCode, toWireCode } from "../../src/nats/codes.js"
import { Misread, readControl, readFrame, readMessage, readRequest, writeAnswer, writeRequest } from "../../src/nats/frames.js"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("codes on the wire", () => {
  test.each([
    ["TRANSPORT_ERROR", "UNAVAILABLE"],
    ["TIMEOUT", "DEADLINE_EXCEEDED"],
    ["ABORTED", "CANCELLED"],
    ["EXECUTION_ERROR", "INTERNAL"],
    ["PROTOCOL_ERROR", "FAILED_PRECONDITION"],
    ["RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"],
    ["ACCESS_DENIED", "ACCESS_DENIED"],
    ["VALIDATION_ERROR", "VALIDATION_ERROR"],
    ["OPERATION_NOT_FOUND", "OPERATION_NOT_FOUND"],
    ["AUTH_REQUIRED", "AUTH_REQUIRED"],
    ["CONFIGURATION_ERROR", "CONFIGURATION_ERROR"],
    ["SCHEMA_ERROR", "SCHEMA_ERROR"],
    ["UNKNOWN_ERROR", "UNKNOWN_ERROR"],
  ])("%s is %s there, and back", (ours, theirs) => {
    expect(toWireCode(ours)).toEqual({ code: theirs })
    expect(fromWireCode({ code: theirs })).toBe(ours)
  })

  test("a limit of size is PAYLOAD_TOO_LARGE there", () => {
    expect(toWireCode("RESOURCE_EXHAUSTED", true)).toEqual({ code: "PAYLOAD_TOO_LARGE" })
    expect(fromWireCode({ code: "PAYLOAD_TOO_LARGE" })).toBe("RESOURCE_EXHAUSTED")
  })

  test.each(["INTERNAL", "UNAVAILABLE", "NO_SUCH_ISSUE"])("an operation's own code %s stays what it is", (code) => {
    expect(toWireCode(code)).toEqual({ code, declared: true })
    expect(fromWireCode(toWireCode(code))).toBe(code)
  })
})

describe("messages", () => {
  test("a request says what the event says, how long it has, and no identity", () => {
    const request: CallRequested = {
      type: "call.requested",
      requestId: "r1",
      operationId: "fs.read",
      input: { path: "/" },
      deadline: 5_000,
      identity: { id: "admin", scopes: ["all"] },
      metadata: { run: 7 },
    }
    const text = writeRequest(request, 1_000, "secret", "d1")
    expect(JSON.parse(text)).toEqual({
      v: 1,
      t: "call.requested",
      requestId: "r1",
      operationId: "fs.read",
      input: { path: "/" },
      deadline: 5_000,
      ttl: 4_000,
      metadata: { run: 7 },
      token: "secret",
      digest: "d1",
    })
    const message = readMessage(bytes(text))
    expect(message instanceof Misread ? message : readRequest(message)).toEqual({
      request: { type: "call.requested", requestId: "r1", operationId: "fs.read", input: { path: "/" }, deadline: 5_000, metadata: { run: 7 } },
      ttl: 4_000,
      token: "secret",
      digest: "d1",
    })
  })

  test("an identity that is written into a request is not read", () => {
    const message = readMessage(bytes(`{"v":1,"t":"call.requested","requestId":"r","operationId":"a.b","input":1,"identity":{"id":"admin","scopes":["all"]}}`))
    expect(message instanceof Misread ? message : readRequest(message)).toEqual({
      request: { type: "call.requested", requestId: "r", operationId: "a.b", input: 1 },
      ttl: undefined,
      token: undefined,
      digest: undefined,
    })
  })

  test.each(["", "{", "[]", "null", "1", "{}", `{"v":2,"t":"call.requested"}`, `{"v":"1"}`])("%j is no message", (text) => {
    expect(readMessage(bytes(text))).toBeInstanceOf(Misread)
  })

  test.each([
    { t: "call.responded", requestId: "r", operationId: "a.b" },
    { t: "call.requested", operationId: "a.b" },
    { t: "call.requested", requestId: "r", operationId: 1 },
    { t: "call.requested", requestId: "r", operationId: "a.b", deadline: "soon" },
    { t: "call.requested", requestId: "r", operationId: "a.b", deadline: 1, ttl: "long" },
    { t: "call.requested", requestId: "r", operationId: "a.b", idleTimeoutMs: {} },
    { t: "call.requested", requestId: "r", operationId: "a.b", metadata: [] },
    { t: "call.requested", requestId: "r", operationId: "a.b", traceparent: 1 },
    { t: "call.requested", requestId: "r", operationId: "a.b", parentRequestId: null },
  ])("%j is no request", (message) => {
    expect(readRequest(message)).toBeInstanceOf(Misread)
  })

  test.each<[CallAnswer]>([
    [{ type: "call.responded", requestId: "r", output: { data: 1, meta: {} } }],
    [{ type: "call.responded", requestId: "r", output: null, seq: 3 }],
    [{ type: "call.progress", requestId: "r", progress: 1, total: 2, message: "half" }],
    [{ type: "call.progress", requestId: "r", progress: 1 }],
    [{ type: "call.completed", requestId: "r" }],
    [{ type: "call.error", requestId: "r", code: "TIMEOUT", message: "late", details: { outcome: "unknown" } }],
    [{ type: "call.error", requestId: "r", code: "INTERNAL", message: "an operation's own" }],
  ])("%j comes back as it was", (event) => {
    const message = readMessage(bytes(writeAnswer(event, "w1")))
    expect(message instanceof Misread ? message : readFrame(message)).toEqual(event)
  })

  test.each([
    { t: "call.responded", requestId: "r" },
    { t: "call.responded", output: 1 },
    { t: "call.responded", requestId: "r", output: 1, seq: "0" },
    { t: "call.progress", requestId: "r" },
    { t: "call.error", requestId: "r" },
    { t: "call.accepted" },
    { t: "call.invented", requestId: "r" },
    {},
  ])("%j is no frame", (message) => {
    expect(readFrame(message)).toBeInstanceOf(Misread)
  })

  test.each([{ t: "call.credit", reply: "x", items: 0 }, { t: "call.credit", reply: "x", items: 1.5 }, { t: "call.credit", reply: "x", items: 1e300 }, { t: "call.aborted" }, { t: "stop", reply: "x" }])(
    "%j is no control message",
    (message) => {
      expect(readControl(message)).toBeInstanceOf(Misread)
    },
  )
})

describe("parts", () => {
  test.each([
    [10, 4, ["0/3;10", "1/3;10", "2/3;10"]],
    [8, 4, ["0/2;8", "1/2;8"]],
    [200_000, 1_000_000, ["0/4;200000", "1/4;200000", "2/4;200000", "3/4;200000"]],
  ])("%i bytes with a limit of %i", (length, limit, headers) => {
    const whole = Uint8Array.from({ length }, (_, n) => n % 251)
    const parts = [...cut(whole, limit)]
    expect(parts.map(({ header }) => header)).toEqual(headers)
    const first = readPartHeader(parts[0]?.header ?? "")
    const assembly = first === undefined ? undefined : new Assembly(first)
    const results = parts.map((part) => assembly?.add(readPartHeader(part.header) ?? { index: 0, count: 0, bytes: 0 }, part.bytes))
    expect(results.slice(0, -1).every((result) => result === "more")).toBe(true)
    expect(Buffer.compare(Buffer.from(results.at(-1) as Uint8Array), whole)).toBe(0)
  })

  test.each(["", "0/1;5", "2/2;9", "0/9;3", "-1/2;9", "0/2;9 ", "a/b;c", "0/99999999;999999999"])("%j is no header of a part", (header) => {
    expect(readPartHeader(header)).toBeUndefined()
  })

  test.each<[string, [number, number, number, number][]]>([
    ["a part that is left out", [[0, 3, 9, 3], [2, 3, 9, 3]]],
    ["a part twice", [[0, 3, 9, 3], [0, 3, 9, 3]]],
    ["more bytes than were announced", [[0, 3, 9, 3], [1, 3, 9, 7]]],
    ["fewer bytes than were announced", [[0, 2, 9, 3], [1, 2, 9, 3]]],
    ["another number of parts", [[0, 3, 9, 3], [1, 4, 9, 3]]],
  ])("%s breaks the message", (_name, parts) => {
    const [first = [0, 2, 9, 3]] = parts
    const assembly = new Assembly({ index: first[0], count: first[1], bytes: first[2] })
    const results = parts.map(([index, count, total, length]) => assembly.add({ index, count, bytes: total }, new Uint8Array(length)))
    expect(results.at(-1)).toBe("broken")
  })
})

describe("deadlines by another machine's clock", () => {
  const sent = (clock: number, ttl: number) => ({ deadline: clock + ttl, ttl })

  test.each([0, 3_600_000, -3_600_000])("a clock that is %i ms apart costs nothing", (apart) => {
    const age = new CallAge()
    for (const now of [1e12, 1e12 + 10, 1e12 + 20]) {
      const { deadline, ttl } = sent(now + apart, 500)
      expect(age.deadlineOf("c", deadline, ttl, now)).toBe(now + 500)
    }
  })

  test.each([0, 3_600_000, -3_600_000])("what waited behind a busy loop has less time left, with clocks %i ms apart", (apart) => {
    const age = new CallAge()
    const now = 1e12
    const first = sent(now + apart, 500)
    age.deadlineOf("c", first.deadline, first.ttl, now)
    const second = sent(now + apart, 500)
    expect(age.deadlineOf("c", second.deadline, second.ttl, now + 800)).toBe(now + 500)
  })

  test("a clock that was set back is believed again after a minute, and never takes more than 15 seconds", () => {
    const age = new CallAge()
    const now = 1e12
    const first = sent(now, 20_000)
    age.deadlineOf("c", first.deadline, first.ttl, now)
    const back = (at: number) => sent(at - 3_600_000, 20_000)
    const soon = back(now + 1_000)
    expect(age.deadlineOf("c", soon.deadline, soon.ttl, now + 1_000)).toBe(now + 1_000 + 5_000)
    let last = 0
    for (const at of [now + 31_000, now + 62_000, now + 93_000]) {
      const { deadline, ttl } = back(at)
      last = age.deadlineOf("c", deadline, ttl, at) - at
    }
    expect(last).toBe(20_000)
  })

  test("connections have clocks of their own", () => {
    const age = new CallAge()
    const now = 1e12
    expect(age.deadlineOf("a", now + 100, 100, now)).toBe(now + 100)
    expect(age.deadlineOf("b", now + 100 - 60_000, 100, now)).toBe(now + 100)
  })
})
