/**
 * Door of the registry: the home of operations and the one pipeline that runs them.
 *
 * Knows no transport and no MCP.
 */
export { checkAccess, type AccessDecision, type MissingAccess } from "./registry/access.js"
export { jsonDifference, type JSONDifference } from "./registry/json_difference.js"
export type { Middleware, MiddlewareCall, Next } from "./registry/middleware_chain.js"
export { operationEnv, type CallTarget } from "./registry/operation_env.js"
export { OperationRegistry, type RegisterOptions, type RegistryChange, type RegistryOptions } from "./registry/operation_registry.js"
/** For other rooms. @internal */
export { nearestIds } from "./registry/nearest_ids.js"
export type { AnyHandler } from "./registry/registered.js"
export type { CustomAuth } from "./registry/run_call.js"
