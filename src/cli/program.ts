/**
 * The command line as it is written in the help: which command was chosen by the words.
 *
 * In: the words before `--` and those behind it. Out: the command that was chosen, not run yet, or a text of help.
 * The commands and their options stand in `program/`, one file a group.
 */
import { Command, CommanderError } from "commander"
import type { CommandResult } from "./command_result.js"
import type { Host } from "./host.js"
import { VERSION } from "./package_files.js"
import { addCallCommands } from "./program/call_commands.js"
import type { CommandTable } from "./program/command_table.js"
import { addFileCommands } from "./program/file_commands.js"
import { addNATSCommands } from "./program/nats_commands.js"
import { addServerCommands } from "./program/server_commands.js"
import { usageError } from "./usage_error.js"
import type { ScreenOptions } from "./view/screen.js"

/** What the command line asks for. */
export type Chosen = { readonly help: string } | { readonly screen: ScreenOptions; readonly run: () => Promise<CommandResult> }

/**
 * Reads the command line.
 *
 * @throws CallError CONFIGURATION_ERROR for words that no command understands.
 */
export function chooseCommand(words: readonly string[], serverCommand: readonly string[] | undefined, host: Host): Chosen {
  let chosen: Chosen | undefined
  let printed = ""
  const program = new Command("mcp-operations")
    .description("Calls the tools of MCP servers. Every answer is one envelope: { data, meta }.")
    .version(VERSION)
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES)

  const table: CommandTable = {
    command: (definition, description) => program.command(definition).description(description),
    choose: (screen, run) => {
      chosen = { screen, run }
    },
    servers: async (options) => (await import("./source/server_source.js")).serversOf({ ...options, command: serverCommand }, host),
    serverCommand,
    host,
  }
  addCallCommands(table)
  addFileCommands(table)
  addServerCommands(table)
  addNATSCommands(table)

  for (const one of [program, ...program.commands]) {
    one.exitOverride().configureOutput({
      writeOut: (text) => {
        printed += text
      },
      writeErr: () => undefined,
    })
  }
  try {
    program.parse(words, { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { help: printed }
    throw asUsageError(error)
  }
  if (chosen === undefined) throw usageError("No command was given", "mcp-operations --help")
  return chosen
}

/** Commander's own words, without its prefix; the values of options do not stand in them, apart from one that is refused. */
function asUsageError(error: CommanderError): Error {
  if (error.code === "commander.help") return usageError("No command was given", "mcp-operations --help")
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n")
  const suggestion = /^\(Did you mean (.+)\?\)$/.exec(rest.join(" "))?.[1]
  const message = suggestion === undefined ? first : `${first}; did you mean ${suggestion}?`
  return usageError(message, suggestion ?? "mcp-operations --help")
}

const EXAMPLES = `
Where the servers come from:
  --config FILE     a config file
  --url URL         one server over HTTP
  -- command args   one server to start; always at the end
  --nats URL        workers across machines (list, describe, call)
  none of them      .mcp.json, mcp.json or .vscode/mcp.json of this folder,
                    once you have agreed to it

Examples:
  mcp-operations demo
  mcp-operations list -- npx -y @modelcontextprotocol/server-everything
  mcp-operations call echo --message hi -- npx -y @modelcontextprotocol/server-everything
  mcp-operations describe --config servers.json files.read_text_file
  mcp-operations call --config servers.json --input '{"path": "."}' files.list_directory
  mcp-operations tools --config servers.json --format openai
  mcp-operations serve --nats nats://localhost:4222 --config servers.json --expose 'files.*' --name w1
  mcp-operations call --nats nats://alice@localhost:4222 files.read_text_file --path README.md
  mcp-operations login --url https://mcp.example.com/mcp

Exit code: 0 an answer, 1 the tool reports an error,
           2 wrong command line, config or input, 3 no answer`
