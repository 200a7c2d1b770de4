/**
 * The envelope of an answer that came over plain HTTP: status, headers and media type beside the data.
 */
import { Type, type Static } from "@sinclair/typebox"
import { Reduction } from "./reduction.js"

/** Where an HTTP result came from. Header names are in lower case. */
export const HTTPResponseMeta = Type.Object({
  source: Type.Literal("http"),
  statusCode: Type.Number(),
  headers: Type.Record(Type.String(), Type.String()),
  contentType: Type.String(),
  reduced: Type.Optional(Type.Array(Reduction)),
})
export type HTTPResponseMeta = Static<typeof HTTPResponseMeta>

/** What `httpEnvelope` is told of the answer; `contentType` defaults to the `content-type` header. */
export interface HTTPEnvelopeInput {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly contentType?: string | undefined
}

/** The envelope of an HTTP answer. Header names are brought to lower case; a missing media type is `""`. */
export function httpEnvelope<T>(data: T, { statusCode, headers = {}, contentType }: HTTPEnvelopeInput): { data: T; meta: HTTPResponseMeta } {
  const lowered: Record<string, string> = {}
  // Not by assignment: a header named `__proto__` would set the prototype.
  for (const [name, value] of Object.entries(headers)) {
    Object.defineProperty(lowered, name.toLowerCase(), { value, enumerable: true, writable: true, configurable: true })
  }
  return { data, meta: { source: "http", statusCode, headers: lowered, contentType: contentType ?? lowered["content-type"] ?? "" } }
}
