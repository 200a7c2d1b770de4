/**
 * `mcp-operations generate`: the operations of the servers as TypeScript modules; or the types of a file as operations to be written.
 *
 * In: servers by name, a folder, and how to write. Out: which files were made, changed or left, and which schemas could not be printed.
 * With `check` nothing is written, and the exit code says whether something would change. A server that cannot be reached fails the command:
 * half of the modules would look like all.
 */
import { readFile } from "node:fs/promises"
import { basename, extname } from "node:path"
import { FOREIGN_TARGETS, generateModules, generateSchemas, operationsFromTypes, writeFiles, type ForeignTarget, type GeneratedSchemas, type ModuleOptions, type WrittenFiles } from "../codegen.js"
import { CallError } from "../error.js"
import type { MCPConfig } from "../from_mcp.js"
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import type { GenerateTarget } from "./generate_targets.js"
import type { Host } from "./host.js"
import { printableLine } from "./view/printable.js"

/** What the command line says of the modules. */
export interface GenerateWords {
  readonly out: string
  readonly target?: GenerateTarget
  readonly names?: ModuleOptions["names"]
  readonly oneFile?: string | undefined
  readonly header?: string | undefined
  readonly check?: boolean | undefined
  readonly format?: boolean | undefined
  /** A file whose types become operations; no server is asked then. */
  readonly fromTypes?: string | undefined
}

/** Writes the modules of all servers, or says which of them would change. */
export async function generate(words: GenerateWords, servers: () => Promise<MCPConfig["servers"]>, host: Host): Promise<CommandResult> {
  const { out, check = false, format = true, fromTypes } = words
  const { files, unprinted } = fromTypes === undefined ? await modulesOf(words, await servers(), host) : await stubsOf(fromTypes)
  const written = await writeFiles(out, files, { check, format })
  const differs = written.created.length + written.changed.length > 0
  return {
    document: { check, ...written, ...(unprinted.length === 0 ? {} : { unprinted }) },
    view: () => view(written, unprinted, check),
    exitCode: check && differs ? EXIT.toolError : EXIT.ok,
  }
}

function modulesOf({ out, target = "typebox", names, oneFile, header }: GenerateWords, servers: MCPConfig["servers"], host: Host): Promise<GeneratedSchemas> {
  return withServers(servers, host, async (outcomes, say) => {
    const operations = outcomes.map(connected).flatMap(({ tools }) => tools)
    say(`writing ${out}`)
    if (isForeign(target)) return generateSchemas(operations, target, { oneFile, header })
    return { files: generateModules(operations, { target, names, oneFile, header }), unprinted: [] }
  })
}

async function stubsOf(path: string): Promise<GeneratedSchemas> {
  let source: string
  try {
    source = await readFile(path, "utf8")
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", `"${path}" cannot be read`, { details: { file: path }, cause })
  }
  return { files: [{ name: `${basename(path, extname(path))}_operations.ts`, text: await operationsFromTypes(source) }], unprinted: [] }
}

function isForeign(target: GenerateTarget): target is ForeignTarget {
  return FOREIGN_TARGETS.some((one) => one === target)
}

function view({ created, changed, unchanged }: WrittenFiles, unprinted: GeneratedSchemas["unprinted"], check: boolean): string {
  return [
    ...created.map((path) => `${check ? "would be made" : "made"}  ${printableLine(path)}`),
    ...changed.map((path) => `${check ? "would change" : "changed"}  ${printableLine(path)}`),
    ...unchanged.map((path) => `unchanged  ${printableLine(path)}`),
    ...unprinted.map(({ operationId, side, limit }) => `not printed  ${printableLine(`${operationId}, ${side}: ${limit}`)}`),
  ].join("\n")
}
