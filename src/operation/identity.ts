/**
 * Who calls, and what an operation demands of a caller.
 *
 * Shapes and nothing else: the decision is made by the registry.
 */
import { Type, type Static } from "@sinclair/typebox"

/** A caller: an id, what it may do in general (`scopes`), and on which resources (resource type -> actions). */
export const Identity = Type.Object({
  id: Type.String(),
  scopes: Type.Array(Type.String()),
  resources: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
})
export type Identity = Static<typeof Identity>

/**
 * What an operation demands: every scope of `requiredScopes`, at least one of `requiredScopesAny`, `resourceAction` on
 * `resourceType`, and the consent of the function named by `customAuth`. All that are given must hold.
 */
export const AccessControl = Type.Object({
  requiredScopes: Type.Optional(Type.Array(Type.String())),
  requiredScopesAny: Type.Optional(Type.Array(Type.String())),
  resourceType: Type.Optional(Type.String()),
  resourceAction: Type.Optional(Type.String()),
  customAuth: Type.Optional(Type.String()),
})
export type AccessControl = Static<typeof AccessControl>
