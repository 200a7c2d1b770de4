/**
 * The shape of one difference between what was sent and the `data` of an envelope.
 *
 * A shape and nothing else; `conform` records changes. Paths are RFC 6901 JSON pointers: those of `removed` and `replaced`
 * point into what was sent, those of `added` into `data`.
 */
import { Type, type Static } from "@sinclair/typebox"

/**
 * One change: a value that was filled in (`origin` says whether the schema states it as a default), taken out, or replaced.
 */
export const DataChange = Type.Union([
  Type.Object({
    path: Type.String(),
    kind: Type.Literal("added"),
    to: Type.Unknown(),
    origin: Type.Union([Type.Literal("default"), Type.Literal("invented")]),
  }),
  Type.Object({ path: Type.String(), kind: Type.Literal("removed"), from: Type.Unknown() }),
  Type.Object({ path: Type.String(), kind: Type.Literal("replaced"), from: Type.Unknown(), to: Type.Unknown() }),
])
export type DataChange = Static<typeof DataChange>
