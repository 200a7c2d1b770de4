/**
 * The commands that write files: generate, init, lock.
 *
 * In: the table of commands. Out: these three in it.
 */
import { Option } from "commander"
import type { GenerateWords } from "../generate.js"
import { GENERATE_TARGETS } from "../generate_targets.js"
import type { InitWords } from "../init.js"
import type { LockWords } from "../lock.js"
import { withFormOptions, withServerOptions, type CommandTable, type OwnOptions } from "./command_table.js"

/** Adds the commands that write files. */
export function addFileCommands({ command, choose, servers, host }: CommandTable): void {
  withServerOptions(command("generate", "write typed modules for the operations of the servers"))
    .option("--out <folder>", "where the files go", "generated")
    .addOption(new Option("--target <kind>", "typebox: schemas, types and a client; types: types alone; others: schemas for that library").choices(GENERATE_TARGETS).default("typebox"))
    .addOption(new Option("--names <style>", "createIssue for create-issue, or the names as they are").choices(["camel", "as-is"]).default("camel"))
    .option("--one-file <name>", "one file of this name for all servers")
    .option("--header <text>", "the first lines of each file, without comment signs")
    .option("--check", "write nothing; exit code 1 when a file would change")
    .option("--no-format", "leave the project's prettier out")
    .option("--from-types <file>", "the other way: types of a TypeScript file become operations to be written")
    .addHelpText("after", GENERATE_HELP)
    .action((options: OwnOptions & GenerateWords) => {
      choose(options, async () => (await import("../generate.js")).generate(options, () => servers(options), host))
    })
  withFormOptions(command("init", "make a config for this folder, from what your other clients have"))
    .option("--file <name>", "the file to make", ".mcp.json")
    .option("--yes", "take over what is found without asking")
    .addOption(new Option("--empty", "take nothing over").conflicts("yes"))
    .action((options: OwnOptions & InitWords) => {
      choose(options, async () => (await import("../init.js")).init(options, host))
    })
  withServerOptions(command("lock", "keep the tools of the servers as reviewed, or see what changed since"))
    .option("--file <path>", "where the lock is", "mcp-operations.lock.json")
    .option("--check", "write nothing; exit code 1 when something is not as reviewed")
    .addHelpText("after", LOCK_HELP)
    .action((options: OwnOptions & LockWords) => {
      choose(options, async () => (await import("../lock.js")).lock(options, await servers(options), host))
    })
}

const GENERATE_HELP = `
Each server becomes one module: a type and a schema for every input and output, and
a function that makes a client of anything that holds the operations. Targets behind
"types", and --from-types, need the package @sinclair/typebox-codegen; what it cannot
print right is left out and named.

Examples:
  mcp-operations generate --config servers.json --out src/generated
  mcp-operations generate --config servers.json --out src/generated --check
  mcp-operations generate --target types -- npx -y @modelcontextprotocol/server-everything
  mcp-operations generate --from-types src/requests.ts --out src`

const LOCK_HELP = `
The lock holds a digest of each tool's words and its schemas. Commit it, and let a check
tell when a server no longer is what you reviewed: major changes may break callers.

Examples:
  mcp-operations lock --config servers.json
  mcp-operations lock --config servers.json --check`
