/**
 * Brings each incoming message to what the SDK accepts.
 *
 * In: a parsed message. Out: the same object where it is well formed; a mended copy; an answer that ends its call; or nothing.
 * The SDK silently discards an answer with `_meta: null` or a member too many, and its call would wait for the timeout.
 * Well-formed messages are looked at by their own few members only, never deeply: this runs on every answer.
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import { isObject } from "../schema.js"
import { clipValue } from "./clip.js"
import { endingAnswer, malformed } from "./end_of_call.js"
import { keepRoundedMark } from "./parse_message.js"

type Members = Record<string, unknown>
type Report = (text: string) => void

const RELATED_TASK = "io.modelcontextprotocol/related-task"

/** The message for the SDK, or undefined where it cannot be used; every mend and every loss is reported. */
export function filterMessage(message: unknown, report: Report): JSONRPCMessage | undefined {
  if (!isObject(message)) {
    report("A message that is no JSON object was dropped")
    return undefined
  }
  return isCall(message) ? filterRequest(message, report) : filterAnswer(message, report)
}

/** A method makes a call of a message, but for the answer that repeats the method it answers: no call holds a result. */
function isCall({ method, result, error }: Members): boolean {
  return typeof method === "string" && !isObject(result) && !isObject(error)
}

function filterAnswer(message: Members, report: Report): JSONRPCMessage | undefined {
  const { id, result, error } = message
  if (!isRequestId(id)) {
    if (result === undefined && error === undefined) {
      report("A message with neither method, result nor error was dropped")
      return undefined
    }
    report(`An answer ${id === undefined || id === null ? "without an id" : "with a malformed id"} was dropped${codeOf(error)}`)
    return undefined
  }
  if (isObject(result) && (error === undefined || error === null)) return filterResult(message, id, result, report)
  if (isErrorObject(error) && (result === undefined || result === null)) {
    // The members that the SDK asks for are checked right above.
    if (memberCount(message) === 3 && message["jsonrpc"] === "2.0") return message as unknown as JSONRPCMessage
    reportMended(message, "error", report)
    return { jsonrpc: "2.0", id, error }
  }
  if (isObject(error) && isObject(result)) return endingAnswer(id, malformed("the answer holds both a result and an error", clipValue(error)))
  if (error !== undefined && error !== null) return endingAnswer(id, malformed("the error of the answer is malformed", clipValue(error)))
  return endingAnswer(id, malformed(`the result of the answer is ${kindOf(result)}, not an object`, clipValue(result)))
}

function filterResult(message: Members, id: RequestId, result: Members, report: Report): JSONRPCMessage {
  const sound = withSoundMeta(result, "result", report)
  // The members that the SDK asks for have been checked, here and by the caller.
  if (sound === result && memberCount(message) === 3 && message["jsonrpc"] === "2.0") return message as unknown as JSONRPCMessage
  reportMended(message, "result", report)
  return { jsonrpc: "2.0", id, result: sound }
}

function filterRequest(message: Members, report: Report): JSONRPCMessage | undefined {
  const { id, method, params } = message
  const isRequest = "id" in message
  if (isRequest && !isRequestId(id)) {
    report(`A request "${String(method).slice(0, 100)}" with a malformed id was dropped`)
    return undefined
  }
  const soundParams = params === undefined ? undefined : isObject(params) ? withSoundMeta(params, "params", report) : undefined
  const members = 2 + (isRequest ? 1 : 0) + ("params" in message ? 1 : 0)
  if (soundParams === params && memberCount(message) === members && message["jsonrpc"] === "2.0") {
    // Its method is text, its id and its params are checked above.
    return message as unknown as JSONRPCMessage
  }
  reportMended(message, "params", report)
  // The id of a request is checked above, and its method is text.
  return { jsonrpc: "2.0", ...(isRequest ? { id } : {}), method, ...(soundParams === undefined ? {} : { params: soundParams }) } as JSONRPCMessage
}

/** `_meta` as the SDK wants it: an object, its two reserved members of their right types; anything else is taken out. */
function withSoundMeta(holder: Members, where: string, report: Report): Members {
  const meta = holder["_meta"]
  if (meta === undefined) return holder
  const { _meta, ...rest } = holder
  if (!isObject(meta)) {
    report(`The "_meta" of a message's ${where} is ${kindOf(meta)}, not an object; it was left out`)
    return keepRoundedMark(holder, rest)
  }
  const badToken = "progressToken" in meta && !isRequestId(meta["progressToken"])
  const task = meta[RELATED_TASK]
  const badTask = task !== undefined && !(isObject(task) && typeof task["taskId"] === "string")
  if (!badToken && !badTask) return holder
  const { progressToken, [RELATED_TASK]: _task, ...others } = meta
  const soundMeta: Record<string, unknown> = others
  if (badToken) report(`The "_meta" of a message's ${where} has a progressToken that is ${kindOf(progressToken)}; it was left out`)
  else soundMeta["progressToken"] = progressToken
  if (badTask) report(`The "_meta" of a message's ${where} has a malformed related task; it was left out`)
  else soundMeta[RELATED_TASK] = task
  return keepRoundedMark(holder, { ...rest, _meta: soundMeta })
}

function reportMended(message: Members, body: string, report: Report): void {
  if (message["jsonrpc"] !== "2.0") report(`A message does not say "jsonrpc": "2.0"; it was read as if it did`)
  for (const key in message) {
    if (key === "jsonrpc" || key === "id" || key === body || (body === "params" && key === "method")) continue
    report(`A message has a member "${key.slice(0, 100)}" that does not belong there; it was dropped`)
  }
  if (body === "params" && message["params"] !== undefined && !isObject(message["params"])) {
    report(`The params of a message are ${kindOf(message["params"])}, not an object; they were left out`)
  }
}

function isErrorObject(error: unknown): error is { code: number; message: string } {
  return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
}

function isRequestId(id: unknown): id is RequestId {
  return Number.isInteger(id) || typeof id === "string"
}

function memberCount(message: Members): number {
  let count = 0
  for (const _key in message) count++
  return count
}

function codeOf(error: unknown): string {
  return isErrorObject(error) ? ` (error ${error.code})` : ""
}

function kindOf(value: unknown): string {
  if (value === null) return "null"
  if (value === undefined) return "missing"
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`
}
