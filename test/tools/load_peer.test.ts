/**
 * A toolset whose SDK is not installed says what to install.
 */
import { expect, test } from "vitest"
import { loadPeer } from "../../src/tools/load_peer.js"
import { callError } from "../fixtures/servers/scripted.js"

test("a package that is missing is named, with the way to it", async () => {
  const name = "@no-such/agent-sdk"
  const error = await callError(loadPeer(name, () => import(/* @vite-ignore */ name)))
  expect(error).toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: 'The package "@no-such/agent-sdk" is not installed, and this toolset is made of its parts',
    details: { package: "@no-such/agent-sdk", remedy: "npm install @no-such/agent-sdk" },
  })
})

test("a package that is there and fails is not called missing", async () => {
  const fault = new TypeError("its own fault")
  await expect(loadPeer("there", () => Promise.reject(fault))).rejects.toBe(fault)
})
