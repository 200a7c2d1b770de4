/**
 * The content blocks of an MCP tool result, as shapes.
 *
 * Follows the ContentBlock union of the MCP specification 2025-11-25 (schema.ts). Members that the specification does not
 * name are kept: servers add their own, and what a server said is never lost.
 */
import { Type, type Static } from "@sinclair/typebox"

const Meta = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const Annotations = Type.Optional(
  Type.Object({
    audience: Type.Optional(Type.Array(Type.String())),
    priority: Type.Optional(Type.Number()),
    lastModified: Type.Optional(Type.String()),
  }),
)

/** A block of text. */
export const TextBlock = Type.Object({ type: Type.Literal("text"), text: Type.String(), annotations: Annotations, _meta: Meta })
export type TextBlock = Static<typeof TextBlock>

/** An image: `data` is base64 as the server sent it. */
export const ImageBlock = Type.Object({
  type: Type.Literal("image"),
  data: Type.String(),
  mimeType: Type.String(),
  annotations: Annotations,
  _meta: Meta,
})
export type ImageBlock = Static<typeof ImageBlock>

/** A sound: `data` is base64 as the server sent it. */
export const AudioBlock = Type.Object({
  type: Type.Literal("audio"),
  data: Type.String(),
  mimeType: Type.String(),
  annotations: Annotations,
  _meta: Meta,
})
export type AudioBlock = Static<typeof AudioBlock>

/** A resource inside the result: its text, or its bytes as base64 in `blob`. */
export const ResourceBlock = Type.Object({
  type: Type.Literal("resource"),
  resource: Type.Object({
    uri: Type.String(),
    mimeType: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    blob: Type.Optional(Type.String()),
    _meta: Meta,
  }),
  annotations: Annotations,
  _meta: Meta,
})
export type ResourceBlock = Static<typeof ResourceBlock>

/** A pointer to a resource; nothing is read or fetched for it. `size` is in bytes. */
export const ResourceLinkBlock = Type.Object({
  type: Type.Literal("resource_link"),
  uri: Type.String(),
  name: Type.String(),
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  size: Type.Optional(Type.Number()),
  annotations: Annotations,
  _meta: Meta,
})
export type ResourceLinkBlock = Static<typeof ResourceLinkBlock>

/** One block of an MCP result, in one of the five kinds of the specification. */
export const MCPContentBlock = Type.Union([TextBlock, ImageBlock, AudioBlock, ResourceBlock, ResourceLinkBlock])
export type MCPContentBlock = Static<typeof MCPContentBlock>
