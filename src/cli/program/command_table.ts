/**
 * What the groups of commands share: how one is defined, chosen and run, and the options that many have.
 *
 * In: commander. Out: the pieces that a group puts together. Knows no command.
 */
import { InvalidArgumentError, Option, type Command } from "commander"
import type { MCPConfig } from "../../from_mcp.js"
import type { CommandResult } from "../command_result.js"
import type { Host } from "../host.js"
import type { RemoteWords } from "../nats/remote.js"
import type { ServerOptions } from "../source/server_source.js"
import { usageError } from "../usage_error.js"
import type { ScreenOptions } from "../view/screen.js"

/** The options of `withServerOptions` and `withFormOptions`. */
export type OwnOptions = ScreenOptions & Omit<ServerOptions, "command">

/** The options of `withSourceOptions`. */
export type SourceOptions = OwnOptions & Partial<RemoteWords>

/** What a group of commands is given. */
export interface CommandTable {
  readonly command: (definition: string, description: string) => Command
  /** Says that this command was chosen; it runs later. */
  readonly choose: (screen: ScreenOptions, run: () => Promise<CommandResult>) => void
  readonly servers: (options: OwnOptions) => Promise<MCPConfig["servers"]>
  /** The words behind `--`; undefined where there was no `--`. */
  readonly serverCommand: readonly string[] | undefined
  readonly host: Host
}

/** The same command with the options that say which servers it is about. */
export function withServerOptions(command: Command): Command {
  return withFormOptions(
    command
      .usage(`[options]${command.registeredArguments.length > 0 ? " <id>" : ""} [-- command args...]`)
      .option("--config <file>", "servers of a config file (mcpServers or servers)")
      .option("--url <url>", "a server over HTTP")
      .option("--name <name>", "name of the server given by --url or behind --"),
  )
}

/** As `withServerOptions`, and workers across machines instead of servers. */
export function withSourceOptions(command: Command): Command {
  return withServerOptions(command)
    .option("--nats <url>", "workers of a NATS server, as nats://HOST:4222 (mcp-operations serve)")
    .option("--caller <name>", "who calls, with --nats (default: the user of its url)")
    .option("--prefix <name>", "first token of the subjects, with --nats (default: ops)")
}

/** What the options say of workers; undefined where they speak of servers. @throws CallError CONFIGURATION_ERROR where they speak of both */
export function remoteWords({ nats, caller, prefix, config, url, name }: SourceOptions, serverCommand: readonly string[] | undefined): RemoteWords | undefined {
  if (nats === undefined) {
    if (caller !== undefined || prefix !== undefined) throw usageError("--caller and --prefix speak of the workers of --nats", "give --nats URL, or leave them out")
    return undefined
  }
  const others = Object.entries({ "--config": config, "--url": url, "--name": name, "-- command": serverCommand }).flatMap(([way, value]) => (value === undefined ? [] : [way]))
  if (others.length > 0) throw usageError(`--nats and ${others.join(" and ")} cannot be given together`, "leave one out: with --nats the workers hold the servers")
  return { nats, caller, prefix }
}

/** The same command with the options that say how the result is printed. */
export function withFormOptions(command: Command): Command {
  return command
    .option("--json", "print one JSON document (the default into a pipe)")
    .addOption(new Option("--text", "print for a reader, also into a pipe").conflicts("json"))
}

/** Reads the value of an option that is a duration. */
export function seconds(text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError("A number of seconds is wanted.")
  return value
}
