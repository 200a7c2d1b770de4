import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loadConfigFile } from "../../src/from_mcp.js"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-config-"))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe("a config file", () => {
  test("gives its servers", async () => {
    const path = join(folder, "mcp.json")
    await writeFile(path, `{ "mcpServers": { "a": { "command": "x" } } } // end`)
    expect((await loadConfigFile(path)).servers["a"]).toEqual({ command: "x" })
  })

  test("that is missing is a CONFIGURATION_ERROR naming the file", async () => {
    const path = join(folder, "absent.json")
    await expect(loadConfigFile(path)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: `The config file ${path} cannot be read (ENOENT)`,
      details: { file: path },
    })
  })

  test("with a fault is told with its path, line and column", async () => {
    const path = join(folder, "broken.json")
    await writeFile(path, `{\n  "mcpServers": { "a": { "command": "\${SURELY_NOT_SET_HERE}" } }\n}`)
    await expect(loadConfigFile(path)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining(`${path}:2:37: server "a": the variable SURELY_NOT_SET_HERE is not set`),
      details: { file: path, faults: [{ variable: "SURELY_NOT_SET_HERE", pointer: "/mcpServers/a/command" }] },
    })
  })
})
