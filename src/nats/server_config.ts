/**
 * The configuration of a nats-server that keeps callers and workers within their rights.
 *
 * In: who calls, who works, and what each may reach. Out: the text of the file, one user each, passwords as variables of the server's
 * environment. The server enforces subjects and nothing else, so this text is where a caller's name becomes something to rely on.
 * Workers get no `allow_responses`: it would let a caller have a worker's answer published to any subject, with the worker's rights.
 */
import { CallError } from "../error.js"
import { isNamespace, parseOperationId } from "../operation.js"
import { DEFAULT_PREFIX, inboxPrefix, QUEUE, Subjects, tokenOrThrow } from "./subjects.js"

/** Who uses the server. The names of callers, workers and monitor are those of their users, and no two may be the same. */
export interface NATSServerConfigOptions {
  /** Where the system's subjects begin. Default `ops`. */
  readonly prefix?: string | undefined
  /** By name. */
  readonly callers: Readonly<Record<string, NATSServerCaller>>
  /** By name. `expose`: what is served, as for `serve`; each pattern has to name its namespace, or be `*`. */
  readonly workers: Readonly<Record<string, { readonly expose: readonly string[] }>>
  /** The user that may ask `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`. Default: nobody may. */
  readonly monitor?: string | undefined
}

/** A caller. What its identity holds beside its name may stand here, so that one table does for the server and for `identify`; the server never sees it. */
export interface NATSServerCaller {
  /** What may be called at all, as `*`, `namespace.*` or whole ids. Default: all. */
  readonly operations?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
  readonly resources?: Readonly<Record<string, readonly string[]>> | undefined
}

