/**
 * The host's headers for one request.
 *
 * In: a record or a function of a config, and for whom the request is sent. Out: headers, or a CallError before anything is
 * sent. What a function makes is remembered for masking, newest kept: a server may quote in an error what it was sent.
 */
import { CallError, isCallError } from "../../error.js"
import { headerSecrets } from "../mask.js"
import type { PortContext } from "../port.js"
import type { HeadersContext, HTTPServerConfig } from "../server_config.js"

/** Gives the headers for one request. Rejects with CallErrors only, `outcome` "not_started". */
export type HeaderSource = (context: PortContext) => Promise<Headers>

/** Header values that are made while the client lives, for the mask. */
export class MadeSecrets implements Iterable<string> {
  readonly #values = new Set<string>()

  add(value: string): void {
    for (const secret of headerSecrets(value)) {
      this.#values.delete(secret)
      this.#values.add(secret)
      if (this.#values.size <= KEPT) continue
      for (const oldest of this.#values) {
        this.#values.delete(oldest)
        break
      }
    }
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#values.values()
  }
}

const KEPT = 256
/** Set by the transport itself; a host's header of that name would break the protocol. */
const RESERVED = new Set(["accept", "content-length", "content-type", "host", "last-event-id", "mcp-protocol-version", "mcp-session-id"])

/**
 * The source for a config. `authorization` is what its url held; a header of that name wins over it.
 *
 * @throws CallError CONFIGURATION_ERROR where a function comes without `sessionFor`, or a record holds what is no header.
 */
export function headerSource(server: string, config: HTTPServerConfig, authorization: string | undefined, secrets: MadeSecrets): HeaderSource {
  const { headers } = config
  if (authorization !== undefined) secrets.add(authorization)
  if (typeof headers !== "function") {
    const fixed = toHeaders(server, headers ?? {}, authorization)
    return async () => fixed
  }
  if (config.sessionFor === undefined) {
    throw new CallError("CONFIGURATION_ERROR", `Server "${server}": a headers function needs sessionFor, so that callers do not share an MCP session`, {
      details: { server, remedy: "give sessionFor: (context) => a key for each identity, or one key if all may share a session" },
    })
  }
  return async (context) => {
    const made = await asked(server, "headers", context, headers)
    for (const value of Object.values(made)) if (typeof value === "string") secrets.add(value)
    return toHeaders(server, made, authorization)
  }
}

/** The session key for one request; always the same where the config says none. */
export async function sessionKey(server: string, config: HTTPServerConfig, context: PortContext): Promise<string> {
  if (config.sessionFor === undefined) return ""
  const key: unknown = await asked(server, "sessionFor", context, config.sessionFor)
  if (typeof key === "string") return key
  throw new CallError("CONFIGURATION_ERROR", `Server "${server}": sessionFor gave ${key === null ? "null" : `a ${typeof key}`}, not a text`, {
    details: { server, outcome: "not_started" },
  })
}

/** Runs a function of the host. What it throws ends the request: it says who may call, so its failure means that nobody may. */
async function asked<T>(server: string, name: string, context: PortContext, give: (context: HeadersContext) => T): Promise<Awaited<T>> {
  try {
    return await give({ ...context, server })
  } catch (cause) {
    if (isCallError(cause)) throw cause
    throw new CallError("AUTH_REQUIRED", `Server "${server}": the ${name} function of its config failed for purpose "${context.purpose}"; nothing was sent`, {
      details: { server, ...(context.operationId !== undefined && { operationId: context.operationId }), outcome: "not_started" },
      cause,
    })
  }
}

function toHeaders(server: string, record: Readonly<Record<string, string>>, authorization: string | undefined): Headers {
  const headers = new Headers(authorization === undefined ? {} : { authorization })
  for (const [name, value] of Object.entries(record)) {
    if (RESERVED.has(name.toLowerCase())) continue
    try {
      headers.set(name, value)
    } catch {
      // The cause is left out: its message quotes the value.
      throw new CallError("CONFIGURATION_ERROR", `Server "${server}": the header ${JSON.stringify(name)} has a name or value that HTTP does not allow`, {
        details: { server, header: name, outcome: "not_started" },
      })
    }
  }
  return headers
}
