/**
 * The package root: the core of the library, without MCP and without anything of Node.
 *
 * TypeBox is re-exported because its registries are per copy: schemas of this library are checked with this `Value` and this
 * `TypeCompiler`.
 */
export { Type, type Static, type TSchema } from "@sinclair/typebox"
export { TypeCompiler } from "@sinclair/typebox/compiler"
export { Value } from "@sinclair/typebox/value"
export {
  CALL_ERROR_CODES,
  CallError,
  callErrorFromJSON,
  callErrorToJSON,
  isCallError,
  isCallErrorCode,
  mapError,
  toCallError,
  type CallErrorCode,
  type CallErrorJSON,
  type CallErrorOptions,
  type Outcome,
} from "./error.js"
export { DataChange, SchemaIssue } from "./schema.js"
export {
  AudioBlock,
  Conformance,
  DataFrom,
  HTTPResponseMeta,
  ImageBlock,
  LocalResponseMeta,
  MCPContentBlock,
  MCPResponseMeta,
  Reduction,
  ResourceBlock,
  ResourceLinkBlock,
  ResponseEnvelopeSchema,
  ResponseMeta,
  TextBlock,
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mapMCPContentBlocks,
  mcpEnvelope,
  unwrap,
  type HTTPEnvelopeInput,
  type MCPEnvelopeInput,
  type ResponseEnvelope,
} from "./envelope.js"
export {
  AccessControl,
  Identity,
  defineOperation,
  isNamespace,
  operationId,
  parseOperationId,
  toNamespace,
  type AnyOperation,
  type ErrorSpec,
  type LocalHandler,
  type LocalResult,
  type Operation,
  type OperationContext,
  type OperationDefinition,
  type OperationEnv,
  type OperationHandler,
  type OperationSpec,
  type OperationType,
  type Progress,
} from "./operation.js"
