/**
 * The shape of what a middleware of the host took out of a result.
 *
 * Every source of envelopes can carry it: nothing is taken out in silence.
 */
import { Type, type Static } from "@sinclair/typebox"

/**
 * One part that was taken out: by which kind of middleware, where (JSON pointer into the envelope), how many bytes, and the handle
 * under which it can be had where it was put aside.
 */
export const Reduction = Type.Object({
  by: Type.Union([Type.Literal("limit"), Type.Literal("redact"), Type.Literal("spill")]),
  path: Type.String(),
  bytes: Type.Optional(Type.Number()),
  handle: Type.Optional(Type.String()),
})
export type Reduction = Static<typeof Reduction>
