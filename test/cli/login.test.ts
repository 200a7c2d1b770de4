/**
 * Logging in from the command line, against an authorization server on this machine; the test is the person and the browser.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { run } from "../../src/cli/run.js"
import { hostOf, jsonHere, runHere } from "../fixtures/cli_host.js"
import { authServer, protectedServer, type AuthServer } from "../fixtures/servers/auth_server.js"
import { serverByHand } from "../fixtures/servers/http_by_hand.js"
import { testFolder } from "../fixtures/servers/scripted.js"

/** Runs a login; `visit` gets the page that it prints. */
async function login(words: readonly string[], env: Record<string, string>, visit: (page: URL) => Promise<unknown>) {
  const host = hostOf({ env })
  const collected = { stdout: "", stderr: "" }
  let visited: Promise<unknown> | undefined
  // Both streams of a host made here can be read.
  for (const name of ["stdout", "stderr"] as const) (host[name] as PassThrough).on("data", (chunk) => {
    collected[name] += String(chunk)
    const page = /^ {2}(http\S+)$/m.exec(collected.stderr)?.[1]
    if (page !== undefined) visited ??= visit(new URL(page))
  })
  const status = await run(["login", ...words], host)
  await visited
  return { status, ...collected, document: JSON.parse(collected.stdout) as Record<string, unknown> }
}

/** A browser whose person agrees: it follows the redirect to the page on this machine. */
const agree = (page: URL) => fetch(page)

async function world(): Promise<{ auth: AuthServer; url: string; env: Record<string, string>; home: string }> {
  const auth = await authServer()
  const { url } = await protectedServer(auth)
  const home = testFolder()
  return { auth, url, env: { XDG_CONFIG_HOME: home }, home }
}

describe("a login", () => {
  test("prints a page to stderr, waits for the person, and is used by later runs until it is forgotten", async () => {
    const { auth, url, env, home } = await world()
    const before = await jsonHere(["list", "--url", url, "--name", "srv"], { env })
    expect(before).toMatchObject({ status: 3, document: { error: { code: "AUTH_REQUIRED", details: { remedy: "mcp-operations login srv, with the same --config or --url" } } } })

    const { status, document, stderr } = await login(["--url", url, "--name", "srv", "srv"], env, agree)
    expect([status, document]).toEqual([0, { server: "srv", login: "new", tools: 1 }])
    expect(stderr).toContain("To log in to srv, open this page:")
    expect(auth.authorizations[0]?.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(auth.authorizations[0]?.get("state")).toMatch(/^[\w-]{43}$/)

    const folder = join(home, "mcp-operations", "tokens")
    const files = readdirSync(folder)
    expect(files).toHaveLength(1)
    expect(statSync(join(folder, files[0] ?? "")).mode & 0o777).toBe(0o600)

    expect((await jsonHere(["list", "--url", url, "--name", "srv"], { env })).document.operations).toMatchObject([{ id: "srv.t" }])
    auth.expire()
    expect((await jsonHere(["call", "--url", url, "--input", '{"a": 1}', "t"], { env })).document.data).toEqual({ a: 1 })
    expect((await login(["--url", url], env, agree)).document).toMatchObject({ login: "present", tools: 1 })
    expect(auth.authorizations).toHaveLength(1)

    expect((await runHere(["logout", "--url", url], { env })).status).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect((await jsonHere(["list", "--url", url], { env })).status).toBe(3)
  })

  test("that is stored and good for nothing any more is made anew", async () => {
    const { auth, url, env } = await world()
    await login(["--url", url], env, agree)
    auth.revoke()
    expect((await jsonHere(["list", "--url", url], { env })).document.error.code).toBe("AUTH_REQUIRED")
    expect((await login(["--url", url], env, agree)).document).toMatchObject({ login: "new" })
    expect((await jsonHere(["list", "--url", url], { env })).status).toBe(0)
  })

  test("takes no code that comes with another state", async () => {
    const { url, env } = await world()
    const statuses: number[] = []
    const { document } = await login(["--url", url], env, async (page) => {
      const callback = new URL(page.searchParams.get("redirect_uri") ?? "")
      for (const query of ["code=stolen&state=guessed", "code=stolen", "", "error=access_denied"]) {
        statuses.push((await fetch(`${callback.href}?${query}`)).status)
      }
      await agree(page)
    })
    expect(statuses).toEqual([400, 400, 400, 400])
    expect(document).toMatchObject({ login: "new" })
  })

  test.each([
    ["access_denied", "the authorization server refused the login: access_denied"],
    ["<b>trust me</b>", "the authorization server refused the login"],
  ])("that the person refuses (%s) fails", async (error, told) => {
    const { url, env } = await world()
    const { status, document } = await login(["--url", url], env, (page) => {
      const callback = new URL(page.searchParams.get("redirect_uri") ?? "")
      callback.searchParams.set("state", page.searchParams.get("state") ?? "")
      callback.searchParams.set("error", error)
      return fetch(callback)
    })
    expect([status, document]).toMatchObject([3, { error: { code: "AUTH_REQUIRED" } }])
    expect((document["error"] as { message: string }).message).toMatch(new RegExp(`${told}$`))
  })

  test("that nobody comes to ends in time, and its page is closed", async () => {
    const { url, env } = await world()
    let callback = ""
    const { status, document } = await login(["--url", url, "--timeout", "1"], env, async (page) => {
      callback = page.searchParams.get("redirect_uri") ?? ""
    })
    expect([status, document]).toMatchObject([3, { error: { code: "TIMEOUT" } }])
    await expect(fetch(callback)).rejects.toThrow()
  })

  test("is not asked for by a server that wants none", async () => {
    const { url } = await serverByHand()
    expect((await login(["--url", url], { XDG_CONFIG_HOME: testFolder() }, agree)).document).toMatchObject({ login: "none", tools: 1 })
  })
})

test.each([
  ["a process", [], { a: { command: "x" } }, "CONFIGURATION_ERROR", /^Nobody can log in to server "a": it is a process/],
  ["a server with credentials", [], { a: { url: "https://x.org", headers: { authorization: "Bearer 1" } } }, "CONFIGURATION_ERROR", /brings credentials of its own/],
  ["one of several", [], { a: { url: "https://x.org" }, b: { url: "https://y.org" } }, "CONFIGURATION_ERROR", /^Which server\? The config names a, b/],
  ["a server that is not there", ["c"], { a: { url: "https://x.org" } }, "CONFIGURATION_ERROR", /^There is no server "c"; the servers are a/],
])("nobody can log in to %s", async (_what, names, mcpServers, code, message) => {
  const file = join(testFolder(), "servers.json")
  writeFileSync(file, JSON.stringify({ mcpServers }))
  const { status, document } = await jsonHere(["login", "--config", file, ...names], { env: { XDG_CONFIG_HOME: testFolder() } })
  expect([status, document.error.code]).toEqual([2, code])
  expect(document.error.message).toMatch(message)
})
