/**
 * The commands about calls across machines: serve, nats-config.
 *
 * In: the table of commands. Out: these two in it.
 */
import type { ServeWords } from "../nats/serve.js"
import { usageError } from "../usage_error.js"
import { seconds, withFormOptions, type CommandTable } from "./command_table.js"
import type { ScreenOptions } from "../view/screen.js"

/** Adds the commands about calls across machines. */
export function addNATSCommands({ command, choose, serverCommand, host }: CommandTable): void {
  withFormOptions(command("serve", "be a worker: serve the operations of a config's servers over NATS"))
    .requiredOption("--nats <url>", "the NATS server, as nats://HOST:4222; several of a cluster with commas between them")
    .requiredOption("--config <file>", 'MCP servers, and callers below "nats"')
    .option("--expose <patterns...>", "ids that are served, as files.* or git.status (default: those of this worker in the config)")
    .option("--name <name>", "the worker's name (default: the user of the url)")
    .option("--health-every <seconds>", "print the counters so often; SIGUSR2 prints them at any time", seconds)
    .option("--drain <seconds>", "how long calls in flight may take at the end (default: 30)", seconds)
    .addHelpText("after", SERVE_HELP)
    .action((options: ScreenOptions & ServeWords) => {
      if (serverCommand !== undefined) throw usageError("serve takes its servers from --config", "leave out what stands behind --")
      choose(options, async () => (await import("../nats/serve.js")).serveOperations(options, host))
    })
  withFormOptions(command("nats-config", "print the configuration of a nats-server for the callers and workers of a config"))
    .requiredOption("--config <file>", 'a config file with a member "nats"')
    .addHelpText("after", CONFIG_HELP)
    .action((options: ScreenOptions & { readonly config: string }) => {
      choose(options, async () => (await import("../nats/nats_config.js")).natsConfig(options.config))
    })
}

const SERVE_HELP = `
The worker holds the MCP servers of the config; callers use its operations by their ids.
Who a caller is comes from the config: scopes and resources stand at "nats" > "callers",
and a name that is not there is denied ("mcp-operations nats-config --help" shows the form).
The name itself is proven by the NATS server, with the configuration of nats-config; a NATS
server without users lets everybody use any name.

The password stands in the url, or better in NATS_PASSWORD: other users of the machine
can read a command line.

SIGTERM and SIGINT let calls in flight finish; a second one ends at once. Counters go to
stderr as one line: inFlight, queued, served, failed (the operation answered with an error),
refused (denied, unknown, late or too many: nothing was started).

Examples:
  mcp-operations serve --nats nats://localhost:4222 --config servers.json --expose 'files.*' --name w1
  NATS_PASSWORD=secret mcp-operations serve --nats nats://w1@localhost:4222 --config servers.json
  kill -USR2 PID`

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
