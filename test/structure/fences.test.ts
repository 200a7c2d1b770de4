/**
 * Every import fence fires in the editor: each text here breaks one rule, and the rule that answers is named.
 *
 * The table of who may import whom is written out by hand, all pairs of it, so that a slip in `.import-fences.cjs` is seen.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { fenceLinter, fenceTree, rooms } from "./fence_fixture.js"

const core = ["error", "schema", "envelope", "operation", "drift", "registry", "middleware", "call"]

/** Room -> the doors of others that it may import. */
const mayImport: Record<string, string[]> = {
  error: [],
  schema: ["error"],
  envelope: ["error", "schema"],
  operation: ["error", "schema", "envelope"],
  drift: ["error", "schema", "envelope", "operation"],
  registry: ["error", "schema", "envelope", "operation"],
  middleware: ["error", "schema", "envelope", "operation", "drift", "registry"],
  call: ["error", "schema", "envelope", "operation", "drift", "registry"],
  from_mcp: core,
  tools: core,
  codegen: core,
  otel: core,
  nats: core,
  cli: [...core, "from_mcp", "tools", "codegen", "otel", "nats", "index"],
  index: core,
}

// The first text of a kind waits for parsers and resolvers to load, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let tree: ReturnType<typeof fenceTree>
let lint: ReturnType<typeof fenceLinter>
beforeAll(async () => {
  tree = fenceTree()
  tree.write("src/cli/own.ts", "export const own = 1\n")
  lint = fenceLinter(tree.root)
  await lint("src/error/part.ts", "")
})
afterAll(() => tree.remove())

async function fires(rule: string, path: string, text: string): Promise<boolean> {
  return (await lint(path, text)).includes(rule)
}

const doors = [...rooms, "index"]

describe("a room imports the doors that the design lists, and no other", () => {
  test.each(rooms)("%s", async (room) => {
    const allowed: string[] = []
    for (const door of doors) {
      const text = `import { part } from "../${door}.js"\nexport const used = part\n`
      if (!(await fires("boundaries/dependencies", `src/${room}/part.ts`, text))) allowed.push(door)
    }
    expect(allowed.sort()).toEqual([...(mayImport[room] ?? [])].sort())
  })
})

describe("a door imports its own room and the doors that the room may import", () => {
  test.each(doors)("%s", async (name) => {
    const allowed: string[] = []
    for (const door of doors) {
      if (door === name) continue
      if (!(await fires("boundaries/dependencies", `src/${name}.ts`, `export { part } from "./${door}.js"\n`))) allowed.push(door)
    }
    expect(allowed.sort()).toEqual([...(mayImport[name] ?? [])].sort())
    if (name !== "index") expect(await fires("boundaries/dependencies", `src/${name}.ts`, `export { part } from "./${name}/part.js"\n`)).toBe(false)
  })
})

const boundary = "boundaries/dependencies"
const packageRule = "no-restricted-imports"
const syntax = "no-restricted-syntax"

