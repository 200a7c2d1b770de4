/**
 * Who may import whom in `src`, stated once for the editor (eslint.config.js) and for the proof (.dependency-cruiser.cjs).
 *
 * Out: plain data. Knows nothing of either tool. `test/structure/fences.test.ts` states the same table again by hand,
 * so a slip here is seen there.
 * A room is listed before it exists: the fence has to stand on the day its first file is written.
 */
"use strict"

const core = ["error", "schema", "envelope", "operation", "drift", "registry", "middleware", "call"]
const adapters = ["from_mcp", "tools", "codegen", "otel", "nats"]

/** Room -> doors of other rooms that it, and its own door, may import. */
const doors = {
  error: [],
  schema: ["error"],
  envelope: ["error", "schema"],
  operation: ["error", "schema", "envelope"],
  drift: ["error", "schema", "envelope", "operation"],
  registry: ["error", "schema", "envelope", "operation"],
  middleware: ["error", "schema", "envelope", "operation", "drift", "registry"],
  call: ["error", "schema", "envelope", "operation", "drift", "registry"],
  ...Object.fromEntries(adapters.map((room) => [room, core])),
  cli: [...core, ...adapters, "index"],
  index: core,
}

/** One dynamic import crosses between adapters: the file, and the door that it loads. */
const dynamicOnly = { file: "src/tools/connect.ts", room: "tools", door: "from_mcp" }

/** Where `node:*` may be imported, as path prefixes below `src`. */
const nodeAllowed = [
  "from_mcp/stdio/",
  "from_mcp/http/",
  "from_mcp/config_file.ts",
  "from_mcp/token_store.ts",
  "codegen/write.ts",
  "nats/",
  "nats.ts",
  "cli/",
  "cli.ts",
]

/** Package -> rooms that may import it; `"*"` is every room and the root door. A package that is not listed has no room. */
const packages = {
  "@sinclair/typebox": "*",
  "fastest-levenshtein": ["registry", "call", "from_mcp", "cli"],
  "@modelcontextprotocol/sdk": ["from_mcp"],
  "jsonc-parser": ["from_mcp", "cli"],
  "p-limit": ["from_mcp"],
  undici: ["from_mcp"],
  ai: ["tools"],
  "@langchain/core": ["tools"],
  "@openai/agents-core": ["tools"],
  "@sinclair/typebox-codegen": ["codegen"],
  "@opentelemetry/api": ["otel"],
  "@nats-io/transport-node": ["nats"],
  "@nats-io/nats-core": ["nats"],
  commander: ["cli"],
  "cli-table3": ["cli"],
  "yocto-spinner": ["cli"],
}

/** Doors inside a room, as files: the agent SDK of each is imported there and nowhere else. */
const innerDoors = {
  "src/tools/ai_sdk.ts": "ai",
  "src/tools/langchain.ts": "@langchain/core",
  "src/tools/openai_agents.ts": "@openai/agents-core",
}

/** The only file that may import the server side of the SDK; it is a program of its own, so nothing imports it. */
const demoServer = "src/cli/demo_server.ts"

module.exports = { core, adapters, doors, dynamicOnly, nodeAllowed, packages, innerDoors, demoServer }
