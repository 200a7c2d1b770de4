/**
 * What a server with the generated configuration lets through, and what it refuses, asked with plain connections: nothing of this
 * library stands between an attacker and the server here. Each refusal is the server's own answer, and beside each stands who may.
 */
import { connect, type NatsConnection, type Subscription } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { natsServerConfig } from "../../src/nats.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

const NAMES = ["alice", "bob", "carol", "w1", "w2", "ops-monitor"] as const
type Name = (typeof NAMES)[number]

const config = natsServerConfig({
  callers: { alice: {}, bob: {}, carol: { operations: ["fs.*", "git.status"] } },
  workers: { w1: { expose: ["fs.*"] }, w2: { expose: ["git.*", "mail.send"] } },
  monitor: "ops-monitor",
})
const env = {
  NATS_PASSWORD_ALICE: "of-alice",
  NATS_PASSWORD_BOB: "of-bob",
  NATS_PASSWORD_CAROL: "of-carol",
  NATS_PASSWORD_W1: "of-w1",
  NATS_PASSWORD_W2: "of-w2",
  NATS_PASSWORD_OPS_MONITOR: "of-ops-monitor",
}

/** A user of the server, and what the server has refused it so far. */
interface Party {
  readonly connection: NatsConnection
  readonly refused: { readonly operation: string; readonly subject: string }[]
}

const IN_TIME = { timeout: 30_000 }

let server: NATSServer
const parties = new Map<Name, Party>()

async function enter(name: Name): Promise<Party> {
  const connection = await connect({ servers: server.url, user: name, pass: `of-${name}`, inboxPrefix: `_INBOX.${name}` })
  const refused: Party["refused"] = []
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === "error" && status.error.name === "PermissionViolationError") {
        const { operation, subject } = status.error as unknown as Party["refused"][number]
        refused.push({ operation, subject })
      }
    }
  })()
  return { connection, refused }
}

function party(name: Name): Party {
  const found = parties.get(name)
  if (found === undefined) throw new Error(`${name} is not connected`)
  return found
}

/** What the server refuses while `act` is done. The answer to a flush comes behind the answers to all that was sent before it. */
async function refusals({ connection, refused }: Party, act: () => void): Promise<Party["refused"]> {
  refused.length = 0
  act()
  await connection.flush()
  // The status is handed on by an iterator, some ticks after the bytes were read.
  await new Promise((resolve) => setImmediate(resolve))
  return [...refused]
}

async function listen(name: Name, subject: string, queue?: string): Promise<{ heard: string[]; subscription: Subscription }> {
  const { connection } = party(name)
  const heard: string[] = []
  const subscription = connection.subscribe(subject, { ...(queue === undefined ? {} : { queue }), callback: (_error, message) => void heard.push(message.string()) })
  await connection.flush()
  return { heard, subscription }
}

