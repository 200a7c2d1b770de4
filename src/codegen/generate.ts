/**
 * From operations to files.
 *
 * In: operations of any servers. Out: file names with their texts. Writes nothing.
 */
import type { OperationSpec } from "../operation.js"
import { foreignModule, type UnprintedSchema } from "./foreign_module.js"
import type { ForeignTarget } from "./foreign_schema.js"
import { uniqueNames } from "./identifiers.js"
import { headerText, serverModule, type ModuleOptions, type ServerOperations } from "./server_module.js"

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
  return inFiles(operations, options.oneFile).map(({ name, servers }) => ({ name, text: serverModule(servers, options) }))
}

/** Files of schemas for another library, and what is not in them. */
export interface GeneratedSchemas {
  readonly files: readonly GeneratedFile[]
  readonly unprinted: readonly UnprintedSchema[]
}

/**
 * The schemas of operations for another library, printed by the optional package `@sinclair/typebox-codegen`. What that package cannot
 * print right is left out and named.
 *
 * @throws CallError CONFIGURATION_ERROR where the package is not installed.
 */
export async function generateSchemas(operations: Iterable<OperationSpec>, target: ForeignTarget, options: Pick<GenerateOptions, "oneFile" | "header"> = {}): Promise<GeneratedSchemas> {
  const files: GeneratedFile[] = []
  const unprinted: UnprintedSchema[] = []
  for (const { name, servers } of inFiles(operations, options.oneFile)) {
    const module = await foreignModule(servers.flatMap((server) => server.operations), target, headerText(servers, options.header))
    files.push({ name, text: module.text })
    unprinted.push(...module.unprinted)
  }
  return { files, unprinted }
}

/** The operations by the file that they go into. */
function inFiles(operations: Iterable<OperationSpec>, oneFile: string | undefined): { name: string; servers: ServerOperations[] }[] {
  const byNamespace = new Map<string, OperationSpec[]>()
  for (const operation of operations) byNamespace.set(operation.namespace, [...(byNamespace.get(operation.namespace) ?? []), operation])
  const namespaces = [...byNamespace].sort(([one], [other]) => (one < other ? -1 : 1))
  const files = uniqueNames(byNamespace.keys(), fileName)
  const servers = namespaces.map(([namespace, members]) => ({ namespace, operations: members }))
  if (oneFile !== undefined) return [{ name: oneFile, servers }]
  return servers.map((server) => ({ name: `${files.get(server.namespace) ?? fileName(server.namespace)}.ts`, servers: [server] }))
}

function fileName(namespace: string): string {
  const words = namespace.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").match(/[A-Za-z0-9]+/g) ?? ["server"]
  return words.join("_").toLowerCase()
}
