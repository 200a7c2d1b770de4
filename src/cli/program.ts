/**
 * The command line as it is written in the help: commands, their own options, and what is chosen by them.
 *
 * In: the words before `--` and those behind it. Out: the command that was chosen, not run yet, or a text of help.
 * Behind the id of a call nothing is read here: those words belong to the tool, whose schema is not known yet.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander"
import type { CommandResult } from "./command_result.js"
import type { GenerateWords } from "./generate.js"
import { GENERATE_TARGETS } from "./generate_targets.js"
import type { Host } from "./host.js"
import type { InitWords } from "./init.js"
import type { LockWords } from "./lock.js"
import type { ServerOptions } from "./source/server_source.js"
import { PROVIDERS, TOOL_FORMATS, type ToolsOptions } from "./tool_formats.js"
import { usageError } from "./usage_error.js"
import { VERSION } from "./package_files.js"
import type { ScreenOptions } from "./view/screen.js"

/** What the command line asks for. */
export type Chosen = { readonly help: string } | { readonly screen: ScreenOptions; readonly run: () => Promise<CommandResult> }

type OwnOptions = ScreenOptions &
  Omit<ServerOptions, "command"> & { readonly input?: string; readonly arg?: string[]; readonly timeout?: number } & Partial<ToolsOptions>

/**
 * Reads the command line.
 *
 * @throws CallError CONFIGURATION_ERROR for words that no command understands.
 */
export function chooseCommand(words: readonly string[], serverCommand: readonly string[] | undefined, host: Host): Chosen {
  let chosen: Chosen | undefined
  let printed = ""
  const choose = (screen: ScreenOptions, run: () => Promise<CommandResult>): void => {
    chosen = { screen, run }
  }
  const servers = async (options: OwnOptions) => (await import("./source/server_source.js")).serversOf({ ...options, command: serverCommand }, host)

  const program = new Command("mcp-operations")
    .description("Calls the tools of MCP servers. Every answer is one envelope: { data, meta }.")
    .version(VERSION)
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES)

  const command = (definition: string, description: string): Command => program.command(definition).description(description)
  withServerOptions(command("list", "show the operations of the servers")).action((options: OwnOptions) => {
    choose(options, async () => (await import("./list.js")).list(await servers(options), host))
  })
  withServerOptions(command("describe <id>", "show what an operation does, takes and gives")).action((id: string, options: OwnOptions) => {
    choose(options, async () => (await import("./describe.js")).describe(id, await servers(options), host))
  })
  withServerOptions(command("call <id> [flags...]", "call an operation; behind the id stand the flags of the tool"))
    .option("--input <json>", "all arguments: JSON, - for stdin, or @file")
    .option("--arg <name=json>", "one argument by its exact name; can be repeated", (text: string, before: string[] | undefined) => [...(before ?? []), text])
    .option("--timeout <seconds>", "longest duration of the call (default: 60)", seconds)
    .usage("[options] <id> [--flag value]... [-- command args...]")
    .addHelpText("after", CALL_HELP)
    .passThroughOptions()
    .action((id: string, flags: string[], options: OwnOptions) => {
      const { input, arg = [], timeout } = options
      const timeoutMs = timeout === undefined ? undefined : timeout * 1000
      choose(options, async () => {
        const { call } = await import("./call.js")
        return call(id, { input, arg, timeoutMs, words: flags }, () => servers(options), host)
      })
    })
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
      choose(options, async () => (await import("./generate.js")).generate(options, () => servers(options), host))
    })
  withFormOptions(command("init", "make a config for this folder, from what your other clients have"))
    .option("--file <name>", "the file to make", ".mcp.json")
    .option("--yes", "take over what is found without asking")
    .addOption(new Option("--empty", "take nothing over").conflicts("yes"))
    .action((options: OwnOptions & InitWords) => {
      choose(options, async () => (await import("./init.js")).init(options, host))
    })
  withServerOptions(command("lock", "keep the tools of the servers as reviewed, or see what changed since"))
    .option("--file <path>", "where the lock is", "mcp-operations.lock.json")
    .option("--check", "write nothing; exit code 1 when something is not as reviewed")
    .addHelpText("after", LOCK_HELP)
    .action((options: OwnOptions & LockWords) => {
      choose(options, async () => (await import("./lock.js")).lock(options, await servers(options), host))
    })
  withServerOptions(command("tools", "print the operations as tool definitions for a model"))
    .addOption(new Option("--format <name>", "whose form the definitions have").choices(TOOL_FORMATS).default("json"))
    .addOption(new Option("--provider <name>", "whose rules the parameters keep to (default: the format's own)").choices(PROVIDERS))
    .option("--short-names", "leave the server's name out where a tool's own name is unique")
    .addHelpText("after", TOOLS_HELP)
    .action(({ format = "json", provider, shortNames = false, ...options }: OwnOptions) => {
      choose(options, async () => (await import("./tools.js")).tools(await servers(options), { format, provider, shortNames }, host))
    })
  withServerOptions(command("login [server]", "log in to a server over HTTP that wants it; later runs use the login"))
    .usage("[options] [server]")
    .option("--open", "open the page in the browser, beside printing it")
    .option("--scope <scopes>", "what to ask for where the server does not say")
    .option("--timeout <seconds>", "how long to wait for you (default: 300)", seconds)
    .action((server: string | undefined, options: OwnOptions & { readonly open?: boolean; readonly scope?: string }) => {
      const { open, scope, timeout } = options
      const words = { open, scope, timeoutMs: timeout === undefined ? undefined : timeout * 1000 }
      choose(options, async () => (await import("./login.js")).login(server, words, await servers(options), host))
    })
  withServerOptions(command("logout [server]", "forget the login of a server"))
    .usage("[options] [server]")
    .action((server: string | undefined, options: OwnOptions) => {
      choose(options, async () => (await import("./login.js")).logout(server, await servers(options), host))
    })
  withFormOptions(command("demo", "start a small server of this package and show four answers")).action((options: OwnOptions) => {
    if (serverCommand !== undefined) throw usageError("demo has a server of its own", "mcp-operations demo")
    choose(options, async () => (await import("./demo.js")).demo(host))
  })

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

