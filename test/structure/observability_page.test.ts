/**
 * The example of docs/architecture/observability.md compiles, and its tables name what is recorded.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { installBuiltPackage, root } from "../fixtures/built_package.js"
import { codeBlocks } from "./code_blocks.js"
import { consumerComplaints } from "./consumer_types.js"

const page = readFileSync(join(root, "docs/architecture/observability.md"), "utf8")
const home = realpathSync(mkdtempSync(join(tmpdir(), "observability-")))
beforeAll(async () => {
  await installBuiltPackage(home)
}, 180_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

test("its example compiles where OpenTelemetry is not installed", () => {
  const examples = codeBlocks(page, "observability.md").filter(({ language }) => language === "ts")
  expect(examples).toHaveLength(1)
  expect(consumerComplaints(home, examples)).toEqual([])
}, 180_000)

test.each([
  "mcp.method.name",
  "gen_ai.operation.name",
  "gen_ai.tool.name",
  "mcp.protocol.version",
  "mcp.session.id",
  "jsonrpc.request.id",
  "network.transport",
  "network.protocol.name",
  "server.address",
  "server.port",
  "rpc.response.status_code",
  "error.type",
  "mcp_operations.server.name",
  "mcp_operations.operation.id",
  "mcp_operations.operation.version",
  "mcp_operations.operation.type",
  "mcp_operations.source",
  "mcp_operations.item.seq",
  "mcp_operations.outcome",
  "mcp.client.operation.duration",
  "mcp_operations.result.size",
  "mcp_operations.operation.duration",
])("its tables have %s", (name) => {
  expect(page.split("\n").filter((line) => line.startsWith("|") && line.includes(`\`${name}\``))).not.toEqual([])
})
