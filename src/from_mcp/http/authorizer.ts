/**
 * Credentials by OAuth for one server: put on each request, and renewed when the server refuses them.
 *
 * In: a provider, and responses that refuse. Out: an Authorization header; new tokens in the provider, or AUTH_REQUIRED.
 * All requests that are refused at the same time share one renewal, and what another one has renewed meanwhile is not renewed again.
 * The flow itself, discovery, registration, PKCE, refresh, is the SDK's.
 */
import { CallError, isCallError } from "../../error.js"
import type { AuthProvider } from "../auth_provider.js"
import { requestError, type RequestPlace } from "../errors.js"
import { credentialsWanted } from "./status_error.js"

/** What renewing takes. */
export interface AuthorizerSettings {
  readonly server: string
  readonly url: URL
  readonly provider: AuthProvider
  readonly fetch: typeof fetch
  /** Hears every token, so that it can be masked. */
  readonly secret: (value: string) => void
  /** Aborts when the client is closed: ends what waits for a person. */
  readonly closed: AbortSignal
}

/** What a refusal says of the credentials that are wanted. */
interface Wanted {
  readonly scope?: string
  /** True where the token is good and does not reach far enough. */
  readonly isMore: boolean
}

/** The longest that one request of the flow may take. */
const REQUEST_MS = 30_000
const LARGEST_BODY = 1024 * 1024
const UNAUTHORIZED = 401
const FORBIDDEN = 403
/** Statuses whose response has no body by definition. */
const NO_BODY = new Set([204, 205, 304])

/** Holds the credentials of one server. */
export class Authorizer {
  #renewing: Promise<void> | undefined
  /** Where the server said that it is described; not every refusal says it again. */
  #resourceMetadataUrl: string | undefined

  constructor(private readonly settings: AuthorizerSettings) {}

  /** The access token to send, where there is one. */
  async token(): Promise<string | undefined> {
    const { provider, server } = this.settings
    try {
      const tokens = await provider.tokens()
      if (tokens === undefined) return undefined
      this.settings.secret(`Bearer ${tokens.access_token}`)
      return tokens.access_token
    } catch (cause) {
      throw new CallError("AUTH_REQUIRED", `Server "${server}": the authProvider gave no tokens; nothing was sent`, { details: { server, outcome: "not_started" }, cause })
    }
  }

  /** True for a response that other credentials may change. */
  isRefusal({ status, headers }: Response): boolean {
    return status === UNAUTHORIZED || (status === FORBIDDEN && /\berror="?insufficient_scope\b/i.test(headers.get("www-authenticate") ?? ""))
  }

  /**
   * Gets other credentials than those that were refused. `sent` is the token that was.
   *
   * @throws CallError AUTH_REQUIRED where there are none to be had.
   */
  async renew(refusal: Response, sent: string | undefined, place: RequestPlace, signal: AbortSignal | undefined): Promise<void> {
    const { status, headers } = refusal
    const challenge = credentialsWanted(headers.get("www-authenticate"))
    this.#resourceMetadataUrl = challenge.resourceMetadataUrl ?? this.#resourceMetadataUrl
    const wanted: Wanted = { ...challenge, isMore: status === FORBIDDEN }
    refusal.body?.cancel().catch(() => undefined)
    const isStale = async () => !wanted.isMore && (await this.token()) !== sent
    try {
      if (await isStale()) return
      const running = (this.#renewing ??= this.#renew(wanted, isStale).finally(() => (this.#renewing = undefined)))
      await unlessAborted(running, signal)
    } catch (cause) {
      if (signal?.aborted === true) throw cause
      if (isCallError(cause) && cause.details["kind"] === "network_policy") throw cause
      throw requestError(place, "AUTH_REQUIRED", `the server wants credentials (HTTP status ${status}): ${reasonOf(cause)}`, { status, ...challenge, outcome: "not_started" }, cause)
    }
  }

  async #renew(wanted: Wanted, isStale: () => Promise<boolean>): Promise<void> {
    const { provider, closed } = this.settings
    const exclusively = async <T>(work: () => Promise<T>): Promise<T> => (provider.exclusively === undefined ? work() : provider.exclusively(work))
    const result = await exclusively(async () => ((await isStale()) ? "AUTHORIZED" : this.#flow(wanted)))
    if (result === "AUTHORIZED") return
    if (provider.authorizationCode === undefined) throw new NeedsPerson()
    const code = await unlessAborted(provider.authorizationCode(closed), closed)
    await exclusively(() => this.#flow(wanted, code))
  }

  async #flow({ scope, isMore }: Wanted, authorizationCode?: string): Promise<"AUTHORIZED" | "REDIRECT"> {
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js")
    const { provider, url } = this.settings
    const resourceMetadataUrl = this.#resourceMetadataUrl
    return auth(isMore ? withoutRefresh(provider) : provider, {
      serverUrl: url,
      fetchFn: this.#fetch,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl !== undefined && URL.canParse(resourceMetadataUrl) && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
      ...(authorizationCode !== undefined && { authorizationCode }),
    })
  }

  /** The SDK tells an error of the protocol by the class of the response, so it gets one of Node's own, of bounded size. */
  readonly #fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await this.settings.fetch(url, { ...init, signal: AbortSignal.any([this.settings.closed, AbortSignal.timeout(REQUEST_MS)]) })
    const body = await boundedBytes(response)
    return new Response(NO_BODY.has(response.status) ? null : body, { status: response.status, headers: [...response.headers] })
  }
}

/** The same provider for a flow that must not refresh: that would give the scope which is not enough. */
function withoutRefresh(provider: AuthProvider): AuthProvider {
  const tokens = async () => {
    const { refresh_token: _left, ...others } = (await provider.tokens()) ?? {}
    return "access_token" in others ? others : undefined
  }
  // Its other members are called on the provider itself: it may be of a class with private ones.
  return new Proxy(provider, {
    get(target, key) {
      const member: unknown = key === "tokens" ? tokens : Reflect.get(target, key, target)
      return typeof member === "function" && key !== "tokens" ? (member.bind(target) as unknown) : member
    },
  })
}

/** A flow that only a person can go on with. */
class NeedsPerson extends Error {}

/** Codes of the protocol are told; what the server wrote beside them stays in the cause, since it may quote a secret. */
function reasonOf(cause: unknown): string {
  if (cause instanceof NeedsPerson) return "a person has to log in"
  if (isCallError(cause)) return cause.message
  const code = cause instanceof Error && "errorCode" in cause ? cause.errorCode : undefined
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? `getting them failed with ${code}` : "getting them failed"
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error) // Whatever the one who stops it gave; it is looked at as unknown.
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

async function boundedBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The body of a response is bytes; its type leaves that open.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > LARGEST_BODY) throw new RangeError("the authorization server sent too much")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
