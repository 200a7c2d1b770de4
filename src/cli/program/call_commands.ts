/**
 * The commands about single operations: list, describe, call.
 *
 * In: the table of commands. Out: these three in it. Behind the id of a call nothing is read here: those words belong to the tool,
 * whose schema is not known yet.
 */
import { remoteWords, seconds, withSourceOptions, type CommandTable, type SourceOptions } from "./command_table.js"

type CallOptions = SourceOptions & { readonly input?: string; readonly arg?: string[]; readonly timeout?: number }

/** Adds the commands about single operations. */
export function addCallCommands({ command, choose, servers, serverCommand, host }: CommandTable): void {
  withSourceOptions(command("list", "show the operations of the servers")).action((options: SourceOptions) => {
    choose(options, async () => {
      const remote = remoteWords(options, serverCommand)
      if (remote !== undefined) return (await import("../nats/remote_commands.js")).remoteList(remote, host)
      return (await import("../list.js")).list(await servers(options), host)
    })
  })
  withSourceOptions(command("describe <id>", "show what an operation does, takes and gives")).action((id: string, options: SourceOptions) => {
    choose(options, async () => {
      const remote = remoteWords(options, serverCommand)
      if (remote !== undefined) return (await import("../nats/remote_commands.js")).remoteDescribe(id, remote, host)
      return (await import("../describe.js")).describe(id, await servers(options), host)
    })
  })
  withSourceOptions(command("call <id> [flags...]", "call an operation; behind the id stand the flags of the tool"))
    .option("--input <json>", "all arguments: JSON, - for stdin, or @file")
    .option("--arg <name=json>", "one argument by its exact name; can be repeated", (text: string, before: string[] | undefined) => [...(before ?? []), text])
    .option("--timeout <seconds>", "longest duration of the call (default: 60)", seconds)
    .usage("[options] <id> [--flag value]... [-- command args...]")
    .addHelpText("after", CALL_HELP)
    .passThroughOptions()
    .action((id: string, flags: string[], options: CallOptions) => {
      const { input, arg = [], timeout } = options
      const words = { input, arg, timeoutMs: timeout === undefined ? undefined : timeout * 1000, words: flags }
      choose(options, async () => {
        const remote = remoteWords(options, serverCommand)
        if (remote !== undefined) return (await import("../nats/remote_commands.js")).remoteCall(id, words, remote, host)
        const { call } = await import("../call.js")
        return call(id, words, () => servers(options), host)
      })
    })
}

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
