/**
 * The client of the conformance suite: one program for all scenarios, driven through `createMCPClient` of the built package.
 *
 * In: the url of the suite's server as the last argument; scenario and its data in the environment. Out: exit code 0 where every tool
 * was called and answered. What a scenario wants beyond that is judged by the suite, from the server's side.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { discoverOAuthServerInfo } from "@modelcontextprotocol/sdk/client/auth.js"
import { PrivateKeyJwtProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js"
import { clientCredentials, createMCPClient, FileTokenStore } from "../../dist/from_mcp.js"

const url = process.argv.at(-1)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ""
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}")
/** Arguments by tool; every other tool is called with none. */
const INPUTS = { add_numbers: { a: 5, b: 3 } }
const folder = mkdtempSync(join(tmpdir(), "conformance-"))

try {
  const wrapper = await createMCPClient("conformance", { url }, {
    // A person who accepts the form as it stands.
    handlers: { elicitation: { form: () => ({ action: "accept", content: {} }) } },
    authProvider: scenario.startsWith("auth/") ? await provider() : undefined,
  })
  try {
    for (const tool of wrapper.tools) await tool.handler(INPUTS[tool.name] ?? {})
  } finally {
    await wrapper.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function provider() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey, signing_algorithm: algorithm } = context
  switch (scenario) {
    case "auth/client-credentials-basic":
      return clientCredentials({ clientId, clientSecret, issuer: await issuer() })
    case "auth/client-credentials-jwt":
      return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm, expectedIssuer: await issuer() })
    default:
      return person(clientId === undefined ? undefined : { client_id: clientId, client_secret: clientSecret })
  }
}

/** The suite names no issuer for the credentials that it gives; a host would know it. */
async function issuer() {
  return (await discoverOAuthServerInfo(url)).authorizationServerUrl
}

/** A login whose browser agrees at once; `client` is what was registered beforehand. */
async function person(client) {
  let code
  const login = new FileTokenStore(folder).provider(url, {
    redirectUrl: "http://localhost:3000/callback",
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    onRedirect: async (page) => {
      const { headers } = await fetch(page, { redirect: "manual" })
      code = new URL(headers.get("location")).searchParams.get("code")
    },
    authorizationCode: async () => code,
  })
  if (client !== undefined) await login.saveClientInformation(client)
  return login
}
