import { afterAll, beforeAll } from "vitest"
import { connectNATS, createNATSTransport, type NATSConnection, type NATSTransport } from "../../src/nats.js"
import type { CallTransport } from "../../src/call.js"
import { transportContract } from "../contract/transport.js"
import { describeWithNATS, natsServer, type NATSServer } from "../fixtures/nats_server.js"

describeWithNATS("a transport over NATS", () => {
  let server: NATSServer
  let broken = false
  const connections = new Map<CallTransport, NATSConnection>()
  beforeAll(async () => {
    server = await natsServer()
  })
  afterAll(async () => {
    await server.stop()
  })

  transportContract({
    name: "NATS",
    connect: async (identity = { id: "caller", scopes: [] }) => {
      const ends = await Promise.all(["caller", "w1"].map((caller) => connectNATS({ servers: server.url, caller, reconnectTimeWait: 20 })))
      const [callerConnection, workerConnection] = ends as [NATSConnection, NATSConnection]
      const caller = await createNATSTransport({ connection: callerConnection, caller: "caller" })
      const worker: NATSTransport = await createNATSTransport({
        connection: workerConnection,
        worker: { name: "w1", identify: () => identity, namespaces: () => ["t"] },
      })
      connections.set(caller, callerConnection)
      connections.set(worker, workerConnection)
      return {
        caller,
        worker,
        close: async () => {
          await caller.close()
          await worker.close()
          await Promise.all(ends.map((each) => each.close()))
          if (!broken) return
          broken = false
          await server.restart()
        },
      }
    },
    breakDown: async ({ caller }) => {
      const down = new Promise<void>((resolve) => {
        caller.onStatus(() => resolve())
      })
      broken = true
      server.kill()
      await down
    },
    settle: async ({ caller, worker }) => {
      if (caller.status === "down") return
      for (let turn = 0; turn < 4; turn++) {
        await connections.get(caller)?.flush()
        await connections.get(worker)?.flush()
      }
    },
  })
})
