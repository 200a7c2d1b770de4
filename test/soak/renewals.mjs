/**
 * Renews the session of one client 5,000 times: `npm run renewals [-- --times 5000]`.
 *
 * The server, in this process, forgets the session of every second call. Each call runs once, one stream is open at the end, and
 * what keeps this process alive, its descriptors and its heap are where they were after the first tenth. Leaves with 1 otherwise.
 */
import { createServer } from "node:http"
import { parseArgs } from "node:util"
import { createMCPClient } from "../../dist/from_mcp.js"
import { holdsWithin } from "../fixtures/servers/fault_servers.mjs"
import { liveHeap, megabytes, settledDescriptors } from "./measure.mjs"

const { values } = parseArgs({ options: { times: { type: "string", default: "5000" } } })
const times = Number(values.times)
const HEAP_GROWTH = 5_000_000

let handshakes = 0
let runs = 0
let isForgotten = false
const streams = new Set()
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "forgetful", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: given }) => ({ content: [], structuredContent: given }),
}

const server = createServer(async (request, response) => {
  if (request.method === "DELETE") return response.writeHead(200).end()
  if (request.method === "GET") {
    streams.add(response)
    response.on("close", () => streams.delete(response))
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    return
  }
  let text = ""
  for await (const chunk of request) text += chunk
  const { id, method, params } = JSON.parse(text)
  if (id === undefined) return response.writeHead(202).end()
  if (method === "initialize") {
    handshakes++
    isForgotten = false
  }
  if (method === "tools/call") {
    if (isForgotten) return response.writeHead(404).end()
    runs++
    isForgotten = true
  }
  response.writeHead(200, { "content-type": "application/json", ...(method === "initialize" && { "mcp-session-id": `session-${handshakes}` }) })
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method](params) }))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))

const wrong = []
process.on("unhandledRejection", (error) => wrong.push(`unhandled rejection: ${error?.stack ?? error}`))
const since = performance.now()
const wrapper = await createMCPClient("server", { url: `http://127.0.0.1:${server.address().port}/mcp` })
const tool = wrapper.getTool("t")
let calls = 0

async function renew(count) {
  for (let left = count; left > 0; left--) {
    const n = ++calls
    const { data } = await tool.handler({ n })
    if (data.n !== n) wrong.push(`call ${n} was answered with ${JSON.stringify(data)}`)
  }
  return { heap: await liveHeap(), descriptors: await settledDescriptors(), alive: process.getActiveResourcesInfo().length }
}

const before = await renew(Math.ceil(times / 10))
const after = await renew(times - Math.ceil(times / 10))
await holdsWithin(30_000, () => streams.size <= 1)
const openAtEnd = streams.size
await wrapper.close()
server.closeAllConnections()
server.close()

if (runs !== times) wrong.push(`${runs} calls ran, ${times} were made`)
if (handshakes !== times) wrong.push(`${handshakes} handshakes, where ${times} were due`)
if (openAtEnd > 1) wrong.push(`${openAtEnd} streams are open`)
if (after.heap - before.heap > HEAP_GROWTH) wrong.push(`the heap grew by ${megabytes(after.heap - before.heap)}, more than ${megabytes(HEAP_GROWTH)}`)
if (after.descriptors > before.descriptors + 5) wrong.push(`open descriptors went from ${before.descriptors} to ${after.descriptors}`)
if (after.alive > before.alive + 5) wrong.push(`what keeps the process alive went from ${before.alive} to ${after.alive}`)

console.log(`${handshakes} sessions in ${((performance.now() - since) / 1_000).toFixed(0)} s; streams open ${openAtEnd}; descriptors ${before.descriptors} -> ${after.descriptors}; heap ${megabytes(before.heap)} -> ${megabytes(after.heap)}`)
for (const text of wrong.slice(0, 20)) console.log(`- ${text}`)
process.exitCode = wrong.length === 0 ? 0 : 1
