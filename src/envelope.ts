/**
 * Door of the response envelope: its shapes for the three sources, the factories, the guard, and the content blocks of MCP.
 *
 * Pure data: nothing here calls anything.
 */
export {
  AudioBlock,
  ImageBlock,
  MCPContentBlock,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from "./envelope/content_block.js"
export { mapMCPContentBlocks } from "./envelope/map_content_blocks.js"
export { LocalResponseMeta, localEnvelope } from "./envelope/local.js"
export { HTTPResponseMeta, httpEnvelope, type HTTPEnvelopeInput } from "./envelope/http.js"
export { Reduction } from "./envelope/reduction.js"
export { describeReductions } from "./envelope/describe_reductions.js"
export { Conformance, DataFrom, MCPResponseMeta, mcpEnvelope, type MCPEnvelopeInput } from "./envelope/mcp.js"
export { ResponseEnvelopeSchema, ResponseMeta, isResponseEnvelope, unwrap, type ResponseEnvelope } from "./envelope/response_envelope.js"
