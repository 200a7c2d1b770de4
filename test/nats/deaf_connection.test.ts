import { expect, test, vi } from "vitest"
import { PendingRequestMap } from "../../src/call.js"
import { connectNATS, createNATSTransport } from "../../src/nats.js"
import { describeWithNATS, natsServer } from "../fixtures/nats_server.js"

/** A server that answers within this time is heard, however slow the machine is. */
const WATCHDOG_MS = 2_000

describeWithNATS("a connection whose reader has died", () => {
  test("is noticed, counts as lost, and is connected anew", async () => {
    const server = await natsServer()
    const [connection, workerConnection] = await Promise.all(["alice", "w1"].map((caller) => connectNATS({ servers: server.url, caller, reconnectTimeWait: 20 })))
    if (connection === undefined || workerConnection === undefined) throw new Error("no connection")
    const transport = await createNATSTransport({ connection, caller: "alice", watchdogMs: WATCHDOG_MS })
    const worker = await createNATSTransport({ connection: workerConnection, worker: { name: "w1", identify: (id) => ({ id, scopes: [] }), namespaces: () => ["t"] } })
    const served = worker.serve((request, _peer, reply) => {
      void reply.send({ type: "call.responded", requestId: request.requestId, output: { data: request.input, meta: { source: "local", operationId: "t.echo", timestamp: 0 } } })
    })
    await served.ready()
    const map = new PendingRequestMap({ transport })
    expect((await map.call("t.echo", 1)).data).toBe(1)

    // The client library writes what its reader died of to the console.
    const console_ = vi.spyOn(console, "log").mockImplementation(() => undefined)
    // What any code of the host may do on the same connection.
    connection.subscribe("poison", {
      callback: () => {
        throw new Error("a careless callback")
      },
    })
    await connection.flush()
    const statuses: string[] = []
    const back = new Promise<void>((resolve) => {
      transport.onStatus((status) => {
        statuses.push(status)
        if (status === "up") resolve()
      })
    })
    workerConnection.publish("poison", "x")
    await workerConnection.flush()
    const lost = map.call("t.echo", 2, { timeoutMs: 40_000 })
    await expect(lost).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    await back
    expect(statuses).toEqual(["down", "up"])
    expect((await map.call("t.echo", 3)).data).toBe(3)
    console_.mockRestore()

    await transport.close()
    await worker.close()
    await Promise.all([connection.close(), workerConnection.close()])
    await server.stop()
  })
})
