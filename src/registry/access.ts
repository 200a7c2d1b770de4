/**
 * Decides whether a caller may run an operation.
 *
 * In: an identity and the operation's demands. Out: yes, or no with what is missing.
 * Only own members of the identity count, so that a resource named like a member of Object.prototype grants nothing. The
 * function that `customAuth` names is the registry's to ask.
 */
import type { AccessControl, Identity } from "../operation.js"

/** What an identity lacks. */
export interface MissingAccess {
  readonly identity?: true
  readonly scopes?: readonly string[]
  readonly anyOfScopes?: readonly string[]
  readonly resource?: { readonly type: string; readonly action?: string | undefined }
  readonly customAuth?: string
}

/** A decision about access: allowed, or what is missing. */
export type AccessDecision = { readonly allowed: true } | { readonly allowed: false; readonly missing: MissingAccess }

const ALLOWED: AccessDecision = Object.freeze({ allowed: true })

/**
 * Whether the identity has what is demanded: all `requiredScopes`, one of `requiredScopesAny` (an empty list can be met by
 * nobody), and `resourceAction` on `resourceType` (any action where none is named). `customAuth` is not looked at.
 */
export function checkAccess(identity: Identity | undefined, access: AccessControl | undefined): AccessDecision {
  if (access === undefined || !demandsAnything(access)) return ALLOWED
  if (identity === undefined) return { allowed: false, missing: { identity: true, ...demands(access) } }
  const scopes = Array.isArray(identity.scopes) ? identity.scopes : []
  const lacking = access.requiredScopes?.filter((scope) => !scopes.includes(scope)) ?? []
  if (lacking.length > 0) return { allowed: false, missing: { scopes: lacking } }
  const any = access.requiredScopesAny
  if (any !== undefined && !any.some((scope) => scopes.includes(scope))) return { allowed: false, missing: { anyOfScopes: any } }
  if (!hasResource(identity, access)) return { allowed: false, missing: { resource: resourceOf(access) } }
  return ALLOWED
}

function hasResource(identity: Identity, { resourceType, resourceAction }: AccessControl): boolean {
  if (resourceType === undefined) return resourceAction === undefined
  const { resources } = identity
  if (resources === undefined || !Object.hasOwn(resources, resourceType)) return false
  const actions = resources[resourceType]
  if (!Array.isArray(actions)) return false
  return resourceAction === undefined ? actions.length > 0 : actions.includes(resourceAction)
}

function demandsAnything(access: AccessControl): boolean {
  return (
    (access.requiredScopes?.length ?? 0) > 0 ||
    access.requiredScopesAny !== undefined ||
    access.resourceType !== undefined ||
    access.resourceAction !== undefined ||
    access.customAuth !== undefined
  )
}

function demands(access: AccessControl): MissingAccess {
  return {
    ...(access.requiredScopes === undefined ? {} : { scopes: access.requiredScopes }),
    ...(access.requiredScopesAny === undefined ? {} : { anyOfScopes: access.requiredScopesAny }),
    ...(access.resourceType === undefined && access.resourceAction === undefined ? {} : { resource: resourceOf(access) }),
    ...(access.customAuth === undefined ? {} : { customAuth: access.customAuth }),
  }
}

function resourceOf({ resourceType, resourceAction }: AccessControl): { type: string; action?: string | undefined } {
  return { type: resourceType ?? "", ...(resourceAction === undefined ? {} : { action: resourceAction }) }
}
