/**
 * `mcp-operations nats-config`: the configuration of a nats-server for the callers and workers of a config.
 *
 * In: a config file. Out: the text of the server's file on stdout, also into a pipe. No MCP server is started, no variable is read.
 */
import { natsServerConfig } from "../../nats.js"
import type { CommandResult } from "../command_result.js"
import { EXIT } from "../exit_code.js"
import { inSection, readNATSSection } from "./nats_section.js"

/** Prints the server's configuration. @throws CallError CONFIGURATION_ERROR, with file and JSON pointer */
export async function natsConfig(file: string): Promise<CommandResult> {
  const { prefix, callers = {}, workers = {}, monitor } = await readNATSSection(file)
  try {
    const config = natsServerConfig({ prefix, callers, workers, monitor })
    return { document: { config }, view: () => config.trimEnd(), exitCode: EXIT.ok, isText: true }
  } catch (error) {
    throw inSection(error, file)
  }
}
