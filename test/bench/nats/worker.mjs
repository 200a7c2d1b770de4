/**
 * A worker of the benches: serves operations over NATS, and answers a bare subject on a connection of its own.
 *
 * Started by `fork` with one argument, JSON: `{ url, name, namespaces, concurrency? }`. Says "ready"; answers "usage" with its CPU
 * time and its memory, "collected" with the same after a collection; ends with its channel.
 */
import { connect } from "@nats-io/transport-node"
import { OperationRegistry, Type, defineOperation } from "../../../dist/index.js"
import { connectNATS, serve } from "../../../dist/nats.js"

const { url, name, namespaces, concurrency } = JSON.parse(process.argv[2])
const accessControl = { requiredScopes: ["bench"] }
const text = Type.Object({ id: Type.String(), text: Type.String() })
const row = Type.Object({ id: Type.Integer(), title: Type.String(), score: Type.Number(), tags: Type.Array(Type.String()) })
const rows = Type.Object({ rows: Type.Array(row) })
const wait = Type.Object({ ms: Type.Number() })

const registry = new OperationRegistry()
for (const namespace of namespaces) {
  const shared = { namespace, type: "query", accessControl }
  registry.register(defineOperation({ ...shared, name: "text", inputSchema: text, outputSchema: text, handler: (input) => input }))
  registry.register(defineOperation({ ...shared, name: "rows", inputSchema: rows, outputSchema: rows, handler: (input) => input }))
  registry.register(
    defineOperation({ ...shared, name: "wait", inputSchema: wait, outputSchema: wait, handler: (input) => new Promise((resolve) => setTimeout(resolve, input.ms, input)) }),
  )
}

const bare = await connect({ servers: url, noAsyncTraces: true })
bare.subscribe(`raw.${name}`, { queue: "raw", callback: (_, message) => message.respond(message.data) })
bare.subscribe(`json.${name}`, { queue: "raw", callback: (_, message) => message.respond(JSON.stringify(JSON.parse(message.string()))) })
await bare.flush()

const connection = await connectNATS({ servers: url, caller: name })
await serve({
  registry,
  connection,
  name,
  expose: namespaces.map((namespace) => `${namespace}.*`),
  identify: (caller) => (caller === "bench" ? { id: caller, scopes: ["bench"] } : undefined),
  ...(concurrency === undefined ? {} : { concurrency }),
})
await connection.flush()

process.on("message", (word) => {
  const { user, system } = process.cpuUsage()
  if (word === "collected") globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send({ cpu: user + system, heapUsed, rss })
})
process.once("disconnect", () => process.exit(0))
process.send("ready")
