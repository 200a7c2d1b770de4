/**
 * A network policy as a host gives it to a client: for the server, for where it redirects to, beside a fetch of its own.
 */
import { describe, expect, test } from "vitest"
import { echo, serverByHand } from "../fixtures/servers/http_by_hand.js"
import { callerOf, callError, connect } from "../fixtures/servers/scripted.js"

describe("a policy", () => {
  test.each([
    ["private addresses are refused", { denyPrivate: true }, /"127\.0\.0\.1" may not be reached: it is not on the public internet/],
    ["other hosts are listed", { allowHosts: ["example.org"] }, /"127\.0\.0\.1" may not be reached: it is not in network\.allowHosts/],
  ])("ends the connecting where %s, and nothing is sent", async (_what, network, message) => {
    const server = await serverByHand()
    const error = await callError(connect("demo", { url: server.url }, { network }))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { server: "demo", kind: "network_policy", host: "127.0.0.1", outcome: "not_started" } })
    expect(error.message).toMatch(message)
    expect(server.requests).toEqual([])
  })

  test("lets a listed address through, for calls and streams alike", async () => {
    const server = await serverByHand()
    const wrapper = await connect("demo", { url: server.url }, { network: { denyPrivate: true, allowHosts: ["127.0.0.1"] } })
    expect((await callerOf(wrapper)("t", { a: 1 })).data).toEqual({ a: 1 })
  })

  test("is not needed for a redirect to another origin to be refused, and the token stays here", async () => {
    const other = await serverByHand()
    const server = await serverByHand({
      call: (request) => {
        if (request.message?.params?.arguments?.["away"] === true) request.response.writeHead(307, { location: other.url }).end()
        else echo(request)
      },
    })
    const wrapper = await connect("demo", { url: server.url, headers: { Authorization: "Bearer token-of-mine" } }, { network: { allowHosts: ["127.0.0.1"] } })
    const error = await callError(callerOf(wrapper)("t", { away: true }))
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "redirect", outcome: "not_started" } })
    expect(other.requests).toEqual([])
    expect((await callerOf(wrapper)("t", { away: false })).data).toEqual({ away: false })
  })

  test("cannot be held with a fetch of the host's own", async () => {
    const error = await callError(connect("demo", { url: "http://127.0.0.1:1/" }, { network: {}, fetch }))
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR", details: { remedy: "give one of network and fetch" } })
  })
})

test("a client that is closed leaves no socket behind", async () => {
  const server = await serverByHand()
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
  const before = sockets()
  const wrapper = await connect("demo", { url: server.url })
  await Promise.all(Array.from({ length: 20 }, (_none, n) => callerOf(wrapper)("t", { n })))
  await wrapper.close()
  await expect.poll(sockets).toBeLessThanOrEqual(before)
})
