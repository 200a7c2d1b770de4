/**
 * One login, several processes: each of them meets the expired token, one renews it.
 */
import { execFile } from "node:child_process"
import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { FileTokenStore } from "../../src/from_mcp.js"
import { installBuiltPackage } from "../fixtures/built_package.js"
import { authServer, protectedServer } from "../fixtures/servers/auth_server.js"
import { connect, testFolder } from "../fixtures/servers/scripted.js"

const PROGRAM = `import { createMCPClient, FileTokenStore } from "mcp-operations/from-mcp"
const [url, folder, given] = process.argv.slice(2)
const wrapper = await createMCPClient("demo", { url }, { authProvider: new FileTokenStore(folder).provider(url) })
console.log(JSON.stringify((await wrapper.getTool("t").handler({ given })).data))
await wrapper.close()
`

// anomalyco/opencode#34074, github/copilot-cli#3456
test("four processes with one login renew its token once, and each call is answered", { timeout: 300_000 }, async () => {
  // Long enough for the others to come to it meanwhile.
  const auth = await authServer({ tokenDelayMs: 500 })
  const { url } = await protectedServer(auth)
  const folder = testFolder()
  let code = ""
  const authProvider = new FileTokenStore(folder).provider(url, {
    onRedirect: async (page) => {
      const { headers } = await fetch(page, { redirect: "manual" })
      code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? ""
    },
    authorizationCode: async () => code,
  })
  await connect("demo", { url }, { authProvider })
  auth.expire()

  const host = realpathSync(testFolder())
  await installBuiltPackage(host)
  const program = join(host, "call.mjs")
  writeFileSync(program, PROGRAM)
  const runs = await Promise.all(["a", "b", "c", "d"].map((given) => promisify(execFile)(process.execPath, [program, url, folder, given])))
  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(['{"given":"a"}', '{"given":"b"}', '{"given":"c"}', '{"given":"d"}'])
  expect(auth.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"])
})
