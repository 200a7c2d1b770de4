/**
 * Who gives the credentials of a server: the SDK's `OAuthClientProvider`, and two things more that it may know.
 *
 * Shapes and nothing else. What the SDK's providers do stays right here; both further members can be left out.
 */
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"

/** An `OAuthClientProvider` of the official SDK. It is asked for its tokens before each request over HTTP. */
export interface AuthProvider extends OAuthClientProvider {
  /**
   * Waits for the code that the authorization server gives to `redirectUrl` once a person has agreed; the request that needs it is sent
   * then. Without it a server that wants a person's consent is answered by AUTH_REQUIRED.
   */
  readonly authorizationCode?: ((signal: AbortSignal) => Promise<string>) | undefined
  /**
   * Runs the work while nobody else renews the same tokens: other clients, other processes. A refresh token that is used twice is
   * taken for stolen by many servers.
   */
  readonly exclusively?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined
}
