/**
 * Every fence of the module graph fires: two trees that break all of them are cruised with the project's own configuration.
 *
 * Runs the program as `npm run check:graph` does, in a process of its own: its options are read from the command line only.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fenceTree, repository, rooms } from "./fence_fixture.js"

interface Violation {
  rule: string
  from: string
  to: string
}

async function cruise(root: string): Promise<Violation[]> {
  const program = join(repository, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
  const args = [program, "src", "--config", join(repository, ".dependency-cruiser.cjs"), "--output-type", "json"]
  const text = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (stdout === "") reject(new Error(stderr, { cause: error }))
      else resolve(stdout)
    })
  })
  const report: { summary: { violations: { rule: { name: string }; from: string; to: string }[] } } = JSON.parse(text)
  return report.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
}

/** Room -> the doors that it may not import, its own among them. */
const refused: Record<string, string[]> = {
  error: ["call", "cli", "codegen", "drift", "envelope", "error", "from_mcp", "index", "middleware", "nats", "operation", "otel", "registry", "schema", "tools"],
  schema: ["call", "cli", "codegen", "drift", "envelope", "from_mcp", "index", "middleware", "nats", "operation", "otel", "registry", "schema", "tools"],
  envelope: ["call", "cli", "codegen", "drift", "envelope", "from_mcp", "index", "middleware", "nats", "operation", "otel", "registry", "tools"],
  operation: ["call", "cli", "codegen", "drift", "from_mcp", "index", "middleware", "nats", "operation", "otel", "registry", "tools"],
  drift: ["call", "cli", "codegen", "drift", "from_mcp", "index", "middleware", "nats", "otel", "registry", "tools"],
  registry: ["call", "cli", "codegen", "drift", "from_mcp", "index", "middleware", "nats", "otel", "registry", "tools"],
  middleware: ["call", "cli", "codegen", "from_mcp", "index", "middleware", "nats", "otel", "tools"],
  call: ["call", "cli", "codegen", "from_mcp", "index", "middleware", "nats", "otel", "tools"],
  from_mcp: ["cli", "codegen", "from_mcp", "index", "nats", "otel", "tools"],
  tools: ["cli", "codegen", "from_mcp", "index", "nats", "otel", "tools"],
  codegen: ["cli", "codegen", "from_mcp", "index", "nats", "otel", "tools"],
  otel: ["cli", "codegen", "from_mcp", "index", "nats", "otel", "tools"],
  nats: ["cli", "codegen", "from_mcp", "index", "nats", "otel", "tools"],
  cli: ["cli"],
}

describe("the graph of a tree in which every room imports every door", () => {
  let found: Violation[]
  const tree = fenceTree()
  beforeAll(async () => {
    for (const room of rooms) {
      const doors = [...rooms, "index"].map((door) => `export { part as ${door}_part } from "../${door}.js"`)
      tree.write(`src/${room}/every.ts`, `${doors.join("\n")}\n`)
    }
    found = await cruise(tree.root)
  }, 180_000)
  afterAll(tree.remove)

  test.each(rooms)("%s is refused what the design does not list", (room) => {
    const mine = found.filter((one) => one.from === `src/${room}/every.ts` && one.rule === `room-${room}`)
    expect(mine.map((one) => one.to.replace(/^src\/|\.ts$/g, "")).sort()).toEqual(refused[room])
  })
})

