/**
 * An OAuth provider over a login that is stored somewhere.
 *
 * In: a place to read and change a login. Out: what the SDK's flow asks a provider for. Everything is read anew each time that it is
 * asked for, since other processes may have changed it; tokens that somebody else has renewed meanwhile are never thrown away.
 * Knows no file.
 */
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { CallError } from "../error.js"
import type { AuthProvider } from "./auth_provider.js"

/** What is stored of a server: as whom this client is known there, and its tokens. */
export interface Login {
  readonly client?: OAuthClientInformationMixed | undefined
  readonly tokens?: OAuthTokens | undefined
}

/** Where a login is. */
export interface LoginPlace {
  read(): Promise<Login>
  change(change: (login: Login) => Login): Promise<void>
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/** How a person logs in, and as whom the client introduces itself. */
export interface LoginOptions {
  /** Where the authorization server sends the browser to. Default: what was used for the stored login. */
  readonly redirectUrl?: string | undefined
  /** The value that must come back with the code. */
  readonly state?: string | undefined
  /** Shows the page of the authorization server to the person. */
  readonly onRedirect?: ((url: URL) => void | Promise<void>) | undefined
  /** Waits for the code. Without it nobody can log in through this provider. */
  readonly authorizationCode?: ((signal: AbortSignal) => Promise<string>) | undefined
  /** Shown by the authorization server. Default "mcp-operations". */
  readonly clientName?: string | undefined
  /** A document that says who this client is, for authorization servers that read one in place of a registration. */
  readonly clientMetadataUrl?: string | undefined
  /** Asked for where the server says nothing of scopes. */
  readonly scope?: string | undefined
}

const DEFAULT_REDIRECT = "http://127.0.0.1/callback"

/** The provider of one server. */
export class StoredProvider implements AuthProvider {
  readonly redirectUrl: string
  readonly state?: () => string
  readonly clientMetadataUrl?: string
  readonly authorizationCode?: ((signal: AbortSignal) => Promise<string>) | undefined
  readonly saveClientInformation?: (client: OAuthClientInformationMixed) => Promise<void>
  readonly exclusively: LoginPlace["exclusively"]
  #verifier: string | undefined
  /** The tokens that were given out last: only those may be thrown away. */
  #given: OAuthTokens | undefined

  constructor(
    private readonly place: LoginPlace,
    private readonly options: LoginOptions,
  ) {
    const { redirectUrl = DEFAULT_REDIRECT, state, clientMetadataUrl, authorizationCode } = options
    this.redirectUrl = redirectUrl
    this.exclusively = (work) => place.exclusively(work)
    if (state !== undefined) this.state = () => state
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
    if (authorizationCode === undefined) return
    this.authorizationCode = authorizationCode
    // Without a person nobody is to be registered anew: the stored login would be lost for nothing.
    this.saveClientInformation = (client) => place.change((login) => ({ ...login, client }))
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName = "mcp-operations", scope } = this.options
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope !== undefined && { scope }),
    }
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { client } = await this.place.read()
    // Registered for another page, it would have a login refused.
    const isForOthers = client !== undefined && "redirect_uris" in client && !client.redirect_uris.includes(this.redirectUrl)
    return this.authorizationCode !== undefined && isForOthers ? undefined : client
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    this.#given = (await this.place.read()).tokens
    return this.#given
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.place.change((login) => ({ ...login, tokens }))
    this.#given = tokens
  }

  redirectToAuthorization(url: URL): void | Promise<void> {
    return this.options.onRedirect?.(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new CallError("AUTH_REQUIRED", "No login was begun", { details: { outcome: "not_started" } })
    return this.#verifier
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "verifier" || scope === "all") this.#verifier = undefined
    const given = this.#given
    await this.place.change(({ client, tokens }) => {
      const isOthers = tokens !== undefined && tokens.access_token !== given?.access_token
      const keepsTokens = isOthers || (scope !== "tokens" && scope !== "all")
      const keepsClient = isOthers || (scope !== "client" && scope !== "all")
      return { ...(keepsClient && { client }), ...(keepsTokens && { tokens }) }
    })
  }
}
