/**
 * Door of the operation: what one is, how it is named, what travels with a call, and how a local one is made.
 *
 * Knows no registry and no MCP.
 */
export { isNamespace, operationId, parseOperationId, toNamespace } from "./operation/names.js"
export { AccessControl, Identity } from "./operation/identity.js"
export { ON_ABORT, onAbort, type AbortHook } from "./operation/abort.js"
export type { ChildCallOptions, OperationContext, OperationEnv, OperationEnvNamespace, Progress } from "./operation/context.js"
export type { OutgoingRequest, RequestEnd, RequestInstrument, RequestNetwork, RequestObservation } from "./operation/request_instrument.js"
export { narrowContext } from "./operation/narrowed_context.js"
export { matchesOperationId } from "./operation/id_pattern.js"
export type { AnyOperation, ErrorSpec, OperationHandler, OperationSpec, OperationType } from "./operation/spec.js"
export { markValidatesInput, validatesInput } from "./operation/input_validation.js"
export { defineOperation, type LocalHandler, type LocalResult, type Operation, type OperationDefinition } from "./operation/define_operation.js"
export { atDeadline, pendingDeadlines, resolveDeadline, unwatchDeadline, watchDeadline, type DeadlineBucket, type DeadlineTarget } from "./operation/deadline.js"
export { OperationSpecJSON, WIRE_SCHEMAS, specFromJSON, specToJSON, type WireSchemas } from "./operation/wire.js"
