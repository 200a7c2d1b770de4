/**
 * `mcp-operations generate`: the operations of the servers as TypeScript modules.
 *
 * In: servers by name, a folder, and how to write. Out: which files were made, changed or left. With `check` nothing is written, and the
 * exit code says whether something would change. A server that cannot be reached fails the command: half of the modules would look like all.
 */
import { generateModules, writeFiles, type ModuleOptions, type WrittenFiles } from "../codegen.js"
import type { MCPConfig } from "../from_mcp.js"
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import type { Host } from "./host.js"

/** What the command line says of the modules. */
export interface GenerateWords {
  readonly out: string
  readonly target?: ModuleOptions["target"]
  readonly names?: ModuleOptions["names"]
  readonly oneFile?: string | undefined
  readonly header?: string | undefined
  readonly check?: boolean | undefined
  readonly format?: boolean | undefined
}

/** Writes the modules of all servers, or says which of them would change. */
export async function generate(words: GenerateWords, servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  const { out, check = false, format = true, target, names, oneFile, header } = words
  const files = await withServers(servers, host, (outcomes, say) => {
    const wrappers = outcomes.map(connected)
    say(`writing ${out}`)
    return Promise.resolve(generateModules(wrappers.flatMap(({ tools }) => tools), { target, names, oneFile, header }))
  })
  const written = await writeFiles(out, files, { check, format })
  const differs = written.created.length + written.changed.length > 0
  return {
    document: { check, ...written },
    view: () => view(written, check),
    exitCode: check && differs ? EXIT.toolError : EXIT.ok,
  }
}

function view({ created, changed, unchanged }: WrittenFiles, check: boolean): string {
  const lines = [
    ...created.map((path) => `${check ? "would be made" : "made"}     ${path}`),
    ...changed.map((path) => `${check ? "would change" : "changed"}  ${path}`),
    ...unchanged.map((path) => `unchanged  ${path}`),
  ]
  return lines.join("\n")
}
