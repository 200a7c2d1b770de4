/**
 * OAuth: tokens are put on, renewed once for all who wait, kept in files; a request that was refused is sent again once.
 */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { clientCredentials, createMCPClient, FileTokenStore, type LoginOptions, type MCPClientOptions } from "../../src/from_mcp.js"
import { authServer, protectedServer, type AuthServer } from "../fixtures/servers/auth_server.js"
import type { ServerByHand } from "../fixtures/servers/http_by_hand.js"
import { callError, callerOf, connect, testFolder } from "../fixtures/servers/scripted.js"
import { scriptedHTTPServer } from "../fixtures/servers/scripted_http.js"

/** A person who agrees at once: the browser's part of a login. */
function agreeing(): LoginOptions {
  let code: Promise<string> | undefined
  return {
    redirectUrl: "http://127.0.0.1:1/callback",
    onRedirect: (url) => {
      code = fetch(url, { redirect: "manual" }).then(({ headers }) => new URL(headers.get("location") ?? "").searchParams.get("code") ?? "")
    },
    authorizationCode: () => code ?? Promise.reject(new Error("nobody was asked")),
  }
}

interface World {
  auth: AuthServer
  server: ServerByHand
  store: FileTokenStore
  /** A client of the server that is not logged in by a person. */
  client: (options?: MCPClientOptions) => ReturnType<typeof connect>
}

/** A server, its authorization server, and a store that holds a login. */
async function loggedIn(rules: { tokenDelayMs?: number; folder?: string } = {}): Promise<World> {
  const auth = await authServer(rules)
  const server = await protectedServer(auth)
  const store = new FileTokenStore(rules.folder ?? testFolder())
  const wrapper = await createMCPClient("demo", { url: server.url }, { authProvider: store.provider(server.url, agreeing()) })
  await wrapper.close()
  auth.tokenRequests.length = 0
  const client = (options?: MCPClientOptions) => connect("demo", { url: server.url }, { authProvider: store.provider(server.url), ...options })
  return { auth, server, store, client }
}

