/**
 * Door of the call protocol: its events, the two ends of a call, the transport contract and the transport within one process.
 *
 * Knows no network. Another transport is a file that keeps the contract of `CallTransport`.
 */
export {
  CallAborted,
  CallAnswer,
  CallCompleted,
  CallErrorEvent,
  CallProgress,
  CallRequested,
  CallResponded,
} from "./call/events.js"
export type { CallPeer, CallReply, CallRequestHandler, CallTransport, OpenCall, ServedCalls } from "./call/transport.js"
export { ReplyState } from "./call/reply_state.js"
export { createInProcessTransport, type InProcessTransportOptions } from "./call/in_process_transport.js"
export { PendingRequestMap, type PendingRequestMapOptions } from "./call/pending_request_map.js"
export { buildCallHandler, type CallHandlerOptions } from "./call/call_handler.js"
export { CallRouter, type CallRoute, type CallRouterOptions } from "./call/call_router.js"
export { Limiter, type LimiterOptions } from "./call/limiter.js"
export { callerOf, type OperationCaller, type OperationSource } from "./call/caller_of.js"
export { buildEnv } from "./call/build_env.js"
export { subscribe } from "./call/subscribe.js"
