/**
 * The other commands about servers: tools, login, logout, demo.
 *
 * In: the table of commands. Out: these four in it.
 */
import { Option } from "commander"
import { PROVIDERS, TOOL_FORMATS, type ToolsOptions } from "../tool_formats.js"
import { usageError } from "../usage_error.js"
import { seconds, withFormOptions, withServerOptions, type CommandTable, type OwnOptions } from "./command_table.js"

type LoginOptions = OwnOptions & { readonly open?: boolean; readonly scope?: string; readonly timeout?: number }

/** Adds the other commands about servers. */
export function addServerCommands({ command, choose, servers, serverCommand, host }: CommandTable): void {
  withServerOptions(command("tools", "print the operations as tool definitions for a model"))
    .addOption(new Option("--format <name>", "whose form the definitions have").choices(TOOL_FORMATS).default("json"))
    .addOption(new Option("--provider <name>", "whose rules the parameters keep to (default: the format's own)").choices(PROVIDERS))
    .option("--short-names", "leave the server's name out where a tool's own name is unique")
    .addHelpText("after", TOOLS_HELP)
    .action(({ format = "json", provider, shortNames = false, ...options }: OwnOptions & Partial<ToolsOptions>) => {
      choose(options, async () => (await import("../tools.js")).tools(await servers(options), { format, provider, shortNames }, host))
    })
  withServerOptions(command("login [server]", "log in to a server over HTTP that wants it; later runs use the login"))
    .usage("[options] [server]")
    .option("--open", "open the page in the browser, beside printing it")
    .option("--scope <scopes>", "what to ask for where the server does not say")
    .option("--timeout <seconds>", "how long to wait for you (default: 300)", seconds)
    .action((server: string | undefined, options: LoginOptions) => {
      const { open, scope, timeout } = options
      const words = { open, scope, timeoutMs: timeout === undefined ? undefined : timeout * 1000 }
      choose(options, async () => (await import("../login.js")).login(server, words, await servers(options), host))
    })
  withServerOptions(command("logout [server]", "forget the login of a server"))
    .usage("[options] [server]")
    .action((server: string | undefined, options: OwnOptions) => {
      choose(options, async () => (await import("../login.js")).logout(server, await servers(options), host))
    })
  withFormOptions(command("demo", "start a small server of this package and show four answers")).action((options: OwnOptions) => {
    if (serverCommand !== undefined) throw usageError("demo has a server of its own", "mcp-operations demo")
    choose(options, async () => (await import("../demo.js")).demo(host))
  })
}

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
