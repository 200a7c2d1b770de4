/**
 * The generated configuration as a text, and what nats-server makes of it. What its permissions let through is in `permissions.test.ts`.
 */
import { connect } from "@nats-io/transport-node"
import { describe, expect, test } from "vitest"
import { natsServerConfig, type NATSServerConfigOptions } from "../../src/nats.js"
import { describeWithNATS, natsServer } from "../fixtures/nats_server.js"

const SMALL: NATSServerConfigOptions = {
  callers: { "alice-2": { operations: ["fs.*", "git.status", "git.a b"] } },
  workers: { w1: { expose: ["fs.*", "git.get_*", "fs.read"] } },
  monitor: "ops-monitor",
}

const GOLDEN = `# Configuration of nats-server (2.10 or later) for callers and workers of mcp-operations. Made by mcp-operations nats-config.
#
# The server reads each password from its environment, as a value of a configuration: write it in double quotes within the variable,
# as in NATS_PASSWORD_X='"secret"', or as a bcrypt hash ($2a$...). An empty one lets everybody in under that name.
#
#   NATS_PASSWORD_ALICE_2: caller alice-2
#   NATS_PASSWORD_W1: worker w1
#   NATS_PASSWORD_OPS_MONITOR: monitor ops-monitor

# A worker or a caller that does not answer is let go after some 30 seconds, and one that does not read after 5.
ping_interval: "10s"
ping_max: 2
write_deadline: "5s"

authorization {
  users: [
    { # caller
      user: "alice-2", password: $NATS_PASSWORD_ALICE_2
      permissions: {
        publish: [
          "ops.v1.call.alice-2.fs.>"
          "ops.v1.to.*.alice-2.fs.>"
          "ops.v1.call.alice-2.git.status"
          "ops.v1.to.*.alice-2.git.status"
          "ops.v1.call.alice-2.git.a=20b"
          "ops.v1.to.*.alice-2.git.a=20b"
          "ops.v1.ctl.*.alice-2"
          "ops.v1.catalog.*.alice-2"
        ]
        subscribe: [
          "_INBOX.alice-2.>"
          "ops.v1.announce.*"
        ]
      }
    }
    { # worker
      user: "w1", password: $NATS_PASSWORD_W1
      permissions: {
        publish: [
          "_INBOX.>"
          "ops.v1.announce.w1"
        ]
        subscribe: [
          "ops.v1.call.*.fs.> ops"
          "ops.v1.to.w1.*.fs.> ops"
          "ops.v1.call.*.git.> ops"
          "ops.v1.to.w1.*.git.> ops"
          "ops.v1.catalog.w1.* ops"
          "ops.v1.ctl.w1.*"
          "ops.v1.ctl.all.*"
          "$SRV.*"
          "$SRV.*.ops"
          "$SRV.*.ops.*"
          "_INBOX.w1.>"
        ]
      }
    }
    { # monitor
      user: "ops-monitor", password: $NATS_PASSWORD_OPS_MONITOR
      permissions: {
        publish: [
          "$SRV.>"
        ]
        subscribe: [
          "_INBOX.ops-monitor.>"
        ]
      }
    }
  ]
}
`

test("the whole text for one caller, one worker and a monitor", () => {
  expect(natsServerConfig(SMALL)).toBe(GOLDEN)
})

test("another prefix is in every subject of the system, and a caller of everything has whole trees", () => {
  const text = natsServerConfig({ prefix: "mail", callers: { bob: {} }, workers: { w: { expose: ["*"] } } })
  for (const subject of [
    "mail.v1.call.bob.>",
    "mail.v1.to.*.bob.>",
    "mail.v1.ctl.*.bob",
    "mail.v1.catalog.*.bob",
    "mail.v1.announce.*",
    "mail.v1.announce.w",
    "mail.v1.call.*.*.> ops",
    "mail.v1.to.w.*.*.> ops",
    "$SRV.*.mail",
    "$SRV.*.mail.*",
  ]) {
    expect(text).toContain(`"${subject}"`)
  }
  expect(text).not.toContain("ops.v1")
  expect(text).not.toContain("# monitor")
})

