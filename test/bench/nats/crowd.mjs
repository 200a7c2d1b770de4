/**
 * Many workers in one process, each with a connection of its own, as if they were on many machines.
 *
 * Started by `fork` with one argument, JSON: `{ url, from, count, operations, same, announceEveryMs }`: workers `from` to
 * `from + count - 1` with so many operations each; with `same` all of them serve the same ones, else each has its own namespace.
 * Says "ready"; answers "usage" with CPU time and memory; at "change" its first worker gets one operation more; ends with its channel.
 */
import { OperationRegistry, specFromJSON } from "../../../dist/index.js"
import { connectNATS, serve } from "../../../dist/nats.js"

const { url, from, count, operations, same, announceEveryMs } = JSON.parse(process.argv[2])

/** The wire form of a tool: about as long as that of an average tool of a real server with an output schema. */
const wireOf = (namespace, n) => ({
  name: `search_${n}`,
  namespace,
  version: "1.0.0",
  type: "query",
  title: `Search ${n}`,
  description: `Searches the records of collection ${n} and gives the ones that match, best first.`,
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words to look for" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      state: { type: "string", enum: ["open", "closed", "all"] },
      [`option_${n}`]: { type: "boolean" },
    },
    required: ["query"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      rows: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "integer" },
            title: { type: "string" },
            state: { type: "string", enum: ["open", "closed"] },
            score: { type: "number" },
            labels: { type: "array", items: { type: "string" } },
            author: { type: "object", properties: { login: { type: "string" }, admin: { type: "boolean" } }, required: ["login"] },
          },
          required: ["id", "title", "state"],
        },
      },
      total: { type: "integer" },
    },
    required: ["rows", "total"],
  },
  accessControl: { requiredScopes: ["bench"] },
  annotations: { readOnlyHint: true },
})
const handler = () => ({ rows: [], total: 0 })
const operationOf = (namespace, n) => Object.assign(specFromJSON(wireOf(namespace, n)), { handler })
const registryOf = (namespace) => {
  const registry = new OperationRegistry()
  registry.registerAll(Array.from({ length: operations }, (_, n) => operationOf(namespace, n)))
  return registry
}

const shared = same ? registryOf("shared") : undefined
let first
const startOne = async (n) => {
  const namespace = same ? "shared" : `n${n}`
  const registry = shared ?? registryOf(namespace)
  first ??= { registry, namespace }
  // Twenty at once on a few cores: the others' digests are worked out meanwhile.
  const connection = await connectNATS({ servers: url, caller: `w${n}`, timeout: 60_000 })
  await serve({ registry, connection, name: `w${n}`, expose: [`${namespace}.*`], identify: (caller) => ({ id: caller, scopes: ["bench"] }), announceEveryMs })
}
for (let n = from; n < from + count; n += 20) {
  await Promise.all(Array.from({ length: Math.min(20, from + count - n) }, (_, offset) => startOne(n + offset)))
}

process.on("message", (word) => {
  if (word === "change") first.registry.register(operationOf(first.namespace, operations))
  const { user, system } = process.cpuUsage()
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send({ cpu: user + system, heapUsed, rss })
})
process.once("disconnect", () => process.exit(0))
process.send("ready")
