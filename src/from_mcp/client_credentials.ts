/**
 * Credentials of a program, without a person: the OAuth grant "client_credentials".
 *
 * In: an id and a secret. Out: a provider for `authProvider`. The SDK's own, but for the issuer, which has to be named: otherwise the
 * MCP server would decide who is shown the secret.
 */
import { CallError } from "../error.js"
import type { AuthProvider } from "./auth_provider.js"

/** What an authorization server knows a program by. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  /** The url of the authorization server that they belong to; they are sent to no other. */
  readonly issuer: string
  /** Scopes, divided by spaces, where the server says nothing of them. */
  readonly scope?: string | undefined
}

/**
 * A provider for a program of its own.
 *
 * @throws CallError CONFIGURATION_ERROR where the issuer is no url.
 */
export async function clientCredentials({ clientId, clientSecret, issuer, scope }: ClientCredentials): Promise<AuthProvider> {
  if (!URL.canParse(issuer)) throw new CallError("CONFIGURATION_ERROR", "The issuer of client credentials is no url", { details: { remedy: "give the url of the authorization server" } })
  const { ClientCredentialsProvider } = await import("@modelcontextprotocol/sdk/client/auth-extensions.js")
  return new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: issuer, clientName: "mcp-operations", ...(scope !== undefined && { scope }) })
}
