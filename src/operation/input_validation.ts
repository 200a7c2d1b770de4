/**
 * The mark of a handler that validates its own input.
 *
 * Handlers of MCP operations can be called directly, so they check what they get; a registry that sees the mark leaves that
 * to them and nothing is checked twice. A symbol of the global registry, so that two copies of the package agree.
 */
const VALIDATES_INPUT = Symbol.for("mcp-operations.validatesInput")

/** Marks a handler as one that validates its input itself, and gives it back. */
export function markValidatesInput<H extends object>(handler: H): H {
  Object.defineProperty(handler, VALIDATES_INPUT, { value: true })
  return handler
}

/** True for a handler that validates its input itself. */
export function validatesInput(handler: object): boolean {
  return (handler as { [VALIDATES_INPUT]?: unknown })[VALIDATES_INPUT] === true
}
