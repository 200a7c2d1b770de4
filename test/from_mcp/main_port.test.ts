/**
 * The one port of a client: lost, opened again, given up, closed. Ports are made up, so that each order of events can be had.
 */
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import type { MCPPort, StatusDetail } from "../../src/from_mcp.js"
import type { ReplaceablePort } from "../../src/from_mcp/connection.js"
import { MainPort, type MainPortSettings } from "../../src/from_mcp/main_port.js"
import { pendingDeadlines } from "../../src/operation.js"

class MadeUpPort implements ReplaceablePort {
  readonly capabilities = {}
  readonly serverInfo = { name: "", version: "" }
  readonly instructions = undefined
  readonly protocolVersion = undefined
  readonly #listeners: ((reason?: CallError) => void)[] = []
  #gone: { reason: CallError | undefined } | undefined
  isClosed = false
  isRetired = false

  lose(reason?: CallError): void {
    this.#gone ??= { reason }
    for (const listener of this.#listeners.splice(0)) listener(reason)
  }
  async request(): Promise<unknown> {
    return {}
  }
  onNotification(): () => void {
    return () => undefined
  }
  onRequest(): void {}
  onClose(listener: (reason?: CallError) => void): void {
    if (this.#gone === undefined) this.#listeners.push(listener)
    else listener(this.#gone.reason)
  }
  retire(): void {
    this.isRetired = true
  }
  async close(): Promise<void> {
    this.isClosed = true
    this.lose()
  }
}

const lost = (kind = "exit", details: object = {}) => new CallError("TRANSPORT_ERROR", "lost", { details: { kind, ...details } })
const QUICK: MainPortSettings = { server: "s", reconnect: { attempts: 3, firstDelayMs: 1, maxDelayMs: 4 }, connectTimeoutMs: 30_000 }

/** A main port whose n-th further port is what `open` gives for n; its statuses and the ports that were opened. */
function keep(open: (attempt: number, signal: AbortSignal) => MadeUpPort | Error | Promise<MadeUpPort> = () => new MadeUpPort(), settings = QUICK, adopt = async (_port: MCPPort) => {}) {
  const first = new MadeUpPort()
  const opened: MadeUpPort[] = []
  let attempts = 0
  const main = new MainPort(first, settings, async ({ signal }) => {
    const port = await open(++attempts, signal)
    if (port instanceof Error) throw port
    opened.push(port)
    return port
  })
  const statuses: StatusDetail[] = []
  main.status.onChange((detail) => statuses.push(detail))
  main.start({ adopt })
  return { main, first, opened, statuses, names: () => statuses.map(({ status }) => status), attempts: () => attempts }
}

describe("a port that is lost", () => {
  test("is opened again, and all who ask meanwhile get the same new one", async () => {
    const { main, first, opened, statuses, names } = keep()
    expect(main.ready()).toBe(first)
    const reason = lost()
    first.lose(reason)
    const asked = [main.ready(), main.ready(), main.ready()]
    expect(asked.every((one) => one instanceof Promise)).toBe(true)
    const got = await Promise.all(asked.map((one) => Promise.resolve(one)))
    expect(opened).toHaveLength(1)
    expect(got.every((port) => port === opened[0])).toBe(true)
    expect(main.ready()).toBe(opened[0])
    expect(names()).toEqual(["reconnecting", "ready"])
    expect(statuses[0]?.reason).toBe(reason)
    expect(first.isClosed).toBe(true)
    await main.close()
    expect(pendingDeadlines()).toBe(0)
  })

  test("comes back by itself, without anybody who asks", async () => {
    const { main, first, names } = keep()
    first.lose(lost())
    await expect.poll(names).toEqual(["reconnecting", "ready"])
    await main.close()
  })

  test("was lost before anybody watched: it is noticed all the same", async () => {
    const first = new MadeUpPort()
    first.lose(lost())
    const next = new MadeUpPort()
    const main = new MainPort(first, QUICK, async () => next)
    main.start({ adopt: async () => {} })
    expect(await main.ready()).toBe(next)
    await main.close()
  })

  test("is tried so many times, then the client has failed with the last reason, and whoever asks begins anew", async () => {
    const refusal = (attempt: number) => new CallError("TRANSPORT_ERROR", `refused ${attempt}`, { details: { kind: "connection", outcome: "unknown" } })
    const { main, first, names, attempts, opened } = keep((attempt) => (attempt <= 3 ? refusal(attempt) : new MadeUpPort()))
    first.lose(lost())
    await expect(main.ready()).rejects.toMatchObject({ code: "TRANSPORT_ERROR", message: "refused 3", details: { outcome: "not_started" } })
    expect(names()).toEqual(["reconnecting", "failed"])
    expect(main.status.detail.reason?.message).toBe("refused 3")
    expect(attempts()).toBe(3)
    expect(await main.ready()).toBe(opened[0])
    expect(names()).toEqual(["reconnecting", "failed", "connecting", "ready"])
    await main.close()
  })

  test("attempts are counted until a call was answered: a server that dies after each handshake is not started for ever", async () => {
    const { main, first, opened, attempts, names } = keep()
    first.lose(lost())
    for (let time = 1; time <= 3; time++) {
      await expect.poll(() => opened.length).toBe(time)
      await main.ready()
      if (time === 2) main.proved()
      opened[time - 1]?.lose(lost())
    }
    // The second one was proved, so the count began again there: two more attempts are left after the third.
    for (let time = 4; time <= 5; time++) {
      await expect.poll(() => opened.length).toBe(time)
      await main.ready()
      opened[time - 1]?.lose(lost())
    }
    await expect.poll(() => names().at(-1)).toBe("failed")
    expect(attempts()).toBe(5)
    await main.close()
  })

  test.each([
    ["credentials are missing", new CallError("AUTH_REQUIRED", "who are you", { details: {} })],
    ["the configuration is wrong", new CallError("CONFIGURATION_ERROR", "no", { details: {} })],
    ["the new session is unknown at once", lost("session_expired")],
  ])("is not tried again where %s", async (_name, error) => {
    const { main, first, attempts, names } = keep(() => error)
    first.lose(lost())
    await expect(main.ready()).rejects.toMatchObject({ code: error.code })
    expect([attempts(), names()]).toEqual([1, ["reconnecting", "failed"]])
    await main.close()
  })

  test("a port that its owner cannot use is closed, and counts as an attempt", async () => {
    let adoptions = 0
    const { main, first, opened } = keep(undefined, QUICK, async () => {
      if (++adoptions === 1) throw lost()
    })
    first.lose(lost())
    expect(await main.ready()).toBe(opened[1])
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false])
    await main.close()
  })

  test.each([
    ["reconnecting is switched off", { ...QUICK, reconnect: false } as const, true],
    ["nobody can open another one", QUICK, false],
  ])("stays lost where %s", async (_name, settings, opens) => {
    const first = new MadeUpPort()
    const main = new MainPort(first, settings, opens ? async () => new MadeUpPort() : undefined)
    main.start({ adopt: async () => {} })
    expect(main.giveUp(first, lost())).toBe(false)
    expect(main.ready()).toBe(first)
    const reason = lost()
    first.lose(reason)
    expect(main.status.detail).toMatchObject({ status: "failed", reason })
    expect(main.ready()).toBe(first)
    await main.close()
  })

  test("and whose loss has no reason was closed by its host", () => {
    const { main, first, names } = keep()
    first.lose()
    expect([names(), main.ready()]).toEqual([["closed"], first])
  })
})

describe("a port that is given up", () => {
  test("is replaced once, however many say so, and goes on with what is under way", async () => {
    const { main, first, opened } = keep()
    const reason = lost("session_expired")
    expect([main.giveUp(first, reason), main.giveUp(first, reason)]).toEqual([true, true])
    expect(await main.ready()).toBe(opened[0])
    expect(main.giveUp(first, reason)).toBe(true)
    expect(main.ready()).toBe(opened[0])
    expect([first.isRetired, first.isClosed]).toEqual([true, false])
    await main.close()
    expect(first.isClosed).toBe(true)
  })
})

describe("a port whose server was not reached", () => {
  const unreached = () => lost("connection", { systemCode: "ECONNREFUSED" })

  test("is asked again, and stays where the server still knows it", async () => {
    let asked = 0
    const { main, first, opened } = keep(undefined, QUICK, async () => {
      if (++asked === 1) throw unreached()
    })
    main.giveUp(first, unreached())
    expect(await main.ready()).toBe(first)
    expect([asked, opened.length, first.isRetired]).toEqual([2, 0, false])
    const reason = lost()
    first.lose(reason)
    expect(await main.ready()).toBe(opened[0])
    await main.close()
  })

  test("is replaced where the server has forgotten it, or where it is lost meanwhile", async () => {
    const forgotten = keep(undefined, QUICK, async (port) => {
      if (port === forgotten.first) throw lost("session_expired")
    })
    forgotten.main.giveUp(forgotten.first, unreached())
    expect(await forgotten.main.ready()).toBe(forgotten.opened[0])
    expect(forgotten.first.isRetired).toBe(true)
    await forgotten.main.close()

    const gone = keep(undefined, QUICK)
    gone.main.giveUp(gone.first, unreached())
    gone.first.lose(lost())
    expect(await gone.main.ready()).toBe(gone.opened[0])
    await gone.main.close()
  })

  test("is asked again after the client has failed, too", async () => {
    let isDown = true
    const { main, first, opened, names } = keep(undefined, QUICK, async () => {
      if (isDown) throw unreached()
    })
    main.giveUp(first, unreached())
    await expect(main.ready()).rejects.toMatchObject({ details: { outcome: "not_started" } })
    isDown = false
    expect(await main.ready()).toBe(first)
    expect([opened.length, names()]).toEqual([0, ["reconnecting", "failed", "connecting", "ready"]])
    await main.close()
  })
})

describe("closing", () => {
  test("is done once, ends every port and is the last status", async () => {
    const { main, first, names } = keep()
    const [one, two] = [main.close(), main.close()]
    expect(one).toBe(two)
    await one
    first.lose(lost())
    expect([first.isClosed, names(), main.ready()]).toEqual([true, ["closed"], first])
  })

  test("while it reconnects rejects who waits, as not started, and leaves no port open", async () => {
    let stopped = false
    const late = new MadeUpPort()
    const { main, first, attempts } = keep(
      (_attempt, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped = true
            resolve(late)
          })
        }),
    )
    first.lose(lost())
    const waiting = Promise.resolve(main.ready())
    const rejects = expect(waiting).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "closed", outcome: "not_started" } })
    await expect.poll(attempts).toBe(1)
    await main.close()
    await rejects
    expect([stopped, late.isClosed, main.status.detail.status]).toEqual([true, true, "closed"])
    expect(pendingDeadlines()).toBe(0)
  })

  test("while it waits for the next attempt ends the waiting", async () => {
    const { main, first, attempts } = keep(() => new MadeUpPort(), { ...QUICK, reconnect: { attempts: 3, firstDelayMs: 1_000_000, maxDelayMs: 1_000_000 } })
    first.lose(lost())
    const rejects = expect(Promise.resolve(main.ready())).rejects.toMatchObject({ details: { kind: "closed" } })
    await main.close()
    await rejects
    expect([attempts(), pendingDeadlines()]).toEqual([0, 0])
  })
})
