/**
 * How operations are named: `namespace.name`, split at the first dot.
 *
 * A namespace is `[A-Za-z0-9_-]+`; a name is anything but empty, because MCP servers name their tools as they like and the
 * name on the wire is never changed.
 */
import { CallError } from "../error.js"

const NAMESPACE = /^[A-Za-z0-9_-]+$/

/** True for a text that may be a namespace: letters, digits, `_` and `-`, at least one. */
export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text)
}

/** A namespace for any text: what a namespace cannot hold becomes `_`. Two texts can meet in one; the loader refuses that. */
export function toNamespace(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "_") || "_"
}

/**
 * The id of an operation, `namespace.name`.
 *
 * @throws CallError CONFIGURATION_ERROR where the namespace or the name is none.
 */
export function operationId(spec: { readonly namespace: string; readonly name: string }): string {
  if (!isNamespace(spec.namespace)) {
    throw new CallError("CONFIGURATION_ERROR", `"${spec.namespace}" cannot be a namespace: use letters, digits, "_" and "-"`, {
      details: { remedy: `name it "${toNamespace(spec.namespace)}"` },
    })
  }
  if (spec.name === "") throw new CallError("CONFIGURATION_ERROR", `An operation of "${spec.namespace}" has an empty name`)
  return `${spec.namespace}.${spec.name}`
}

/** Namespace and name of an id, split at its first dot; undefined where the text is no id. */
export function parseOperationId(id: string): { namespace: string; name: string } | undefined {
  const dot = id.indexOf(".")
  if (dot < 1 || dot === id.length - 1) return undefined
  const namespace = id.slice(0, dot)
  return isNamespace(namespace) ? { namespace, name: id.slice(dot + 1) } : undefined
}