describe("a person's login", () => {
  test("discovers, registers, proves itself by PKCE, and the first request is sent again", async () => {
    const auth = await authServer()
    const server = await protectedServer(auth, { scope: "files:read" })
    const store = new FileTokenStore(testFolder())
    const wrapper = await connect("demo", { url: server.url }, { authProvider: store.provider(server.url, { ...agreeing(), state: "s-1" }) })
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    expect(auth.registrations).toMatchObject([{ client_name: "mcp-operations", redirect_uris: ["http://127.0.0.1:1/callback"] }])
    expect(auth.authorizations).toHaveLength(1)
    expect(Object.fromEntries(auth.authorizations[0] ?? [])).toMatchObject({ state: "s-1", scope: "files:read", code_challenge_method: "S256", resource: server.url, client_id: "client-1" })
    expect(auth.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code"])
    expect(server.of("initialize").map(({ headers }) => headers.authorization !== undefined)).toEqual([false, true])
  })

  test("is used by the next client without asking anybody", async () => {
    const { auth, client } = await loggedIn()
    const wrapper = await client()
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
    expect([auth.tokenRequests.length, auth.authorizations.length]).toEqual([0, 1])
  })

  test("that cannot be had here is AUTH_REQUIRED, and says where it can", async () => {
    const auth = await authServer()
    const server = await protectedServer(auth, { scope: "files:read" })
    const store = new FileTokenStore(testFolder())
    const origin = new URL(server.url).origin
    for (const authProvider of [undefined, store.provider(server.url)]) {
      const error = await callError(connect("demo", { url: server.url }, { authProvider }))
      expect(error).toMatchObject({
        code: "AUTH_REQUIRED",
        details: { status: 401, resourceMetadataUrl: `${origin}/metadata`, scope: "files:read", outcome: "not_started" },
      })
    }
    expect([auth.registrations, auth.authorizations]).toEqual([[], []])
  })

  test("that nobody finishes ends with the client's connecting", async () => {
    const auth = await authServer()
    const server = await protectedServer(auth)
    let heard: AbortSignal | undefined
    const authProvider = new FileTokenStore(testFolder()).provider(server.url, {
      authorizationCode: (signal) => {
        heard = signal
        return new Promise(() => undefined)
      },
    })
    const error = await callError(connect("demo", { url: server.url }, { authProvider, connectTimeoutMs: 4_000 }))
    expect(error.code).toBe("TIMEOUT")
    expect(heard?.aborted).toBe(true)
  })
})

// anomalyco/opencode#34074, github/copilot-cli#3456, vercel/ai#20674
describe("a token that has expired", () => {
  test("is renewed once for all calls that wait, each of which runs once", async () => {
    const { auth, server, store, client } = await loggedIn({ tokenDelayMs: 50 })
    const wrapper = await client()
    auth.expire()
    const calls = await Promise.all(Array.from({ length: 5 }, (_none, n) => callerOf(wrapper)("t", { n })))
    expect(calls.map(({ data }) => data)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
    expect(auth.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["refresh_token"])
    const ran = server.of("tools/call").filter(({ headers }) => auth.isGood(headers.authorization?.slice(7)))
    expect(ran).toHaveLength(5)
    expect(auth.isGood((await store.provider(server.url).tokens())?.access_token)).toBe(true)
  })

  test("is renewed once for two clients of one store", async () => {
    const { auth, client } = await loggedIn({ tokenDelayMs: 50 })
    const wrappers = await Promise.all([client(), client()])
    auth.expire()
    const calls = await Promise.all(wrappers.flatMap((wrapper) => [1, 2, 3].map((n) => callerOf(wrapper)("t", { n }))))
    expect(calls.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 1 }, { n: 2 }, { n: 3 }])
    expect(auth.tokenRequests).toHaveLength(1)
  })

  test("that another client has renewed without a lock is read again before it is thrown away", async () => {
    const { auth, server, store } = await loggedIn()
    const slow = store.provider(server.url)
    const stale = await slow.tokens()
    expect(auth.isGood(stale?.access_token)).toBe(true)
    await store.provider(server.url).saveTokens({ access_token: "newer-token", refresh_token: "newer-refresh", token_type: "Bearer" })
    await slow.invalidateCredentials?.("tokens")
    await slow.invalidateCredentials?.("all")
    expect(await slow.tokens()).toMatchObject({ access_token: "newer-token" })
    await slow.invalidateCredentials?.("tokens")
    expect(await slow.tokens()).toBeUndefined()
    expect(auth.tokenRequests).toEqual([])
  })

  test("and cannot be renewed is AUTH_REQUIRED for each call; the client stays usable and tells no secret", async () => {
    const { auth, client, server, store } = await loggedIn()
    const refreshToken = (await store.provider(server.url).tokens())?.refresh_token ?? ""
    const wrapper = await client({ reconnect: false })
    auth.revoke()
    const error = await callError(callerOf(wrapper)("t", {}))
    expect(error).toMatchObject({ code: "AUTH_REQUIRED", details: { outcome: "not_started", server: "demo", tool: "t" } })
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(refreshToken)
    const again = await createMCPClient("demo", { url: server.url }, { authProvider: store.provider(server.url, agreeing()) })
    await again.close()
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
  })

  test("whose successor is refused as well is renewed no second time for one request", async () => {
    const { auth, client } = await loggedIn()
    const wrapper = await client()
    auth.expire()
    // Refuses whatever it has issued.
    Object.defineProperty(auth, "isGood", { value: () => false })
    expect(await callError(callerOf(wrapper)("t", {}))).toMatchObject({ code: "AUTH_REQUIRED", details: { status: 401 } })
    expect(auth.tokenRequests).toHaveLength(1)
  })
})

describe("scope", () => {
  test("that a token lacks is asked of the person, once", async () => {
    const auth = await authServer()
    let refusals = 0
    const server = await protectedServer(auth, {
      call: ({ message, response, headers }) => {
        if (auth.tokenRequests.length > 1) {
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message?.id, result: { content: [], structuredContent: headers.authorization === undefined } }))
          return
        }
        refusals++
        response.writeHead(403, { "www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"' }).end()
      },
    })
    const authProvider = new FileTokenStore(testFolder()).provider(server.url, agreeing())
    const wrapper = await connect("demo", { url: server.url }, { authProvider })
    expect((await callerOf(wrapper)("t", {})).data).toBe(false)
    expect(refusals).toBe(1)
    expect(auth.authorizations.map((query) => query.get("scope"))).toEqual([null, "files:write"])
    // A refresh would have given the scope that is there.
    expect(auth.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "authorization_code"])
  })
})

test("the stream and the messages of the older transport carry the token too", async () => {
  const auth = await authServer()
  const server = await scriptedHTTPServer(
    { tools: [{ name: "t" }] },
    {
      transport: "sse",
      intercept: ({ path, headers }) => {
        const { origin } = new URL(server.url)
        if (path === "/metadata") return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ resource: origin, authorization_servers: [auth.url] }) }
        return auth.isGood(headers["authorization"]?.slice(7)) ? undefined : { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${origin}/metadata"` } }
      },
    },
  )
  const authProvider = new FileTokenStore(testFolder()).provider(server.url, agreeing())
  const wrapper = await connect("demo", { url: server.url, transport: "sse" }, { authProvider })
  auth.expire()
  expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ given: { a: 1 } })
  expect(auth.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"])
})

