/**
 * The shape of what a middleware of the host took out of a result.
 *
 * Every source of envelopes can carry it: nothing is taken out in silence.
 */
import { Type, type Static } from "@sinclair/typebox"

/**
 * One part that was taken out: by which kind of middleware, where (JSON pointer into the envelope; `""` stands for several places),
 * how many bytes of JSON, items (of a list, from the place on; or members of an object) and characters are missing, and the handle
 * under which the part can be had where it was put aside.
 */
export const Reduction = Type.Object({
  by: Type.Union([Type.Literal("limit"), Type.Literal("redact"), Type.Literal("spill"), Type.Literal("sanitize")]),
  path: Type.String(),
  bytes: Type.Optional(Type.Number()),
  items: Type.Optional(Type.Number()),
  characters: Type.Optional(Type.Number()),
  handle: Type.Optional(Type.String()),
})
export type Reduction = Static<typeof Reduction>