describe("refuses", () => {
  const callers = { alice: {} }
  const workers = { w1: { expose: ["fs.*"] } }
  const cases: readonly [what: string, options: NATSServerConfigOptions, pointer: string, message: RegExp][] = [
    ["a caller whose name is no token", { callers: { "al.ice": {} }, workers }, "/callers/al.ice", /"al\.ice" cannot be the name of a caller/],
    ["a pointer with a slash in it", { callers: { "a/b~c": {} }, workers }, "/callers/a~1b~0c", /cannot be the name/],
    ["a worker whose name is no token", { callers, workers: { "w 1": { expose: ["fs.*"] } } }, "/workers/w 1", /cannot be the name of a worker/],
    ["a worker named all", { callers, workers: { all: { expose: ["fs.*"] } } }, "/workers/all", /every worker/],
    ["a monitor whose name is a wildcard", { callers, workers, monitor: "*" }, "/monitor", /cannot be the name of a monitor/],
    ["a prefix of two tokens", { prefix: "a.b", callers, workers }, "/prefix", /cannot be the name of a system/],
    ["a caller and a worker of one name", { callers: { w1: {} }, workers }, "/workers/w1", /the caller "w1" and the worker "w1" have one name/],
    ["two names with one variable", { callers: { "a-b": {}, a_b: {} }, workers }, "/callers/a_b", /"a-b" and the caller "a_b" would both have their password in NATS_PASSWORD_A_B/],
    ["two names that differ in case alone", { callers: { ab: {} }, workers, monitor: "AB" }, "/monitor", /NATS_PASSWORD_AB/],
    ["a caller's pattern of half a name", { callers: { alice: { operations: ["fs.*", "git.get_*"] } }, workers }, "/callers/alice/operations/1", /cannot tell the operations of "git\.get_\*" apart/],
    ["a caller's pattern over namespaces", { callers: { alice: { operations: ["*.read"] } }, workers }, "/callers/alice/operations/0", /cannot tell/],
    ["a caller's pattern that is no id", { callers: { alice: { operations: ["read"] } }, workers }, "/callers/alice/operations/0", /cannot tell/],
    ["a worker's pattern without a namespace", { callers, workers: { w1: { expose: ["f*"] } } }, "/workers/w1/expose/0", /does not say which namespace/],
    ["a worker's pattern of half a namespace", { callers, workers: { w1: { expose: ["fs.*", "f*.read"] } } }, "/workers/w1/expose/1", /does not say which namespace/],
    ["a worker's empty pattern", { callers, workers: { w1: { expose: [""] } } }, "/workers/w1/expose/0", /does not say which namespace/],
    ["nobody at all", { callers: {}, workers: {} }, "", /lets everybody do everything/],
  ]
  test.each(cases)("%s", (_what, options, pointer, message) => {
    expect(() => natsServerConfig(options)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR", message: expect.stringMatching(message), details: expect.objectContaining({ pointer, remedy: expect.any(String) }) }),
    )
  })
})

describeWithNATS("nats-server", () => {
  const others = { NATS_PASSWORD_W1: "w", NATS_PASSWORD_OPS_MONITOR: "m" }
  const enter = (servers: string, pass: string) => connect({ servers, user: "alice-2", pass, reconnect: false })

  test.each([
    ["as it is", "secret-1", "secret-1"],
    ["in double quotes, whatever stands in it", '"1 #;,}\'"', "1 #;,}'"],
    ["as a bcrypt hash", "$2a$04$abcdefghijklmnopqrstuu7VURq7gAC8W5fcYfttJIo8N1fHcTII.", "secret-of-alice"],
  ])("takes a password %s", async (_what, value, pass) => {
    const server = await natsServer({ config: natsServerConfig(SMALL), env: { ...others, NATS_PASSWORD_ALICE_2: value } })
    try {
      await (await enter(server.url, pass)).close()
      await expect(enter(server.url, `${pass}x`)).rejects.toMatchObject({ name: "AuthorizationError" })
    } finally {
      await server.stop()
    }
  })

  test("does not start where a password is missing, and names its variable", async () => {
    await expect(natsServer({ config: natsServerConfig(SMALL), env: others })).rejects.toThrow(/NATS_PASSWORD_ALICE_2/)
  })

  test("has the settings that let go of what hangs", async () => {
    const server = await natsServer({ config: natsServerConfig(SMALL), env: { ...others, NATS_PASSWORD_ALICE_2: "a" }, args: ["-m", "-1"] })
    try {
      const port = /monitor on [^\s]*:(\d+)/.exec(server.log())?.[1]
      const varz = await (await fetch(`http://127.0.0.1:${port}/varz`)).json()
      expect(varz).toMatchObject({ ping_interval: 10_000_000_000, ping_max: 2, write_deadline: 5_000_000_000, auth_required: true })
    } finally {
      await server.stop()
    }
  })
})
