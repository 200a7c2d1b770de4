/**
 * `mcp-operations serve`: a worker that holds the MCP servers of a config and serves their operations over NATS.
 *
 * In: a NATS server, a config with the member `nats`, patterns of what is served. Out: a worker until the process is asked to end; then
 * calls in flight are finished, the counters printed, the MCP servers closed. Who a caller is comes from `nats.callers` alone: a name that
 * does not stand there is denied, whatever the NATS server lets through.
 */
import { CallError } from "../../error.js"
import { loadConfigFile, MCPClientLoader, type MCPConfig } from "../../from_mcp.js"
import { serve, type Identify, type NATSConnection, type NATSWorker } from "../../nats.js"
import { matchesOperationId } from "../../operation.js"
import { OperationRegistry } from "../../registry.js"
import { clientOptions } from "../client_options.js"
import type { CommandResult } from "../command_result.js"
import { failuresUnlessAll } from "../connect.js"
import { EXIT } from "../exit_code.js"
import type { Host } from "../host.js"
import { VERSION } from "../package_files.js"
import { onHealthWanted } from "../signals.js"
import { usageError } from "../usage_error.js"
import { accessBy } from "./access_by.js"
import { connectAs, natsLogin } from "./nats_login.js"
import { readNATSSection, type NATSSection } from "./nats_section.js"
import { WorkerLog } from "./worker_log.js"

/** What the command line says about the worker. */
export interface ServeWords {
  readonly nats: string
  readonly config: string
  /** Default: what the config says of the worker of this name. */
  readonly expose?: readonly string[] | undefined
  readonly name?: string | undefined
  /** Seconds between two lines of health; none without it. */
  readonly healthEvery?: number | undefined
  /** Seconds that calls in flight have at the end. Default 30. */
  readonly drain?: number | undefined
}

/**
 * Serves until the process is asked to end.
 *
 * @throws CallError CONFIGURATION_ERROR for a config or words that cannot be followed, and where the NATS server refuses a subscription;
 * TRANSPORT_ERROR without a NATS server, or where it closed the connection for good.
 */
export async function serveOperations(words: ServeWords, host: Host): Promise<CommandResult> {
  const section = await readNATSSection(words.config)
  const login = natsLogin(words.nats, words.name, host.env)
  const name = login.name ?? `w${crypto.randomUUID().slice(0, 8)}`
  const expose = exposed(words, section, login.name)
  const { servers } = await loadConfigFile(words.config)
  const log = new WorkerLog(host)
  let worker: NATSWorker | undefined
  // Asked for before anything is served, the signal would end the process: that is what it does when nobody listens.
  const health = () => (worker === undefined ? log.say("health: not serving yet") : log.health(worker.health()))
  const unhear = onHealthWanted(health)
  const loader = new MCPClientLoader()
  let connection: NATSConnection | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    connection = await connectAs(name, login)
    tellOfAuthentication(connection, log)
    const registry = await load(loader, servers, section, host, log)
    worker = await serve({ registry, connection, name, expose, identify: identifyBy(section), prefix: section.prefix, monitor: section.monitor, version: VERSION })
    tellOfExposed(worker, registry, expose, log)
    log.say(`serving ${String(worker.health().operations)} operations as worker ${worker.name} at ${connection.getServer()}`)
    if (words.healthEvery !== undefined) timer = setInterval(health, words.healthEvery * 1000)
    void tellOfConnection(connection, log)
    const closed = await untilEnd(connection, host.signal)
    log.say(closed ? "the NATS server closed the connection for good" : "asked to end: no new calls, those in flight are finished")
    await worker.drain((words.drain ?? 30) * 1000)
    const last = worker.health()
    log.health(last)
    if (closed) throw new CallError("TRANSPORT_ERROR", "The NATS server closed the connection for good", { details: { kind: "closed", outcome: "unknown" } })
    return { document: { worker: worker.name, health: last }, view: () => `The worker ${last.name} has ended.`, exitCode: EXIT.ok }
  } finally {
    clearInterval(timer)
    await worker?.close()
    await connection?.close()
    await loader.closeAll()
    unhear()
  }
}

function exposed({ expose, config }: ServeWords, section: NATSSection, name: string | undefined): readonly string[] {
  if (expose !== undefined) return expose
  const workers = section.workers ?? {}
  const own = name !== undefined && Object.hasOwn(workers, name) ? workers[name] : undefined
  if (own !== undefined) return own.expose
  const who = name === undefined ? "a worker without a name" : `a worker "${name}"`
  throw usageError(`Nothing says what is served: there is no --expose, and ${config} says nothing of ${who}`, `--expose 'files.*', or --name with a name below nats.workers`)
}

function identifyBy({ callers = {} }: NATSSection): Identify {
  const identities = new Map(Object.entries(callers).map(([id, { scopes, resources }]) => [id, { id, scopes, ...(resources === undefined ? {} : { resources }) }]))
  return (caller) => identities.get(caller)
}

/** Connects the MCP servers; one that fails is told and costs only itself. @throws CallError where all fail */
async function load(loader: MCPClientLoader, servers: MCPConfig["servers"], section: NATSSection, host: Host, log: WorkerLog): Promise<OperationRegistry> {
  const registry = new OperationRegistry()
  const clients = await clientOptions(servers, host)
  loader.registerAll(registry)
  const outcomes = await loader.load(
    { servers },
    {
      onWarning: log.warn,
      orphanGuard: true,
      signal: host.signal,
      clientInfo: { name: "mcp-operations", version: VERSION },
      clients: Object.fromEntries(Object.keys(servers).map((name) => [name, { ...clients[name], access: accessBy(section, name) }])),
    },
  )
  for (const { name, error } of failuresUnlessAll(outcomes)) log.note(`${name}: ${error.message}`)
  return registry
}

function tellOfExposed({ unserved }: NATSWorker, registry: OperationRegistry, expose: readonly string[], log: WorkerLog): void {
  for (const { operationId, error } of unserved) log.note(`${operationId} is not served: ${error.message}`)
  const ids = registry.list()
  for (const pattern of expose) if (!ids.some((id) => matchesOperationId(pattern, id))) log.note(`no operation fits "${pattern}" now`)
}

/** Scopes hang on names, and there anybody may take any name: whoever forgot the configuration of the server would not notice otherwise. */
function tellOfAuthentication({ info }: NATSConnection, log: WorkerLog): void {
  if (info !== undefined && Reflect.get(info, "auth_required") === true) return
  log.note("the NATS server asks nobody for a password: every caller may use any name; start it with what mcp-operations nats-config prints")
}

async function tellOfConnection(connection: NATSConnection, log: WorkerLog): Promise<void> {
  let isUp = true
  for await (const status of connection.status()) {
    // Each attempt to connect again that fails is one more "disconnect".
    if (status.type === "disconnect" && isUp) log.note("the connection to the NATS server was lost")
    if (status.type === "reconnect") log.note(`connected to the NATS server again, at ${connection.getServer()}`)
    if (status.type === "disconnect" || status.type === "reconnect") isUp = status.type === "reconnect"
    const error: unknown = status.type === "error" ? Reflect.get(status, "error") : undefined
    if (error instanceof Error) log.warn({ server: "the NATS server", kind: "connection", message: error.message })
  }
}

/** True where the connection is over, false where the process was asked to end. */
function untilEnd(connection: NATSConnection, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    void connection.closed().then(() => resolve(true))
    if (signal.aborted) resolve(false)
    else signal.addEventListener("abort", () => resolve(false), { once: true })
  })
}