interface User {
  readonly name: string
  /** What it is to the system, for a comment and for errors. */
  readonly role: string
  readonly pointer: string
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

/**
 * The text of a configuration file for nats-server, version 2.10 or later. No password stands in it: `alice` has the one in
 * `NATS_PASSWORD_ALICE` of the server's environment (the name in capitals, `-` as `_`).
 *
 * @throws CallError CONFIGURATION_ERROR for a name that is no token or stands for two, for a pattern that subjects cannot say, and where
 * there is nobody at all: a server without users lets everybody do everything. `details.pointer` says where.
 */
export function natsServerConfig({ prefix = DEFAULT_PREFIX, callers, workers, monitor }: NATSServerConfigOptions): string {
  const subjects = at("/prefix", () => new Subjects(prefix))
  const users = [
    ...Object.entries(callers).map(([name, { operations }]) => callerUser(subjects, name, operations)),
    ...Object.entries(workers).map(([name, { expose }]) => workerUser(subjects, name, expose)),
    ...(monitor === undefined ? [] : [monitorUser(monitor)]),
  ]
  if (users.length === 0) throw fault("", "there is no caller and no worker, and a server without users lets everybody do everything", "name a caller and a worker")
  const variables = passwordVariables(users)
  const entries = users.map((user, index) => userText(user, variables[index] ?? ""))
  const legend = users.map(({ role, name }, index) => `#   ${variables[index] ?? ""}: ${role} ${name}`)
  return [...HEAD, ...legend, ...SETTINGS, "authorization {", "  users: [", ...entries, "  ]", "}", ""].join("\n")
}

function callerUser(subjects: Subjects, name: string, operations: readonly string[] = ["*"]): User {
  const pointer = `/callers/${escaped(name)}`
  at(pointer, () => tokenOrThrow(name, "a caller"))
  const tails = operations.map((pattern, index) => at(`${pointer}/operations/${String(index)}`, () => tailOf(subjects, pattern)))
  return {
    name,
    role: "caller",
    pointer,
    publish: [...new Set(tails)].flatMap((tail) => subjects.callsOf(name, tail)).concat(subjects.control("*", name), subjects.catalogue("*", name)),
    subscribe: [`${inboxPrefix(name)}.>`, subjects.announcements()],
  }
}

function workerUser(subjects: Subjects, name: string, expose: readonly string[]): User {
  const pointer = `/workers/${escaped(name)}`
  at(pointer, () => tokenOrThrow(name, "a worker"))
  if (name === "all") throw fault(pointer, 'no worker can be named "all": that name means every worker', "choose another name")
  const namespaces = new Set(expose.map((pattern, index) => at(`${pointer}/expose/${String(index)}`, () => namespaceOf(pattern))))
  const calls = (namespaces.has("*") ? ["*"] : [...namespaces]).flatMap((namespace) => [subjects.calls(namespace), subjects.callsTo(name, namespace)])
  // A subscription outside of the queue group would see every call without serving one.
  const queued = [...calls, subjects.catalogues(name)].map((subject) => `${subject} ${QUEUE}`)
  const services = ["$SRV.*", `$SRV.*.${subjects.prefix}`, `$SRV.*.${subjects.prefix}.*`]
  return {
    name,
    role: "worker",
    pointer,
    publish: ["_INBOX.>", subjects.announce(name)],
    subscribe: [...queued, ...subjects.controls(name), ...services, `${inboxPrefix(name)}.>`],
  }
}

function monitorUser(name: string): User {
  const pointer = "/monitor"
  at(pointer, () => tokenOrThrow(name, "a monitor"))
  return { name, role: "monitor", pointer, publish: ["$SRV.>"], subscribe: [`${inboxPrefix(name)}.>`] }
}

/** The end of the subjects that a pattern stands for. */
function tailOf(subjects: Subjects, pattern: string): string {
  if (pattern === "*" || pattern === "*.*") return ">"
  const { namespace, name } = parseOperationId(pattern) ?? {}
  if (namespace !== undefined && name === "*") return `${namespace}.>`
  const tail = pattern.includes("*") ? undefined : subjects.tailOf(pattern)
  if (tail !== undefined) return tail
  throw fault("", `the server cannot tell the operations of "${pattern}" apart: subjects know whole names alone`, 'write "*", "namespace.*", or whole ids')
}

function namespaceOf(pattern: string): string {
  if (pattern === "*") return pattern
  const namespace = pattern.slice(0, Math.max(0, pattern.indexOf(".")))
  if (namespace === "*" || isNamespace(namespace)) return namespace
  throw fault("", `"${pattern}" does not say which namespace it is of, and the server lets a worker subscribe by namespace`, 'write "namespace.*", a pattern that begins with a whole namespace, or "*"')
}

/** The variable of each user, in their order. */
function passwordVariables(users: readonly User[]): string[] {
  const owners = new Map<string, User>()
  return users.map((user) => {
    const variable = `NATS_PASSWORD_${user.name.toUpperCase().replaceAll("-", "_")}`
    const other = owners.get(variable)
    if (other !== undefined) {
      const what = other.name === user.name ? "have one name, and so would be one user" : `would both have their password in ${variable}`
      throw fault(user.pointer, `the ${other.role} "${other.name}" and the ${user.role} "${user.name}" ${what}`, "rename one of them")
    }
    owners.set(variable, user)
    return variable
  })
}

function userText({ name, role, publish, subscribe }: User, variable: string): string {
  const list = (subjects: readonly string[]): string => subjects.map((subject) => `\n          ${JSON.stringify(subject)}`).join("")
  return `    { # ${role}
      user: "${name}", password: $${variable}
      permissions: {
        publish: [${list(publish)}
        ]
        subscribe: [${list(subscribe)}
        ]
      }
    }`
}

const HEAD = [
  "# Configuration of nats-server (2.10 or later) for callers and workers of mcp-operations. Made by mcp-operations nats-config.",
  "#",
  "# The server reads each password from its environment, as a value of a configuration: write it in double quotes within the variable,",
  "# as in NATS_PASSWORD_X='\"secret\"', or as a bcrypt hash ($2a$...). An empty one lets everybody in under that name.",
  "#",
]

const SETTINGS = [
  "",
  "# A worker or a caller that does not answer is let go after some 30 seconds, and one that does not read after 5.",
  'ping_interval: "10s"',
  "ping_max: 2",
  'write_deadline: "5s"',
  "",
]

function fault(pointer: string, message: string, remedy: string): CallError {
  return new CallError("CONFIGURATION_ERROR", message, { details: { pointer, remedy } })
}

/** Says of a fault that was found inside where it stands. */
function at<T>(pointer: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    throw new CallError(error.code, error.message, { details: { ...error.details, pointer }, cause: error.cause })
  }
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}
