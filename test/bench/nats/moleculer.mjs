/**
 * Moleculer over NATS, for comparison: the same echo with validated input. Not a dependency of this package.
 *
 * In: the url of the server. Out: the caller's broker, or undefined where `moleculer` and `nats` are not installed. Started by `fork`
 * with the url it is the worker's broker; it says "ready", answers any message with its CPU time, and ends with its channel.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"

const row = { type: "object", props: { id: "number", title: "string", score: "number", tags: { type: "array", items: "string" } } }

/** `{ call(operation, input), usage(), stop() }`, or undefined. */
export async function startMoleculer(url) {
  const broker = await brokerOf(url, "bench")
  if (broker === undefined) return undefined
  const child = fork(fileURLToPath(import.meta.url), [url])
  await once(child, "message")
  await broker.start()
  await broker.waitForServices("bench")
  return {
    call: (operation, input) => broker.call(operation, input),
    async usage() {
      child.send("usage")
      const [usage] = await once(child, "message")
      return usage
    },
    async stop() {
      await broker.stop()
      const exit = once(child, "exit")
      child.disconnect()
      await exit
    },
  }
}

async function brokerOf(url, nodeID) {
  // Named by a variable: whoever reads the imports of this package must not take it for a dependency.
  const [name, client] = ["moleculer", "nats"]
  try {
    await import(client)
    const { default: moleculer } = await import(name)
    return new moleculer.ServiceBroker({ nodeID, transporter: url, logger: false, requestTimeout: 60_000 })
  } catch (error) {
    if (error.code === "ERR_MODULE_NOT_FOUND") return undefined
    throw error
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const broker = await brokerOf(argv[2], "worker")
  broker.createService({
    name: "bench",
    actions: {
      text: { params: { id: "string", text: "string" }, handler: ({ params }) => params },
      rows: { params: { rows: { type: "array", items: row } }, handler: ({ params }) => params },
    },
  })
  await broker.start()
  process.on("message", () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system })
  })
  process.once("disconnect", () => process.exit(0))
  process.send("ready")
}