describeWithNATS("with the generated configuration", () => {
  beforeAll(async () => {
    server = await natsServer({ config, env })
    for (const name of NAMES) parties.set(name, await enter(name))
  })
  afterAll(async () => {
    for (const { connection } of parties.values()) await connection.close()
    await server.stop()
  })

  describe("a message reaches", () => {
    const cases: readonly { what: string; to: string; hears: readonly [Name, string, string?]; may: readonly Name[]; mayNot: readonly Name[] }[] = [
      { what: "a worker as alice's call", to: "ops.v1.call.alice.fs.read", hears: ["w1", "ops.v1.call.*.fs.>", "ops"], may: ["alice"], mayNot: ["bob", "carol", "w1", "w2", "ops-monitor"] },
      { what: "one worker as alice's call", to: "ops.v1.to.w1.alice.fs.read", hears: ["w1", "ops.v1.to.w1.*.fs.>", "ops"], may: ["alice"], mayNot: ["bob", "w1", "w2", "ops-monitor"] },
      { what: "a worker as a control message of alice", to: "ops.v1.ctl.w1.alice", hears: ["w1", "ops.v1.ctl.w1.*"], may: ["alice"], mayNot: ["bob", "w1", "w2", "ops-monitor"] },
      { what: "all workers as a control message of alice", to: "ops.v1.ctl.all.alice", hears: ["w2", "ops.v1.ctl.all.*"], may: ["alice"], mayNot: ["bob", "w1", "w2", "ops-monitor"] },
      { what: "a worker as alice's wish for its catalogue", to: "ops.v1.catalog.w1.alice", hears: ["w1", "ops.v1.catalog.w1.*", "ops"], may: ["alice"], mayNot: ["bob", "w2", "ops-monitor"] },
      { what: "a caller as an announcement of w1", to: "ops.v1.announce.w1", hears: ["bob", "ops.v1.announce.*"], may: ["w1"], mayNot: ["w2", "alice", "ops-monitor"] },
      { what: "alice as an answer", to: "_INBOX.alice.c.1", hears: ["alice", "_INBOX.alice.c.*"], may: ["w1", "w2"], mayNot: ["bob", "alice", "ops-monitor"] },
      { what: "a worker as a question of the monitor", to: "$SRV.PING", hears: ["w1", "$SRV.*"], may: ["ops-monitor"], mayNot: ["alice", "w1", "w2"] },
      { what: "a worker as the monitor's question about one", to: "$SRV.STATS.ops.id", hears: ["w1", "$SRV.*.ops.id"], may: ["ops-monitor"], mayNot: ["alice", "w2"] },
      { what: "a worker as carol's call of a namespace that is hers", to: "ops.v1.call.carol.fs.read", hears: ["w1", "ops.v1.call.*.fs.>", "ops"], may: ["carol"], mayNot: ["alice"] },
      { what: "a worker as carol's call of an operation that is hers", to: "ops.v1.to.w2.carol.git.status", hears: ["w2", "ops.v1.to.w2.*.git.>", "ops"], may: ["carol"], mayNot: ["alice"] },
    ]
    test.each(cases)("$what, from nobody but $may", async ({ to, hears, may, mayNot }) => {
      const { heard, subscription } = await listen(...hears)
      for (const name of mayNot) {
        expect(await refusals(party(name), () => party(name).connection.publish(to, name)), name).toEqual([{ operation: "publish", subject: to }])
      }
      for (const name of may) {
        expect(await refusals(party(name), () => party(name).connection.publish(to, name)), name).toEqual([])
      }
      await expect.poll(() => heard, IN_TIME).toEqual(may)
      subscription.unsubscribe()
    })
  })

  describe("carol, who may call fs and git.status,", () => {
    test.each([
      ["git.status", "ops.v1.call.carol.git.status", true],
      ["git.push", "ops.v1.call.carol.git.push", false],
      ["git.push at one worker", "ops.v1.to.w2.carol.git.push", false],
      ["mail.send", "ops.v1.call.carol.mail.send", false],
    ])("calls %s: %s, %s", async (_what, subject, isAllowed) => {
      expect(await refusals(party("carol"), () => party("carol").connection.publish(subject))).toEqual(isAllowed ? [] : [{ operation: "publish", subject }])
    })
  })

  describe("a subscription", () => {
    const cases: readonly { to: string; queue?: string; may: readonly Name[]; mayNot: readonly Name[] }[] = [
      { to: "ops.v1.call.*.fs.>", queue: "ops", may: ["w1"], mayNot: ["w2", "alice", "ops-monitor"] },
      { to: "ops.v1.call.*.fs.>", may: [], mayNot: ["w1", "w2", "alice", "ops-monitor"] },
      { to: "ops.v1.call.*.fs.>", queue: "mine", may: [], mayNot: ["w1"] },
      { to: "ops.v1.call.*.git.>", queue: "ops", may: ["w2"], mayNot: ["w1"] },
      { to: "ops.v1.call.*.*.>", queue: "ops", may: [], mayNot: ["w1", "w2"] },
      { to: "ops.v1.call.>", queue: "ops", may: [], mayNot: ["w1", "w2"] },
      { to: "ops.v1.call.alice.>", may: [], mayNot: ["alice", "bob", "w1"] },
      { to: "ops.v1.to.w1.*.fs.>", queue: "ops", may: ["w1"], mayNot: ["w2", "alice"] },
      { to: "ops.v1.to.w1.*.fs.>", may: [], mayNot: ["w1"] },
      { to: "ops.v1.to.w1.*.git.>", queue: "ops", may: [], mayNot: ["w1", "w2"] },
      { to: "ops.v1.to.w1.>", queue: "ops", may: [], mayNot: ["w1", "w2"] },
      { to: "ops.v1.to.*.>", queue: "ops", may: [], mayNot: ["w1", "w2"] },
      { to: "ops.v1.catalog.w1.*", queue: "ops", may: ["w1"], mayNot: ["w2", "alice"] },
      { to: "ops.v1.ctl.w1.*", may: ["w1"], mayNot: ["w2", "alice"] },
      { to: "ops.v1.ctl.all.*", may: ["w1", "w2"], mayNot: ["alice", "ops-monitor"] },
      { to: "ops.v1.announce.*", may: ["alice", "bob", "carol"], mayNot: ["w1", "ops-monitor"] },
      { to: "_INBOX.alice.>", may: ["alice"], mayNot: ["bob", "w1", "ops-monitor"] },
      { to: "_INBOX.w1.>", may: ["w1"], mayNot: ["w2", "alice"] },
      { to: "_INBOX.ops-monitor.>", may: ["ops-monitor"], mayNot: ["alice", "w1"] },
      { to: "_INBOX.*.>", may: [], mayNot: ["alice", "w1", "ops-monitor"] },
      { to: "_INBOX.>", may: [], mayNot: ["alice", "w1", "ops-monitor"] },
      { to: "$SRV.*", may: ["w1", "w2"], mayNot: ["alice", "ops-monitor"] },
      { to: ">", may: [], mayNot: ["alice", "w1", "ops-monitor"] },
    ]
    test.each(cases)("to $to in queue $queue is for $may and not for $mayNot", async ({ to, queue, may, mayNot }) => {
      const options = { ...(queue === undefined ? {} : { queue }), callback: () => undefined }
      for (const name of mayNot) {
        expect(await refusals(party(name), () => party(name).connection.subscribe(to, options)), name).toEqual([{ operation: "subscription", subject: to }])
      }
      for (const name of may) {
        let subscription: Subscription | undefined
        expect(await refusals(party(name), () => (subscription = party(name).connection.subscribe(to, options))), name).toEqual([])
        subscription?.unsubscribe()
      }
    })
  })

  test("a call of bob whose answer would be a call of alice is answered by the server alone", async () => {
    const w1 = party("w1")
    // A worker that trusts every reply subject: the last line of defence is the server's.
    const naive = w1.connection.subscribe("ops.v1.call.*.fs.>", {
      queue: "ops",
      callback: (_error, message) => w1.connection.publish(message.reply ?? "", `${message.subject} was done`),
    })
    const { heard, subscription } = await listen("alice", "_INBOX.alice.c.*")
    await w1.connection.flush()
    w1.refused.length = 0

    party("bob").connection.publish("ops.v1.call.bob.fs.read", "x", { reply: "ops.v1.call.alice.fs.delete" })
    await expect.poll(() => w1.refused, IN_TIME).toEqual([{ operation: "publish", subject: "ops.v1.call.alice.fs.delete" }])
    party("alice").connection.publish("ops.v1.call.alice.fs.read", "x", { reply: "_INBOX.alice.c.7" })
    await expect.poll(() => heard, IN_TIME).toEqual(["ops.v1.call.alice.fs.read was done"])
    naive.unsubscribe()
    subscription.unsubscribe()
  })

  test.each([
    ["a wrong password", { user: "alice", pass: "of-bob" }],
    ["no password", { user: "alice" }],
    ["no user", {}],
    ["a user that is not listed", { user: "mallory", pass: "of-alice" }],
  ])("%s opens no connection", async (_what, credentials) => {
    await expect(connect({ servers: server.url, ...credentials, reconnect: false })).rejects.toMatchObject({ name: "AuthorizationError" })
  })
})
