/**
 * A worker that speaks for another or listens where it must not: the server of the generated configuration refuses it.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { securedServer, type SecuredServer } from "../../fixtures/nats/secured_server.js"
import { describeWithNATS } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("a worker beyond its rights", () => {
  const { scope, end } = openScope()
  let secured: SecuredServer
  let rogue: RawClient
  beforeAll(async () => {
    secured = await securedServer(
      { callers: { alice: {}, bob: {} }, workers: { w1: { expose: ["t.*"] }, rogue: { expose: ["t.*"] }, stranger: { expose: ["other.*"] } }, monitor: "watch" },
      scope,
    )
    rogue = await RawClient.connect({ ...secured.as("rogue"), caller: "rogue" }, scope)
  }, 180_000)
  afterAll(end)

  const lie = { v: 1, worker: "w1", seq: 1, catalogHash: "0".repeat(64), count: 0, load: { inFlight: 0, queued: 0, concurrency: 256 }, draining: true }

  test.each([
    "ops.v1.announce.w1",
    "ops.v1.announce.other",
    "ops.v1.call.alice.t.echo",
    "ops.v1.to.w1.alice.t.echo",
    "ops.v1.ctl.w1.alice",
    "ops.v1.catalog.w1.alice",
    "$SRV.PING",
  ])("the server refuses that it publishes to %s", async (subject) => {
    expect(await rogue.refusals(() => rogue.publish(subject, lie))).toHaveLength(1)
  })

  test.each<[string, string?]>([
    [">"],
    ["ops.>"],
    ["ops.v1.call.>"],
    ["ops.v1.call.*.t.>"],
    ["ops.v1.call.*.t.>", "another-queue"],
    ["ops.v1.call.*.other.>", "ops"],
    ["ops.v1.to.w1.>"],
    ["ops.v1.to.w1.>", "ops"],
    ["ops.v1.ctl.w1.*"],
    ["ops.v1.catalog.w1.*"],
    ["ops.v1.catalog.w1.*", "ops"],
    ["_INBOX.>"],
    ["_INBOX.alice.>"],
    ["_INBOX.w1.>"],
    ["$SYS.>"],
  ])("the server refuses that it listens to %s in the queue %s", async (subject, queue) => {
    expect(await rogue.refusals(() => rogue.listen(subject, queue))).toHaveLength(1)
  })

  test("the server refuses that a worker listens to calls of a namespace it does not serve, direct ones too", async () => {
    const stranger = await RawClient.connect({ ...secured.as("stranger"), caller: "stranger" })
    for (const subject of ["ops.v1.call.*.t.>", "ops.v1.to.stranger.*.t.>"]) {
      expect(await stranger.refusals(() => stranger.listen(subject, "ops")), subject).toHaveLength(1)
    }
    expect(await stranger.refusals(() => stranger.listen("ops.v1.call.*.other.>", "ops"))).toEqual([])
  })
})
