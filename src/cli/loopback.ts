/**
 * The page on this machine to which an authorization server sends the browser back.
 *
 * In: a port that is wanted, and the state that has to come back. Out: its url, and the code that arrives. Listens on the loopback
 * address alone and for as long as a login takes. A request with another state is refused and changes nothing: any page can send one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { CallError } from "../error.js"

/** A page that waits for a code. */
export interface Loopback {
  readonly url: string
  /** Resolves with the code; rejects with AUTH_REQUIRED where the authorization server refused. */
  readonly code: Promise<string>
  close(): void
}

const PATH = "/callback"

/** Opens the page, at the wanted port where that is free. */
export async function openLoopback(state: string, wantedPort: number | undefined): Promise<Loopback> {
  let answered: { readonly resolve: (code: string) => void; readonly reject: (error: CallError) => void } | undefined
  const code = new Promise<string>((resolve, reject) => (answered = { resolve, reject }))
  // A login may end before anybody waits for the code.
  code.catch(() => undefined)
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1")
    const query = url.searchParams
    const given = query.get("code")
    const refusal = query.get("error")
    if (request.method !== "GET" || url.pathname !== PATH || query.get("state") !== state || (given === null && refusal === null)) {
      say(response, 400, "This is not the answer to a login.")
      return
    }
    say(response, 200, refusal === null ? "You are logged in. This page can be closed." : "The login was refused. This page can be closed.")
    if (refusal === null && given !== null) answered?.resolve(given)
    else answered?.reject(new CallError("AUTH_REQUIRED", `the authorization server refused the login${shownError(refusal)}`, { details: { outcome: "not_started" } }))
  })
  await listen(server, wantedPort ?? 0).catch(() => listen(server, 0))
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${String(port)}${PATH}`,
    code,
    close: () => {
      server.close()
      server.closeIdleConnections()
    },
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      resolve()
    })
  })
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" }).end(`${text}\n`)
}

/** A code of the protocol as it is, and nothing else that a page could put there. */
function shownError(error: string | null): string {
  return error !== null && /^[a-z_]{1,40}$/.test(error) ? `: ${error}` : ""
}
