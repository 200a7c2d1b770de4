import { describe, expect, test } from "vitest"
import type { AccessControl, Identity } from "../../src/operation.js"
import { checkAccess } from "../../src/registry.js"

const ada: Identity = { id: "ada", scopes: ["read", "write"], resources: { repo: ["push", "pull"], wiki: [] } }
const nobody: Identity = { id: "nobody", scopes: [] }

describe("checkAccess", () => {
  test.each<[string, Identity | undefined, AccessControl | undefined, boolean]>([
    ["nothing demanded, nobody there", undefined, undefined, true],
    ["an empty demand, nobody there", undefined, {}, true],
    ["an empty list of scopes demands nothing", undefined, { requiredScopes: [] }, true],
    ["a scope demanded, nobody there", undefined, { requiredScopes: ["read"] }, false],
    ["any scope demanded, nobody there", undefined, { requiredScopesAny: ["read"] }, false],
    ["a resource demanded, nobody there", undefined, { resourceType: "repo", resourceAction: "pull" }, false],
    ["a function demanded, nobody there", undefined, { customAuth: "f" }, false],
    ["all scopes there", ada, { requiredScopes: ["read", "write"] }, true],
    ["one scope missing", ada, { requiredScopes: ["read", "admin"] }, false],
    ["one of several there", ada, { requiredScopesAny: ["admin", "write"] }, true],
    ["none of several there", ada, { requiredScopesAny: ["admin", "root"] }, false],
    ["an empty list of alternatives can be met by nobody", ada, { requiredScopesAny: [] }, false],
    ["the action on the resource", ada, { resourceType: "repo", resourceAction: "push" }, true],
    ["another action on it", ada, { resourceType: "repo", resourceAction: "delete" }, false],
    ["any action on the resource", ada, { resourceType: "repo" }, true],
    ["any action where there is none", ada, { resourceType: "wiki" }, false],
    ["a resource it has not", ada, { resourceType: "issue", resourceAction: "push" }, false],
    ["an action without a resource", ada, { resourceAction: "push" }, false],
    ["scopes and resource together", ada, { requiredScopes: ["read"], resourceType: "repo", resourceAction: "push" }, true],
    ["scopes there, resource not", ada, { requiredScopes: ["read"], resourceType: "repo", resourceAction: "delete" }, false],
    ["a resource named like a member of Object.prototype", ada, { resourceType: "constructor", resourceAction: "length" }, false],
    ["a resource named __proto__", ada, { resourceType: "__proto__", resourceAction: "toString" }, false],
    ["an action named like a member of Array.prototype", ada, { resourceType: "repo", resourceAction: "push" }, true],
    ["an action 'includes' is no action", ada, { resourceType: "repo", resourceAction: "includes" }, false],
    ["a scope named like a member of Object.prototype", nobody, { requiredScopes: ["toString"] }, false],
    ["a scope __proto__", nobody, { requiredScopesAny: ["__proto__"] }, false],
    ["no resources at all", nobody, { resourceType: "repo", resourceAction: "pull" }, false],
  ])("%s", (_name, identity, access, allowed) => {
    expect(checkAccess(identity, access).allowed).toBe(allowed)
  })

  test("says what is missing", () => {
    expect(checkAccess(ada, { requiredScopes: ["read", "admin", "root"] })).toEqual({ allowed: false, missing: { scopes: ["admin", "root"] } })
    expect(checkAccess(ada, { requiredScopesAny: ["admin"] })).toEqual({ allowed: false, missing: { anyOfScopes: ["admin"] } })
    expect(checkAccess(ada, { resourceType: "repo", resourceAction: "delete" })).toEqual({
      allowed: false,
      missing: { resource: { type: "repo", action: "delete" } },
    })
    expect(checkAccess(undefined, { requiredScopes: ["a"], customAuth: "f" })).toEqual({
      allowed: false,
      missing: { identity: true, scopes: ["a"], customAuth: "f" },
    })
  })
})