describe("each of these texts is refused", () => {
  test.each([
    ["another room's inside, past its door", boundary, "src/operation/part.ts", `export { part } from "../schema/part.js"`],
    ["another room's inside, from a door", boundary, "src/cli.ts", `export { part } from "./from_mcp/part.js"`],
    ["a type of another room's inside", boundary, "src/operation/part.ts", `export type { part } from "../schema/part.js"`],
    ["the root door, from a core room", boundary, "src/call/part.ts", `export { part } from "../index.js"`],
    ["from_mcp by a static import in tools/connect.ts", boundary, "src/tools/connect.ts", `export { part } from "../from_mcp.js"`],
    ["from_mcp by a dynamic import elsewhere in tools", boundary, "src/tools/part.ts", `export const part = () => import("../from_mcp.js")`],
    ["tools by a dynamic import in from_mcp", boundary, "src/from_mcp/part.ts", `export const part = () => import("../tools.js")`],
    ["the demo server, from its own room", boundary, "src/cli/part.ts", `export { program } from "./demo_server.js"`],
    ["a file of src that stands in no room", "boundaries/no-unknown-files", "src/stray/part.ts", `export const part = 1`],
    ["a circle of two files", "import-x/no-cycle", "src/error/part.ts", `import { other } from "./other.js"\nexport const part = other`],
    ["node:fs in a core room", packageRule, "src/operation/part.ts", `import { readFileSync } from "node:fs"\nexport const part = readFileSync`],
    ["a type of node:fs in a core room", packageRule, "src/operation/part.ts", `export type { Stats } from "node:fs"`],
    ["fs without its scheme", packageRule, "src/cli/part.ts", `import { readFileSync } from "fs"\nexport const part = readFileSync`],
    ["node:fs in from_mcp outside its node places", packageRule, "src/from_mcp/part.ts", `export { readFileSync } from "node:fs"`],
    ["node:fs in a door of node places", packageRule, "src/from_mcp.ts", `export { readFileSync } from "node:fs"`],
    ["node:fs in codegen outside write.ts", packageRule, "src/codegen/part.ts", `export { readFileSync } from "node:fs"`],
    ["node:fs by a dynamic import", syntax, "src/schema/part.ts", `export const part = () => import("node:fs")`],
    ["node:fs by an import type", syntax, "src/schema/part.ts", `export type Part = import("node:fs").Stats`],
    ["the SDK in a core room", packageRule, "src/envelope/part.ts", `export { Client } from "@modelcontextprotocol/sdk/client/index.js"`],
    ["the SDK in tools", packageRule, "src/tools/part.ts", `export type { Tool } from "@modelcontextprotocol/sdk/types.js"`],
    ["the SDK in the cli", packageRule, "src/cli/part.ts", `export { Client } from "@modelcontextprotocol/sdk/client/index.js"`],
    ["the SDK's server side in from_mcp", packageRule, "src/from_mcp/part.ts", `export { Server } from "@modelcontextprotocol/sdk/server/index.js"`],
    ["the SDK by a dynamic import in a core room", syntax, "src/call/part.ts", `export const part = () => import("@modelcontextprotocol/sdk/types.js")`],
    ["the NATS client outside nats", packageRule, "src/call/part.ts", `export { connect } from "@nats-io/transport-node"`],
    ["the telemetry API outside otel", packageRule, "src/middleware/part.ts", `export { trace } from "@opentelemetry/api"`],
    ["an agent SDK outside tools", packageRule, "src/from_mcp/part.ts", `export { tool } from "@langchain/core/tools"`],
    ["the argument parser outside the cli", packageRule, "src/codegen/part.ts", `export { Command } from "commander"`],
    ["a package that has no room", packageRule, "src/cli/part.ts", `export { chunk } from "lodash"`],
    ["a package whose name begins like an allowed one", packageRule, "src/cli/part.ts", `export { x } from "commander-extra"`],
    ["a wildcard export in a door", syntax, "src/error.ts", `export * from "./error/part.js"`],
    ["a wildcard export under a name", syntax, "src/index.ts", `export * as error from "./error.js"`],
    ["process in a core room", "no-restricted-globals", "src/registry/part.ts", `export const part = process.platform`],
    ["console in src", "no-console", "src/from_mcp/part.ts", `console.log("x")`],
    ["an exported function without a doc block", "jsdoc/require-jsdoc", "src/error/part.ts", `export function part(): number {\n  return 1\n}`],
    ["an exported constant without a doc block", "jsdoc/require-jsdoc", "src/error/part.ts", `export const part = 1`],
    ["an exported type without a doc block", "jsdoc/require-jsdoc", "src/error/part.ts", `export interface Part {\n  a: 1\n}`],
    ["a doc block without a description", "jsdoc/require-description", "src/error/part.ts", `/** @internal */\nexport const part = 1`],
    ["a file of 301 lines of code", "max-lines", "src/error/part.ts", "export {}\n".repeat(301)],
    ["any", "@typescript-eslint/no-explicit-any", "src/error/part.ts", `export type Part = any`],
    ["any in a test", "@typescript-eslint/no-explicit-any", "test/error.test.ts", `export type Part = any`],
    ["a non-null assertion", "@typescript-eslint/no-non-null-assertion", "src/error/part.ts", `export const part = [1][0]!`],
    ["as without its reason", "local/reason-for-as", "src/error/part.ts", `export const part = JSON.parse("1") as number`],
    ["a focused test", syntax, "test/error.test.ts", `import { test } from "vitest"\ntest.only("x", () => {})`],
  ])("%s", async (_what, rule, path, text) => {
    if (rule === "import-x/no-cycle") tree.write("src/error/other.ts", `import { part } from "./part.js"\nexport const other = part\n`)
    expect(await lint(path, `${text}\n`)).toContain(rule)
  })
})

describe("each of these texts passes every fence", () => {
  test.each([
    ["a room's own file", "src/cli/part.ts", `export { own } from "./own.js"`],
    ["a door's own room", "src/operation.ts", `export { part } from "./operation/part.js"`],
    ["TypeBox in a core room", "src/schema/part.ts", `export { Type } from "@sinclair/typebox"\nexport { Value } from "@sinclair/typebox/value"`],
    ["the one dynamic import between adapters", "src/tools/connect.ts", `/** Loads it. */\nexport const load = () => import("../from_mcp.js")`],
    ["node:child_process in from_mcp/stdio", "src/from_mcp/stdio/spawn.ts", `export { spawn } from "node:child_process"`],
    ["node:fs in codegen/write.ts", "src/codegen/write.ts", `export { writeFileSync } from "node:fs"`],
    ["node:fs in the cli", "src/cli/part.ts", `export { writeFileSync } from "node:fs"`],
    ["the client side of the SDK in from_mcp", "src/from_mcp/part.ts", `export { Client } from "@modelcontextprotocol/sdk/client/index.js"`],
    ["the SDK in a node place of from_mcp", "src/from_mcp/http/part.ts", `export { isJSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"\nexport { Agent } from "undici"`],
    ["the server side of the SDK in the demo server", "src/cli/demo_server.ts", `export { Server } from "@modelcontextprotocol/sdk/server/index.js"`],
    ["a file of 300 lines of code with blank and comment lines", "src/error/part.ts", "export {}\n\n// a line\n".repeat(300)],
    ["as with its reason", "src/error/part.ts", `/** One. */\n// The text is stated here.\nexport const part = JSON.parse("1") as number`],
  ])("%s", async (_what, path, text) => {
    expect(await lint(path, `${text}\n`)).toEqual([])
  })
})
