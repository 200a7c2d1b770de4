/**
 * From operations to files.
 *
 * In: operations of any servers. Out: file names with their texts. Writes nothing.
 */
import type { OperationSpec } from "../operation.js"
import { uniqueNames } from "./identifiers.js"
import { serverModule, type ModuleOptions } from "./server_module.js"

/** How modules are made of operations. */
export interface GenerateOptions extends ModuleOptions {
  /** The name of one file for all servers; without it each server has a file of its own. */
  readonly oneFile?: string | undefined
}

/** A file to be written: its name, and its text. */
export interface GeneratedFile {
  readonly name: string
  readonly text: string
}

/** The modules of operations: one a namespace, sorted. The same operations give the same bytes, whatever their order. */
export function generateModules(operations: Iterable<OperationSpec>, options: GenerateOptions = {}): GeneratedFile[] {
  const byNamespace = new Map<string, OperationSpec[]>()
  for (const operation of operations) byNamespace.set(operation.namespace, [...(byNamespace.get(operation.namespace) ?? []), operation])
  const namespaces = [...byNamespace].sort(([one], [other]) => (one < other ? -1 : 1))
  const files = uniqueNames(byNamespace.keys(), fileName)
  const servers = namespaces.map(([namespace, members]) => ({ namespace, operations: members }))
  if (options.oneFile !== undefined) return [{ name: options.oneFile, text: serverModule(servers, options) }]
  return servers.map((server) => ({ name: `${files.get(server.namespace) ?? fileName(server.namespace)}.ts`, text: serverModule([server], options) }))
}

function fileName(namespace: string): string {
  const words = namespace.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").match(/[A-Za-z0-9]+/g) ?? ["server"]
  return words.join("_").toLowerCase()
}
