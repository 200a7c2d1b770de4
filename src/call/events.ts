/**
 * The events of the call protocol: what a caller and a worker say to each other about one call.
 *
 * Shapes and nothing else; all of them carry the `requestId` that the caller chose. A call ends with one `call.responded` or
 * `call.error`; a subscription sends `call.responded` with `seq` for each item and ends with `call.completed` or `call.error`.
 */
import { Type, type Static } from "@sinclair/typebox"
import { Identity } from "../operation.js"

/**
 * Caller to worker: run this. `deadline` is epoch milliseconds. `identity` is what the caller says of itself: a worker takes the
 * identity from its transport, never from here.
 */
export const CallRequested = Type.Object({
  type: Type.Literal("call.requested"),
  requestId: Type.String(),
  operationId: Type.String(),
  input: Type.Unknown(),
  parentRequestId: Type.Optional(Type.String()),
  deadline: Type.Optional(Type.Number()),
  idleTimeoutMs: Type.Optional(Type.Number()),
  identity: Type.Optional(Identity),
  traceparent: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type CallRequested = Static<typeof CallRequested>

/** Worker to caller: the envelope; with `seq`, from 0, where it is one item of a subscription. */
export const CallResponded = Type.Object({
  type: Type.Literal("call.responded"),
  requestId: Type.String(),
  output: Type.Unknown(),
  seq: Type.Optional(Type.Number()),
})
export type CallResponded = Static<typeof CallResponded>

/** Worker to caller: how far it is. It extends the idle limit and nothing else. */
export const CallProgress = Type.Object({
  type: Type.Literal("call.progress"),
  requestId: Type.String(),
  progress: Type.Number(),
  total: Type.Optional(Type.Number()),
  message: Type.Optional(Type.String()),
})
export type CallProgress = Static<typeof CallProgress>

/** Worker to caller: the subscription has ended. */
export const CallCompleted = Type.Object({ type: Type.Literal("call.completed"), requestId: Type.String() })
export type CallCompleted = Static<typeof CallCompleted>

/** Worker to caller: there is no result, and why. */
export const CallErrorEvent = Type.Object({
  type: Type.Literal("call.error"),
  requestId: Type.String(),
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type CallErrorEvent = Static<typeof CallErrorEvent>

/** Caller to worker: stop. The worker ends the call with `call.error` ABORTED. */
export const CallAborted = Type.Object({ type: Type.Literal("call.aborted"), requestId: Type.String() })
export type CallAborted = Static<typeof CallAborted>

/** What a worker says about a call. */
export const CallAnswer = Type.Union([CallResponded, CallProgress, CallCompleted, CallErrorEvent])
export type CallAnswer = Static<typeof CallAnswer>
