/**
 * Where the NATS server is, and as whom the program connects to it.
 *
 * In: the words of `--nats`, the name that was given beside it, the environment. Out: what `connectNATS` takes. A password comes from the
 * url, or better from NATS_PASSWORD: a command line can be read by every process of the machine.
 */
import { connectNATS, type ConnectNATSOptions, type NATSConnection } from "../../nats.js"
import type { Host } from "../host.js"
import { usageError } from "../usage_error.js"

/** Who connects, and where. */
export type NATSLogin = Pick<ConnectNATSOptions, "servers" | "user" | "pass"> & {
  /** The name that was given, else the user's; undefined where there is neither. */
  readonly name: string | undefined
  /** For messages: hosts and ports, without user and password. */
  readonly hosts: string
}

/** Reads `--nats`: one url, or several of a cluster with commas between them. @throws CallError CONFIGURATION_ERROR where one is none */
export function natsLogin(nats: string, name: string | undefined, env: Host["env"]): NATSLogin {
  const servers = nats.split(",").map((text) => text.trim())
  const urls = servers.map((text) => {
    const url = text.includes("://") ? text : `nats://${text}`
    if (!URL.canParse(url) || !/^(?:nats|tls):$/.test(new URL(url).protocol)) throw usageError("--nats needs the address of a NATS server", "--nats nats://HOST:4222")
    return new URL(url)
  })
  const [named] = urls.filter(({ username }) => username !== "")
  const user = named === undefined ? undefined : decodeURIComponent(named.username)
  const own = named === undefined || named.password === "" ? undefined : decodeURIComponent(named.password)
  const pass = own ?? (env["NATS_PASSWORD"] === "" ? undefined : env["NATS_PASSWORD"])
  // A password alone opens nothing: with the generated configuration the user has the name of the caller or the worker.
  return { servers, user: user ?? (pass === undefined ? undefined : name), pass, name: name ?? user, hosts: urls.map(({ host }) => host).join(", ") }
}

/** Connects as the login says, under this name. */
export function connectAs(name: string, { servers, user, pass }: NATSLogin): Promise<NATSConnection> {
  return connectNATS({ servers, caller: name, user, pass, name: `mcp-operations ${name}` })
}