describe("the graph of a tree that breaks every other fence", () => {
  let found: Violation[]
  const tree = fenceTree()
  const sdk = "@modelcontextprotocol/sdk"
  const files: Record<string, string> = {
    "src/index.ts": `export { part } from "./error.js"\nexport { part as call } from "./call.js"`,
    "src/call/part.ts": `export { readFileSync as part } from "node:fs"\nexport type { Tool } from "${sdk}/types.js"`,
    "src/from_mcp/part.ts": `export { Server as part } from "${sdk}/server/index.js"\nexport { run } from "../tools/part.js"`,
    "src/from_mcp/stdio/spawn.ts": `export { spawn } from "node:child_process"\nexport { Client } from "${sdk}/client/index.js"`,
    "src/tools/part.ts": `export const part = 1\nexport const run = () => import("../from_mcp.js")`,
    "src/tools/connect.ts": `export const load = () => import("../from_mcp.js")`,
    "src/tools/langchain.ts": `export type { DynamicStructuredTool } from "@langchain/core/tools"\nexport type { Tool } from "ai"`,
    "src/tools/eager.ts": `export { load } from "./connect.js"`,
    "src/codegen/part.ts": `export { Command as part } from "commander"\nexport { writeFileSync } from "fs"`,
    "src/codegen/write.ts": `export { writeFileSync } from "node:fs"`,
    "src/otel/part.ts": `export { missing as part } from "./missing.js"\nexport { describe } from "vitest"`,
    "src/nats/part.ts": `export { a as part } from "./circle.js"`,
    "src/nats/circle.ts": `export { part as a } from "./part.js"`,
    "src/nats/list_type.ts": `import type { Item } from "./item_type.js"\nexport type List = Item[]`,
    "src/nats/item_type.ts": `import type { List } from "./list_type.js"\nexport type Item = string | List`,
    "src/cli/part.ts": `export { program as part } from "./demo_server.js"`,
    "src/cli/demo_server.ts": `export { Server as program } from "${sdk}/server/index.js"`,
    "src/cli/left_over.ts": `export const nobody = 1`,
    "src/schema/pair.ts": `export { b } from "./other.js"`,
    "src/schema/other.ts": `export const b = 1`,
  }
  beforeAll(async () => {
    for (const [path, text] of Object.entries(files)) tree.write(path, `${text}\n`)
    found = await cruise(tree.root)
  }, 180_000)
  afterAll(tree.remove)

  test.each([
    ["root-door-reaches-no-mcp", "src/index.ts", /@modelcontextprotocol\/sdk/],
    ["root-door-reaches-no-node", "src/index.ts", /^(node:)?fs$/],
    ["package-modelcontextprotocol-sdk", "src/call/part.ts", /@modelcontextprotocol\/sdk/],
    ["node-places", "src/call/part.ts", /^(node:)?fs$/],
    ["sdk-server-side", "src/from_mcp/part.ts", /@modelcontextprotocol\/sdk.*server/],
    ["room-from_mcp", "src/from_mcp/part.ts", /^src\/tools\/part\.ts$/],
    ["room-tools", "src/tools/part.ts", /^src\/from_mcp\.ts$/],
    ["package-commander", "src/codegen/part.ts", /commander/],
    ["node-places", "src/codegen/part.ts", /^(node:)?fs$/],
    ["resolvable", "src/otel/part.ts", /missing/],
    ["package-without-a-room", "src/otel/part.ts", /vitest/],
    ["no-development-package", "src/otel/part.ts", /vitest/],
    ["no-circles", "src/nats/circle.ts", /^src\/nats\/part\.ts$/],
    ["demo-server-is-a-program", "src/cli/part.ts", /^src\/cli\/demo_server\.ts$/],
    ["inner-door-ai", "src/tools/langchain.ts", /\/ai\//],
    ["no-orphans", "src/cli/left_over.ts", /left_over/],
    ["reached-from-a-door", "src/schema/pair.ts", /pair/],
    ["reached-from-a-door", "src/schema/other.ts", /other/],
  ])("%s fires at %s", (rule, from, to) => {
    expect(found.filter((one) => one.rule === rule && one.from === from).map((one) => one.to)).toContainEqual(expect.stringMatching(to))
  })

  test("the places that the design allows are not named", () => {
    const rulesAt = (path: string): string[] =>
      found.filter((one) => one.from === path && one.rule !== "reached-from-a-door").map((one) => one.rule)
    expect(rulesAt("src/from_mcp/stdio/spawn.ts")).toEqual([])
    expect(rulesAt("src/codegen/write.ts")).toEqual([])
    expect(rulesAt("src/tools/connect.ts")).toEqual([])
    expect(rulesAt("src/tools/langchain.ts").filter((rule) => rule.includes("langchain"))).toEqual([])
    expect(rulesAt("src/cli/demo_server.ts")).toEqual([])
    expect(rulesAt("src/nats/list_type.ts")).toEqual([])
    expect(rulesAt("src/nats/item_type.ts")).toEqual([])
  })
})
