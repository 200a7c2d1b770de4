/**
 * The one shape every call answers with, whatever answered it: `{ data, meta }`, told apart by `meta.source`.
 *
 * Out: the shape, the guard that tells an envelope from any other value, and the way to the data.
 * The guard looks at the members that each source always has and at nothing below them: it runs on every call.
 */
import { Type, type Static, type TSchema } from "@sinclair/typebox"
import { isObject } from "../schema.js"
import { HTTPResponseMeta } from "./http.js"
import { LocalResponseMeta } from "./local.js"
import { MCPResponseMeta } from "./mcp.js"

/** What is known of an answer beside its data, told apart by `source`. */
export const ResponseMeta = Type.Union([LocalResponseMeta, HTTPResponseMeta, MCPResponseMeta])
export type ResponseMeta = Static<typeof ResponseMeta>

/** The answer to a call: `data` and where it came from. */
export interface ResponseEnvelope<T = unknown> {
  data: T
  meta: ResponseMeta
}

/** The TypeBox schema of an envelope around `data`; without an argument the data may be anything. */
export function ResponseEnvelopeSchema<T extends TSchema>(data: T) {
  return Type.Object({ data, meta: ResponseMeta })
}

/** True for a response envelope of any source. Looks at the members that mark a source, not at every one below them. */
export function isResponseEnvelope(value: unknown): value is ResponseEnvelope {
  if (!isObject(value) || !Object.hasOwn(value, "data") || !Object.hasOwn(value, "meta")) return false
  const meta = value["meta"]
  if (!isObject(meta)) return false
  switch (meta["source"]) {
    case "local":
      return typeof meta["operationId"] === "string" && typeof meta["timestamp"] === "number"
    case "http":
      return typeof meta["statusCode"] === "number" && isObject(meta["headers"]) && typeof meta["contentType"] === "string"
    case "mcp":
      return (
        typeof meta["server"] === "string" &&
        typeof meta["tool"] === "string" &&
        typeof meta["isError"] === "boolean" &&
        Array.isArray(meta["content"]) &&
        typeof meta["dataFrom"] === "string" &&
        typeof meta["conformance"] === "string"
      )
    default:
      return false
  }
}

/**
 * The data of an envelope. An answer with `meta.isError` has data too (what the tool said about its failure), so look at
 * `meta.isError` first where that matters.
 */
export function unwrap<T>(envelope: ResponseEnvelope<T>): T {
  return envelope.data
}
