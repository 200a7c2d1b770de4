import { describe, expect, test } from "vitest"
import { CALL_ERROR_CODES, CallError, callErrorFromJSON, callErrorToJSON, isCallError, isCallErrorCode, mapError, toCallError } from "../src/error.js"

describe("CallError", () => {
  test("is an Error with a code, details and a cause", () => {
    const cause = new Error("socket")
    const error = new CallError("TRANSPORT_ERROR", "lost", { details: { outcome: "unknown" }, cause })
    expect(error).toBeInstanceOf(Error)
    expect({ name: error.name, code: error.code, message: error.message, details: error.details }).toEqual({
      name: "CallError",
      code: "TRANSPORT_ERROR",
      message: "lost",
      details: { outcome: "unknown" },
    })
    expect(error.cause).toBe(cause)
  })

  test("is recognised when another copy of the class made it", () => {
    const foreign = Object.assign(new Error("x"), { code: "TIMEOUT", details: {} })
    Object.defineProperty(foreign, Symbol.for("mcp-operations.CallError"), { value: true })
    expect(foreign instanceof CallError).toBe(true)
    expect(isCallError(foreign)).toBe(true)
  })

  test.each([[new Error("x")], [{ code: "TIMEOUT" }], [null], [undefined], ["TIMEOUT"]])("does not take %o for one", (value) => {
    expect(isCallError(value)).toBe(false)
    expect((value as unknown) instanceof CallError).toBe(false)
  })

  test("its wire form leaves cause, stack and empty details out", () => {
    expect(JSON.parse(JSON.stringify(new CallError("ABORTED", "stopped", { cause: "private" })))).toEqual({ code: "ABORTED", message: "stopped" })
    expect(callErrorToJSON(new CallError("ABORTED", "stopped", { details: { outcome: "unknown" } }))).toEqual({
      code: "ABORTED",
      message: "stopped",
      details: { outcome: "unknown" },
    })
  })

  test.each([
    [{ code: "TIMEOUT", message: "late", details: { outcome: "unknown" } }, "TIMEOUT", "late", { outcome: "unknown" }],
    [{ code: 5, message: "late", details: [] }, "UNKNOWN_ERROR", "late", {}],
    [null, "UNKNOWN_ERROR", "The error arrived without a message", {}],
    ["text", "UNKNOWN_ERROR", "The error arrived without a message", {}],
  ])("comes back from the wire form %o", (json, code, message, details) => {
    const error = callErrorFromJSON(json)
    expect({ code: error.code, message: error.message, details: error.details }).toEqual({ code, message, details })
  })
})

test("the table of codes knows its own codes and no name of Object.prototype", () => {
  expect(Object.keys(CALL_ERROR_CODES)).toHaveLength(13)
  expect(isCallErrorCode("TIMEOUT")).toBe(true)
  expect(isCallErrorCode("toString")).toBe(false)
  expect(isCallErrorCode("MY_CODE")).toBe(false)
})

describe("mapError", () => {
  const declared = ["OUT_OF_STOCK"]
  test.each<[string, unknown, string]>([
    ["a CallError passes", new CallError("TIMEOUT", "late"), "TIMEOUT"],
    ["an Error becomes EXECUTION_ERROR", new TypeError("x"), "EXECUTION_ERROR"],
    ["a declared code is kept", Object.assign(new Error("none left"), { code: "OUT_OF_STOCK" }), "OUT_OF_STOCK"],
    ["a declared code of a plain object is kept", { code: "OUT_OF_STOCK" }, "OUT_OF_STOCK"],
    ["an undeclared code is not", Object.assign(new Error("x"), { code: "OTHER" }), "EXECUTION_ERROR"],
    ["a code in the message text is not", new Error("OUT_OF_STOCK"), "EXECUTION_ERROR"],
    ["a code of the library's table is not taken from a foreign error", Object.assign(new Error("x"), { code: "TIMEOUT" }), "EXECUTION_ERROR"],
    ["a text becomes UNKNOWN_ERROR", "boom", "UNKNOWN_ERROR"],
    ["undefined becomes UNKNOWN_ERROR", undefined, "UNKNOWN_ERROR"],
  ])("%s", (_name, thrown, code) => {
    expect(mapError(thrown, declared).code).toBe(code)
  })

  test("keeps the details of a declared error and what was thrown as cause", () => {
    const thrown = Object.assign(new Error("none left"), { code: "OUT_OF_STOCK", details: { sku: 7 } })
    const error = mapError(thrown, declared)
    expect(error.message).toBe("none left")
    expect(error.details).toEqual({ sku: 7 })
    expect(error.cause).toBe(thrown)
  })

  test("survives a thrown value that cannot be turned into text", () => {
    const hostile = {
      toString() {
        throw new Error("no")
      },
    }
    expect(toCallError(hostile).details).toEqual({ raw: "[object Object]" })
  })
})
