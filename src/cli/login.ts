/**
 * `mcp-operations login` and `logout`: a person's consent for one server, kept for later runs.
 *
 * In: the name of a server over HTTP. Out: tokens in the user's own folder. The page to agree on is printed to stderr, and opened in
 * a browser only where that is asked for: its url comes from the server.
 */
import { randomBytes } from "node:crypto"
import { CallError } from "../error.js"
import type { HTTPServerConfig, MCPConfig } from "../from_mcp.js"
import { takesLogin, tokenStore } from "./client_options.js"
import type { CommandResult } from "./command_result.js"
import { EXIT } from "./exit_code.js"
import type { Host } from "./host.js"
import { openLoopback } from "./loopback.js"
import { openBrowser } from "./open_browser.js"
import { VERSION } from "./package_files.js"
import { networkFor } from "./source/found_servers.js"
import { usageError } from "./usage_error.js"
import { printableLine } from "./view/printable.js"

/** What the command line says about a login. */
export interface LoginWords {
  readonly open?: boolean | undefined
  readonly scope?: string | undefined
  readonly timeoutMs?: number | undefined
}

const TIMEOUT_MS = 300_000

/** Logs in to a server; nothing is asked where the stored login is good, or none is wanted. */
export async function login(wanted: string | undefined, words: LoginWords, servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  const [name, server] = serverToLogIn(wanted, servers)
  const store = await tokenStore(host.env)
  const state = randomBytes(32).toString("base64url")
  const page = await openLoopback(state, await portUsedBefore(store.provider(server.url)))
  let pagesShown = 0
  try {
    const provider = store.provider(server.url, {
      redirectUrl: page.url,
      state,
      scope: words.scope,
      authorizationCode: () => page.code,
      onRedirect: (url) => {
        pagesShown++
        host.stderr.write(`To log in to ${printableLine(name)}, open this page:\n\n  ${printableLine(url.href)}\n\n`)
        if (words.open === true) openBrowser(url)
      },
    })
    const { createMCPClient } = await import("../from_mcp.js")
    const wrapper = await createMCPClient(name, server, {
      authProvider: provider,
      network: networkFor(server),
      connectTimeoutMs: words.timeoutMs ?? TIMEOUT_MS,
      signal: host.signal,
      clientInfo: { name: "mcp-operations", version: VERSION },
    })
    const tools = wrapper.tools.length
    await wrapper.close()
    const result = pagesShown > 0 ? "new" : (await store.has(server.url)) ? "present" : "none"
    return answer(name, result, { tools }, `${SENTENCES[result]} It offers ${String(tools)} tools.`)
  } finally {
    page.close()
  }
}

/** Forgets the login of a server on this machine. */
export async function logout(wanted: string | undefined, servers: MCPConfig["servers"], host: Host): Promise<CommandResult> {
  const [name, server] = serverToLogIn(wanted, servers)
  await (await tokenStore(host.env)).forget(server.url)
  return answer(name, "none", {}, "Its login is forgotten here.")
}

const SENTENCES = {
  new: "You are logged in.",
  present: "You were logged in already.",
  none: "It wants no login.",
} as const

function answer(server: string, login: keyof typeof SENTENCES, more: Readonly<Record<string, unknown>>, sentence: string): CommandResult {
  return {
    document: { server, login, ...more },
    view: ({ paint }) => `${paint.name(printableLine(server))}  ${sentence}`,
    exitCode: EXIT.ok,
  }
}

function serverToLogIn(wanted: string | undefined, servers: MCPConfig["servers"]): [name: string, server: HTTPServerConfig] {
  const names = Object.keys(servers)
  const name = wanted ?? (names.length === 1 ? names[0] : undefined)
  if (name === undefined) throw usageError(`Which server? The config names ${names.map(printableLine).join(", ")}`, "mcp-operations login SERVER")
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (server === undefined) throw usageError(`There is no server "${printableLine(name)}"; the servers are ${names.map(printableLine).join(", ")}`, "write the name as the config does")
  if (takesLogin(server)) return [name, server]
  const why = "url" in server ? "brings credentials of its own in its config" : "is a process, and has its credentials from env"
  throw new CallError("CONFIGURATION_ERROR", `Nobody can log in to server "${printableLine(name)}": it ${why}`, { details: { server: name } })
}

/** The port of the page that the client was registered with: many authorization servers send the browser to no other. */
async function portUsedBefore(provider: { clientInformation(): unknown }): Promise<number | undefined> {
  const client = await provider.clientInformation()
  // What a registration answered; looked at before it is used.
  const { redirect_uris: pages } = (client ?? {}) as { redirect_uris?: unknown }
  const page: unknown = Array.isArray(pages) ? pages[0] : undefined
  return typeof page === "string" && URL.canParse(page) ? Number(new URL(page).port) : undefined
}
