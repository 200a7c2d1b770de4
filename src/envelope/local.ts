/**
 * The envelope of a result that was made in this library's own process: by the handler of a local operation.
 */
import { Type, type Static } from "@sinclair/typebox"
import { Reduction } from "./reduction.js"

/** Where a local result came from; `timestamp` is epoch milliseconds. */
export const LocalResponseMeta = Type.Object({
  source: Type.Literal("local"),
  operationId: Type.String(),
  timestamp: Type.Number(),
  reduced: Type.Optional(Type.Array(Reduction)),
})
export type LocalResponseMeta = Static<typeof LocalResponseMeta>

/** The envelope of a local result. `undefined` becomes `null`, so that `data` is there on every road. */
export function localEnvelope<T>(data: T, operationId: string): { data: T; meta: LocalResponseMeta } {
  return {
    // A handler typed to return nothing gives null where JSON has no undefined.
    data: data === undefined ? (null as T) : data,
    meta: { source: "local", operationId, timestamp: Date.now() },
  }
}
