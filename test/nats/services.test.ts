import { Svcm } from "@nats-io/services"
import { connect, headers, type NatsConnection } from "@nats-io/transport-node"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import type { NATSMessage } from "../../src/nats/connection.js"
import { serveServices, type ServicesOptions, type ServiceStats } from "../../src/nats/services.js"
import { Subjects } from "../../src/nats/subjects.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

/** Long enough for a loaded machine: no answer is waited for that does not come, `count` ends the wait. */
const MAX_WAIT = 20_000

describeWithNATS("the services protocol of a worker", () => {
  let server: NATSServer
  let worker: NatsConnection
  let monitor: NatsConnection
  let stops: (() => void)[] = []

  beforeAll(async () => {
    server = await natsServer({ config: "max_payload: 2048" })
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    worker = await connect({ servers: server.url })
    monitor = await connect({ servers: server.url, inboxPrefix: "_INBOX.monitor" })
  })
  afterEach(async () => {
    for (const stop of stops) stop()
    stops = []
    await Promise.all([worker.close(), monitor.close()])
  })

  const counted: ServiceStats = { requests: 4, errors: 1, lastError: "it broke", processingMs: 6.5 }
  const metadata = { proto: "1", catalogHash: "abc", count: "3", worker: "w1" }

  /** Serves, and waits until the server knows the subscriptions. */
  async function serve(changes: Partial<ServicesOptions> = {}): Promise<() => void> {
    const { stop } = serveServices({
      connection: worker,
      subjects: new Subjects(),
      name: "w1",
      version: "1.2.3",
      metadata: () => metadata,
      stats: () => counted,
      ...changes,
    })
    stops.push(stop)
    await worker.flush()
    return stop
  }

  // The package brings a copy of the core of its own, whose types differ in optional members alone.
  const client = (answers: number) => new Svcm(monitor as never).client({ strategy: "count", maxMessages: answers, maxWait: MAX_WAIT })

  async function listOf<T>(answers: Promise<AsyncIterable<T>>): Promise<T[]> {
    const list: T[] = []
    for await (const answer of await answers) list.push(answer)
    return list
  }

  /** The answer to a request whose inbox is chosen here, and everything that came after it until a ping of the server returned. */
  async function answersAt(inbox: string, subject: string): Promise<NATSMessage[]> {
    const seen: NATSMessage[] = []
    const subscription = monitor.subscribe(inbox, {
      callback: (_, { subject, data, headers }) => {
        // The server's own word that nobody subscribes is no answer of a worker.
        if (headers?.code !== 503) seen.push({ subject, data, headers })
      },
    })
    monitor.publish(subject, "", { reply: inbox })
    await monitor.flush()
    // The first ping brings the worker what was asked, the second one takes its answer to the server.
    await worker.flush()
    await worker.flush()
    await monitor.flush()
    subscription.unsubscribe()
    return seen
  }

  test("@nats-io/services sees two workers by PING, each with an id of its own", async () => {
    await serve()
    await serve({ name: "w2", metadata: () => ({ ...metadata, worker: "w2" }) })
    const answers = await listOf(client(2).ping())
    expect(answers.map(({ type, name, version, metadata }) => ({ type, name, version, worker: metadata?.["worker"] })).sort(byWorker)).toEqual([
      { type: "io.nats.micro.v1.ping_response", name: "ops", version: "1.2.3", worker: "w1" },
      { type: "io.nats.micro.v1.ping_response", name: "ops", version: "1.2.3", worker: "w2" },
    ])
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2)
    for (const { id } of answers) expect(id).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  test("INFO names the subject of calls with its queue group, and no schemas", async () => {
    await serve()
    const [info] = await listOf(client(1).info("ops"))
    expect(info).toEqual({
      type: "io.nats.micro.v1.info_response",
      name: "ops",
      id: expect.any(String) as string,
      version: "1.2.3",
      description: "mcp-operations worker w1",
      metadata,
      endpoints: [{ name: "call", subject: "ops.v1.call.*.*.>", queue_group: "ops" }],
    })
  })

  test("STATS counts in whole nanoseconds, and is read anew each time", async () => {
    let stats: ServiceStats = { requests: 0, errors: 0, processingMs: 0 }
    const before = Date.now()
    await serve({ stats: () => stats })
    const [first] = await listOf(client(1).stats("ops"))
    stats = { ...counted, processingMs: 6.500_000_4, requests: 3 }
    const [second] = await listOf(client(1).stats("ops"))
    const endpoint = { name: "call", subject: "ops.v1.call.*.*.>", queue_group: "ops" }
    expect(first?.endpoints).toEqual([{ ...endpoint, num_requests: 0, num_errors: 0, last_error: "", processing_time: 0, average_processing_time: 0 }])
    expect(second?.endpoints).toEqual([
      { ...endpoint, num_requests: 3, num_errors: 1, last_error: "it broke", processing_time: 6_500_000, average_processing_time: 2_166_667 },
    ])
    expect(second?.started).toBe(first?.started)
    const started = Date.parse(first?.started ?? "")
    expect(started).toBeGreaterThanOrEqual(before)
    expect(started).toBeLessThanOrEqual(Date.now())
  })

  test("one worker is reached by its id, another service's name or id is not answered", async () => {
    await serve()
    await serve({ name: "w2", metadata: () => ({ ...metadata, worker: "w2" }) })
    const all = await listOf(client(2).ping("ops"))
    const second = all.find(({ metadata }) => metadata?.["worker"] === "w2")
    const [stats] = await listOf(client(1).stats("ops", second?.id ?? ""))
    expect(stats?.metadata).toEqual({ ...metadata, worker: "w2" })
    for (const subject of ["$SRV.PING.other", "$SRV.PING.ops.none", "$SRV.constructor", "$SRV.PONG.ops"]) {
      expect(await answersAt("_INBOX.monitor.a", subject), subject).toEqual([])
    }
  })

  test("the name is the prefix of the system", async () => {
    await serve({ subjects: new Subjects("staging") })
    const [info] = await listOf(client(1).info("staging"))
    expect(info?.endpoints[0]?.subject).toBe("staging.v1.call.*.*.>")
    expect(await answersAt("_INBOX.monitor.a", "$SRV.PING.ops")).toEqual([])
  })

  test.each([
    ["a subject of calls", undefined, "ops.v1.call.alice.fs.delete"],
    ["a service of the server", undefined, "$SYS.REQ.SERVER.PING"],
    ["something that begins like an inbox", undefined, "_INBOXES.alice.a"],
    ["another caller's inbox", "monitor", "_INBOX.alice.a"],
    ["the inbox of one whose name begins like the monitor's", "monitor", "_INBOX.monitor2.a"],
  ])("nothing is published to %s", async (_, monitorName, reply) => {
    await serve(monitorName === undefined ? {} : { monitor: monitorName })
    expect(await answersAt(reply, "$SRV.PING")).toEqual([])
    expect(await answersAt("_INBOX.monitor.a", "$SRV.PING")).toHaveLength(1)
  })

  test("with no monitor named every inbox is answered", async () => {
    await serve()
    expect(await answersAt("_INBOX.alice.a", "$SRV.PING")).toHaveLength(1)
  })

  test("an answer above max_payload, or one that cannot be read, is an error in the headers, and the worker answers on", async () => {
    let broken: "large" | "throws" | undefined
    await serve({
      headers,
      metadata: () => {
        if (broken === "throws") throw new Error("no metadata")
        return broken === "large" ? { text: "x".repeat(2048) } : metadata
      },
    })
    for (broken of ["large", "throws"] as const) {
      const [answer, ...more] = await answersAt("_INBOX.monitor.a", "$SRV.INFO")
      expect(more).toEqual([])
      expect(answer?.data).toHaveLength(0)
      expect(answer?.headers?.get("Nats-Service-Error-Code")).toBe("500")
      expect(answer?.headers?.get("Nats-Service-Error")).toBe("the answer cannot be given")
    }
    broken = undefined
    expect(await answersAt("_INBOX.monitor.a", "$SRV.INFO")).toHaveLength(1)
  })

  test("without headers such an answer is silence", async () => {
    let broken = true
    await serve({
      stats: () => {
        if (broken) throw new Error("no stats")
        return counted
      },
    })
    expect(await answersAt("_INBOX.monitor.a", "$SRV.STATS")).toEqual([])
    broken = false
    expect(await answersAt("_INBOX.monitor.a", "$SRV.STATS")).toHaveLength(1)
  })

  test("a request without a reply subject does no harm", async () => {
    await serve()
    monitor.publish("$SRV.PING", "not JSON")
    expect(await answersAt("_INBOX.monitor.a", "$SRV.PING")).toHaveLength(1)
  })

  test("a stopped service is gone, and stopping after the connection has closed is no error", async () => {
    const stop = await serve()
    stop()
    await worker.flush()
    expect(await answersAt("_INBOX.monitor.a", "$SRV.PING")).toEqual([])
    const later = await serve()
    await worker.close()
    later()
    worker = await connect({ servers: server.url })
  })
})

function byWorker(one: { worker?: string | undefined }, other: { worker?: string | undefined }): number {
  return (one.worker ?? "").localeCompare(other.worker ?? "")
}
