/**
 * What the groups of commands share: how one is defined, chosen and run, and the options that many have.
 *
 * In: commander. Out: the pieces that a group puts together. Knows no command.
 */
import { InvalidArgumentError, Option, type Command } from "commander"
import type { MCPConfig } from "../../from_mcp.js"
import type { CommandResult } from "../command_result.js"
import type { Host } from "../host.js"
import type { ServerOptions } from "../source/server_source.js"
import type { ScreenOptions } from "../view/screen.js"

/** The options of `withServerOptions` and `withFormOptions`. */
export type OwnOptions = ScreenOptions & Omit<ServerOptions, "command">

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
