/**
 * The way to the network that one client uses: which hosts and addresses it may reach, and the `fetch` that holds to it.
 *
 * In: a policy. Out: a `fetch`, and what closes its sockets. A name is judged when it is asked for, an address when it is connected
 * to: what a name resolves to at that moment is what is judged, so a name server that gives two answers gains nothing.
 * It has no time limits of its own for an answer: Node's `fetch` gives up after five minutes of silence, and calls have deadlines.
 */
import { lookup, type LookupAddress } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import type { buildConnector, RequestInit as UndiciInit } from "undici"
import { CallError, isCallError } from "../../error.js"
import { isPrivateAddress } from "./private_address.js"

/** Who may be connected to. */
export interface NetworkPolicy {
  /** Host names that may be reached, and no others; `*.example.com` stands for every name below it. Left out: all. */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * Refuses addresses of this machine, of private and local networks, and those that clouds keep for metadata, whatever name leads to
   * them. An address that stands in `allowHosts` itself may be reached. Default false.
   */
  readonly denyPrivate?: boolean | undefined
}

/** A `fetch` with sockets of its own. */
export interface Network {
  readonly fetch: typeof fetch
  /** Cuts off every connection. */
  close(): Promise<void>
}

/** How a network is made. */
export interface NetworkSettings {
  readonly server: string
  readonly policy: NetworkPolicy | undefined
  readonly connectTimeoutMs: number
}

/** A timer for longer than that would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Opens the way. Its `fetch` rejects with CallError TRANSPORT_ERROR of kind "network_policy" for what the policy refuses. */
export async function openNetwork({ server, policy = {}, connectTimeoutMs }: NetworkSettings): Promise<Network> {
  const undici = await import("undici")
  const rules = new Rules(server, policy)
  const connector = undici.buildConnector({ timeout: Math.min(connectTimeoutMs, LONGEST_TIMER_MS), lookup: rules.lookup })
  const connect: buildConnector.connector = (options, callback) => {
    // An address is connected to without being looked up.
    const refusal = isIP(options.hostname) === 0 ? undefined : rules.refusalOf(options.hostname, options.hostname)
    if (refusal === undefined) connector(options, callback)
    else callback(refusal, null)
  }
  const agent = new undici.Agent({ headersTimeout: 0, bodyTimeout: 0, connect })
  const send = async (input: string | URL, init?: RequestInit): Promise<unknown> => {
    rules.requireAllowed(new URL(input).hostname)
    try {
      // Two copies of the same types: undici's own, and those that Node's types bring along.
      return await undici.fetch(input, { ...(init as unknown as UndiciInit), dispatcher: agent })
    } catch (error) {
      throw refusalBehind(error) ?? error
    }
  }
  // As above; a `Request` in place of a url is never sent here.
  return { fetch: send as typeof fetch, close: () => agent.destroy() }
}

/** The policy, asked of a name or an address. */
class Rules {
  readonly #names: readonly string[] | undefined

  constructor(
    private readonly server: string,
    private readonly policy: NetworkPolicy,
  ) {
    this.#names = policy.allowHosts?.map(plain)
  }

  /** Ends the request for a host that is not listed. */
  requireAllowed(hostname: string): void {
    const host = plain(hostname)
    const isListed = this.#names?.some((name) => name === host || (name.startsWith("*.") && host.endsWith(name.slice(1)))) ?? true
    if (isListed) return
    throw this.#refusal(`the host "${host}" may not be reached: it is not in network.allowHosts; if it is right, list it there`, { host })
  }

  /** Why an address may not be connected to. */
  refusalOf(address: string, hostname: string): CallError | undefined {
    if (this.policy.denyPrivate !== true || !isPrivateAddress(address) || this.#names?.includes(plain(address)) === true) return undefined
    const host = plain(hostname)
    const what = host === plain(address) ? `"${host}"` : `"${host}" (${address})`
    const remedy = "if it is right, list the address in network.allowHosts or set network.denyPrivate to false"
    return this.#refusal(`the host ${what} may not be reached: it is not on the public internet; ${remedy}`, { host, address })
  }

  /** Resolves a name; addresses that may not be connected to are left out. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, "")
        return
      }
      let refusal: CallError | undefined
      const open = addresses.filter(({ address }) => {
        const reason = this.refusalOf(address, hostname)
        refusal ??= reason
        return reason === undefined
      })
      const [first] = open
      if (first === undefined) callback(refusal ?? notFound(hostname), "")
      else answer(open, first, options.all === true, callback)
    })
  }

  #refusal(reason: string, details: Readonly<Record<string, string>>): CallError {
    const { server } = this
    return new CallError("TRANSPORT_ERROR", `Server "${server}": ${reason}`, { details: { server, kind: "network_policy", ...details, outcome: "not_started" } })
  }
}

function answer(all: LookupAddress[], first: LookupAddress, wantsAll: boolean, callback: Parameters<LookupFunction>[2]): void {
  if (wantsAll) callback(null, all)
  else callback(null, first.address, first.family)
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" })
}

/** A host as it is compared: lower case, an address without brackets, a name without the dot that ends it. */
function plain(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
}

/** `fetch` tells the reason of a failure in its cause, and that of several attempts in the parts of it. */
function refusalBehind(error: unknown, depth = 0): CallError | undefined {
  if (isCallError(error)) return error
  if (!(error instanceof Error) || depth > 4) return undefined
  const parts: unknown[] = error instanceof AggregateError ? error.errors : []
  for (const inner of [error.cause, ...parts]) {
    const found = refusalBehind(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
