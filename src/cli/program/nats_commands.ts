/**
 * The commands about calls across machines: nats-config.
 *
 * In: the table of commands. Out: these in it.
 */
import { withFormOptions, type CommandTable } from "./command_table.js"
import type { ScreenOptions } from "../view/screen.js"

/** Adds the commands about calls across machines. */
export function addNATSCommands({ command, choose }: CommandTable): void {
  withFormOptions(command("nats-config", "print the configuration of a nats-server for the callers and workers of a config"))
    .requiredOption("--config <file>", 'a config file with a member "nats"')
    .addHelpText("after", CONFIG_HELP)
    .action((options: ScreenOptions & { readonly config: string }) => {
      choose(options, async () => (await import("../nats/nats_config.js")).natsConfig(options.config))
    })
}

const CONFIG_HELP = `
The member "nats" stands beside the MCP servers of the config:
  "nats": {
    "callers": {
      "alice": { "scopes": ["files:read"], "resources": { "repo": ["read"] } },
      "carol": { "scopes": [], "operations": ["files.*", "git.status"] }
    },
    "workers": { "w1": { "expose": ["files.*"] } },
    "monitor": "ops-monitor"
  }
Each name is a user of the server. A caller has its scopes and resources at every worker
that is started with this config; "operations" makes the server itself refuse all others.
Passwords stand in the server's environment: NATS_PASSWORD_ALICE, NATS_PASSWORD_W1, ...

Examples:
  mcp-operations nats-config --config servers.json > nats.conf
  NATS_PASSWORD_ALICE='"secret"' NATS_PASSWORD_W1='"secret too"' nats-server -c nats.conf`
