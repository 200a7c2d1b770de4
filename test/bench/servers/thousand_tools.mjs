/**
 * An MCP server over stdio with many tools, each with an output schema; in bare Node, so that its own cost is small and even.
 *
 * `node thousand_tools.mjs [tools] [rows]`. The result of a call and the list are written once, at the start: only ids differ.
 */
const TOOLS = Number(process.argv[2] ?? 1_000)
const ROWS = Number(process.argv[3] ?? 10)

const row = {
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
}
const tools = Array.from({ length: TOOLS }, (_, n) => ({
  name: `search_${n}`,
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
  outputSchema: { type: "object", properties: { rows: { type: "array", items: row }, total: { type: "integer" }, [`cursor_${n}`]: { type: "string" } }, required: ["rows", "total"] },
  annotations: { readOnlyHint: true },
}))
const structuredContent = {
  rows: Array.from({ length: ROWS }, (_, n) => ({
    id: 1_000 + n,
    title: `Record number ${n} of the search`,
    state: n % 2 === 0 ? "open" : "closed",
    score: n * 1.5,
    labels: ["bug", "help wanted"],
    author: { login: `user-${n}`, admin: false },
  })),
  total: ROWS,
}
const list = JSON.stringify({ tools })
const answer = JSON.stringify({ content: [{ type: "text", text: `${ROWS} rows` }], structuredContent })

let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop()
  let out = ""
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const result =
      method === "tools/call"
        ? answer
        : method === "tools/list"
          ? list
          : JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "thousand-tools", version: "1.0.0" } })
    out += `{"result":${result},"jsonrpc":"2.0","id":${id}}\n`
  }
  process.stdout.write(out)
})
process.stdin.on("end", () => process.exit(0))