function withServerOptions(command: Command): Command {
  return withFormOptions(
    command
      .usage(`[options]${command.registeredArguments.length > 0 ? " <id>" : ""} [-- command args...]`)
      .option("--config <file>", "servers of a config file (mcpServers or servers)")
      .option("--url <url>", "a server over HTTP")
      .option("--name <name>", "name of the server given by --url or behind --"),
  )
}

function withFormOptions(command: Command): Command {
  return command
    .option("--json", "print one JSON document (the default into a pipe)")
    .addOption(new Option("--text", "print for a reader, also into a pipe").conflicts("json"))
}

function seconds(text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError("A number of seconds is wanted.")
  return value
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
  none of them      .mcp.json, mcp.json or .vscode/mcp.json of this folder,
                    once you have agreed to it

Examples:
  mcp-operations demo
  mcp-operations list -- npx -y @modelcontextprotocol/server-everything
  mcp-operations call echo --message hi -- npx -y @modelcontextprotocol/server-everything
  mcp-operations describe --config servers.json files.read_text_file
  mcp-operations call --config servers.json --input '{"path": "."}' files.list_directory
  mcp-operations tools --config servers.json --format openai
  mcp-operations login --url https://mcp.example.com/mcp

Exit code: 0 an answer, 1 the tool reports an error,
           2 wrong command line, config or input, 3 no answer`

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

const TOOLS_HELP = `
Nothing is called: the output is what a model is told of the tools. It is one JSON array,
at a terminal too; notes about it go to stderr.

Formats:
  json              name, description and parameters as the server wrote them, and
                    metadata (server, tool, version, annotations) for the program
  openai            "tools" of a Chat Completions request
  openai-responses  "tools" of a Responses request
  anthropic         "tools" of a Messages request

Providers refuse some schemas, and then the whole request. Each format keeps to its
provider's rules; --provider openai-strict keeps to strict mode where that can be done.
Each change is named on stderr, and in the definition with --format json.

Names are SERVER__TOOL in [A-Za-z0-9_-], at most 64 characters; metadata.operationId
names the operation behind each.

Examples:
  mcp-operations tools --format openai --config servers.json > tools.json
  mcp-operations tools --format anthropic --short-names -- my-mcp-server
  mcp-operations tools --config servers.json --format json --provider openai-strict`

const CALL_HELP = `
Own options stand before the id. Behind it every --flag is an argument of the tool;
only --json and --help stay ours, unless the tool has an argument of that name.
"mcp-operations call <id> --help" shows the flags of a tool.

Values: a text as it is; numbers, booleans and null by the tool's schema; a list by
repeating its flag, or as JSON; an object as JSON. --flag=VALUE where it begins with --.

Examples:
  mcp-operations call --config servers.json mail.send --to a@example.com --to b@example.com
  echo '{"to": ["a@example.com"]}' | mcp-operations call --config servers.json --input - mail.send
  mcp-operations call --url http://localhost:3000/mcp --arg 'filter={"open": true}' search`