test("an Authorization header of the config wins over the provider", async () => {
  const auth = await authServer()
  const server = await protectedServer(auth)
  const authProvider = new FileTokenStore(testFolder()).provider(server.url, agreeing())
  const error = await callError(connect("demo", { url: server.url, headers: { Authorization: "Bearer mine-mine-mine" } }, { authProvider }))
  expect(error.code).toBe("AUTH_REQUIRED")
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer mine-mine-mine"])
  expect(auth.tokenRequests).toEqual([])
})

test("a policy holds for the authorization server too", async () => {
  const auth = await authServer()
  const server = await protectedServer(auth)
  const elsewhere = auth.url.replace("127.0.0.1", "localhost")
  const named = { ...auth, url: elsewhere }
  const pointing = await protectedServer(named)
  const authProvider = new FileTokenStore(testFolder()).provider(pointing.url, agreeing())
  const error = await callError(connect("demo", { url: pointing.url }, { authProvider, network: { allowHosts: ["127.0.0.1"] } }))
  expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "network_policy", host: "localhost" } })
  expect(server.requests).toEqual([])
})

test("client credentials are shown to their issuer alone", async () => {
  const auth = await authServer()
  const other = await authServer()
  const credentials = { clientId: "robot", clientSecret: "very-secret", scope: "run" }
  const server = await protectedServer(auth)
  const wrapper = await connect("demo", { url: server.url }, { authProvider: await clientCredentials({ ...credentials, issuer: auth.url }) })
  expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
  expect(auth.tokenRequests.map((form) => [form.get("grant_type"), form.get("scope")])).toEqual([["client_credentials", "run"]])

  const foreign = await protectedServer(other)
  const error = await callError(connect("demo", { url: foreign.url }, { authProvider: await clientCredentials({ ...credentials, issuer: auth.url }) }))
  expect(error.code).toBe("AUTH_REQUIRED")
  expect(other.tokenRequests).toEqual([])
  expect(await callError(clientCredentials({ ...credentials, issuer: "x" }))).toMatchObject({ code: "CONFIGURATION_ERROR" })
})

describe("a store", () => {
  test("keeps each login in a file of its own that the user alone can read, and leaves no lock or draft", async () => {
    const folder = join(testFolder(), "tokens")
    const { server, store } = await loggedIn({ folder })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const files = readdirSync(folder)
    expect(files).toHaveLength(1)
    const file = join(folder, files[0] ?? "")
    expect(file).toMatch(/\/[0-9a-f]{32}\.json$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 1, client: { client_id: "client-1" }, tokens: { token_type: "Bearer" } })
    expect(await store.has(server.url)).toBe(true)
    expect(await store.has("https://example.org/mcp")).toBe(false)
    writeFileSync(file, "{ half")
    expect(await store.has(server.url)).toBe(false)
    await store.forget(server.url)
    expect(readdirSync(folder)).toEqual([])
    expect(await callError(store.has("no url"))).toMatchObject({ code: "CONFIGURATION_ERROR" })
  })

  test("lets one process at a time renew; the lock of one that is gone holds nobody up", { timeout: 120_000 }, async () => {
    const folder = testFolder()
    const store = new FileTokenStore(folder)
    const url = "http://127.0.0.1:1/mcp"
    await store.provider(url).saveTokens({ access_token: "a", token_type: "Bearer" })
    const [name = ""] = readdirSync(folder)
    const lock = join(folder, `${name}.lock`)
    // A process that takes the lock, says so, and lives until it is killed.
    const script = `require("fs").writeFileSync(${JSON.stringify(lock)}, JSON.stringify({ pid: process.pid, host: require("os").hostname() }), { flag: "wx" }); console.log("held"); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    await new Promise((resolve) => child.stdout.once("data", resolve))
    const order: string[] = []
    child.once("exit", () => order.push("gone"))
    const waiting = store.provider(url).exclusively?.(async () => void order.push("held by us"))
    // What need not wait for that lock is through long before.
    for (const port of [2, 3, 4]) await store.provider(`http://127.0.0.1:${String(port)}/mcp`).exclusively?.(async () => void order.push("another"))
    child.kill("SIGKILL")
    await waiting
    expect(order).toEqual(["another", "another", "another", "gone", "held by us"])
    expect(readdirSync(folder)).toEqual([name])
  })
})
