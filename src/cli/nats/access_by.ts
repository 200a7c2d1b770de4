/**
 * What the operations of a worker demand of their callers, by the config's `nats.access`.
 *
 * In: patterns of ids with their demands. Out: the demand of a tool. The longest pattern that fits counts, alone, so that `files.write_*`
 * can ask for more or for less than `files.*`; what none fits demands nothing, and every caller of the config may run it.
 */
import { matchesOperationId, toNamespace, type AccessControl } from "../../operation.js"
import type { NATSSection } from "./nats_section.js"

/** The demands of the tools of a server, by their names on the wire. */
export function accessBy({ access = {} }: NATSSection, server: string): (tool: { readonly name: string }) => AccessControl | undefined {
  const patterns = Object.keys(access).sort((one, other) => other.length - one.length)
  return ({ name }) => {
    const fitting = patterns.find((pattern) => matchesOperationId(pattern, `${toNamespace(server)}.${name}`))
    return fitting === undefined ? undefined : access[fitting]
  }
}
