/**
 * What a program loads that imports only one door of the built package, asked of Node itself.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installBuiltPackage } from "../fixtures/built_package.js"

interface Loaded {
  url: string
  parent: string
}

const register = new URL("../fixtures/loaded_modules/register.mjs", import.meta.url).href
const work = realpathSync(mkdtempSync(join(tmpdir(), "loaded-")))
let compiled: string
beforeAll(async () => {
  compiled = join(realpathSync(await installBuiltPackage(work)), "dist")
}, 180_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

async function loadedBy(name: string, text: string): Promise<Loaded[]> {
  const log = join(work, `${name}.log`)
  const program = join(work, `${name}.mjs`)
  writeFileSync(program, text)
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, ["--import", register, program], { env: { ...process.env, LOADED_MODULES_LOG: log } }, (error) => {
      if (error === null) resolve()
      else reject(new Error(`the program ${name} failed`, { cause: error }))
    })
  })
  return readFileSync(log, "utf8").trim().split("\n").map((line): Loaded => JSON.parse(line))
}

const ofTheSDK = (one: Loaded): boolean => one.url.includes("/node_modules/@modelcontextprotocol/")
const ofThePackage = (one: Loaded): boolean => one.parent !== "" && fileURLToPath(one.parent).startsWith(compiled)

describe("importing the root door alone", () => {
  let loaded: Loaded[]
  beforeAll(async () => {
    loaded = await loadedBy("root", `import "mcp-operations"\n`)
  }, 120_000)

  test("loads the built root and TypeBox, so the log is not empty", () => {
    expect(loaded.some((one) => one.url.endsWith("/dist/index.js"))).toBe(true)
    expect(loaded.some((one) => one.url.includes("/node_modules/@sinclair/typebox/"))).toBe(true)
  })

  test("loads no file of the MCP SDK and no file of an adapter", () => {
    expect(loaded.filter(ofTheSDK)).toEqual([])
    expect(loaded.filter((one) => /\/dist\/(from_mcp|tools|codegen|otel|nats|cli)(\.js|\/)/.test(one.url))).toEqual([])
  })

  test("asks Node for none of its own modules", () => {
    expect(loaded.filter((one) => ofThePackage(one) && one.url.startsWith("node:"))).toEqual([])
  })

  test("loads no package but TypeBox and the one that finds the nearest name", () => {
    const packages = loaded.filter(ofThePackage).filter((one) => !fileURLToPath(one.url).startsWith(compiled))
    expect(packages.filter((one) => !/\/node_modules\/(@sinclair\/typebox|fastest-levenshtein)\//.test(one.url))).toEqual([])
  })
})

test("connecting does load the MCP SDK, which shows that the log would name it", async () => {
  const text = `import { createMCPClient } from "mcp-operations/from-mcp"
await createMCPClient("gone", { command: process.execPath, args: ["-e", ""] }).catch(() => undefined)
`
  expect((await loadedBy("connect", text)).some(ofTheSDK)).toBe(true)
}, 180_000)

describe("OpenTelemetry", () => {
  const ofTelemetry = (one: Loaded): boolean => one.url.includes("/node_modules/@opentelemetry/")

  test("is not loaded by any door, and not by a client that works without it", async () => {
    const text = `import "mcp-operations"
import "mcp-operations/otel"
import { createMCPClient } from "mcp-operations/from-mcp"
await createMCPClient("gone", { command: process.execPath, args: ["-e", ""] }).catch(() => undefined)
`
    const loaded = await loadedBy("without_telemetry", text)
    expect(loaded.filter(ofTelemetry)).toEqual([])
    expect(loaded.some(ofTheSDK)).toBe(true)
  }, 180_000)

  test("is loaded by otel(), its API alone", async () => {
    const loaded = (await loadedBy("with_telemetry", `import { otel } from "mcp-operations/otel"\nawait otel().instrument.onRequest({ method: "tools/call", tool: "x", server: "y", operationId: "y.x" })\n`)).filter(ofTelemetry)
    expect(loaded.length).toBeGreaterThan(0)
    expect(loaded.filter((one) => !one.url.includes("/node_modules/@opentelemetry/api/"))).toEqual([])
  }, 180_000)
})

describe("NATS", () => {
  const ofNATS = (one: Loaded): boolean => one.url.includes("/node_modules/@nats-io/")

  test("is not loaded by any door, and not by calls within one process", async () => {
    const text = `import { buildCallHandler, createInProcessTransport, defineOperation, OperationRegistry, PendingRequestMap, Type } from "mcp-operations"
import "mcp-operations/from-mcp"
import { natsServerConfig } from "mcp-operations/nats"
const registry = new OperationRegistry()
registry.register(defineOperation({ namespace: "t", name: "echo", inputSchema: Type.Any(), outputSchema: Type.Any(), handler: (input) => input }))
const transport = createInProcessTransport()
buildCallHandler({ registry, transport })
if ((await new PendingRequestMap({ transport }).call("t.echo", 1)).data !== 1) throw new Error("no answer")
natsServerConfig({ callers: { alice: {} }, workers: { w1: { expose: ["t.*"] } } })
`
    const loaded = await loadedBy("without_nats", text)
    expect(loaded.some((one) => one.url.endsWith("/dist/nats.js"))).toBe(true)
    expect(loaded.filter(ofNATS)).toEqual([])
  }, 180_000)

  test("is loaded when a connection is made", async () => {
    const text = `import { connectNATS } from "mcp-operations/nats"
const error = await connectNATS({ servers: "nats://127.0.0.1:1", caller: "alice" }).catch((thrown) => thrown)
if (error.code !== "TRANSPORT_ERROR") throw error
`
    expect((await loadedBy("with_nats", text)).some(ofNATS)).toBe(true)
  }, 180_000)
})

describe("the doors of agent tools", () => {
  const ofAgents = (one: Loaded): boolean => /\/node_modules\/(ai|@ai-sdk|@langchain|@openai)\//.test(one.url)

  test("load no agent SDK, and nothing of MCP, before they are used", async () => {
    const text = ["", "/ai-sdk", "/langchain", "/openai-agents"].map((door) => `import "mcp-operations/tools${door}"\n`).join("")
    const loaded = await loadedBy("tools", text)
    expect(loaded.some((one) => one.url.endsWith("/dist/tools/langchain.js"))).toBe(true)
    expect(loaded.filter((one) => ofAgents(one) || ofTheSDK(one))).toEqual([])
    expect(loaded.filter((one) => ofThePackage(one) && one.url.startsWith("node:"))).toEqual([])
  }, 180_000)

  test("load the one that is asked for", async () => {
    const loaded = await loadedBy("ai_sdk", `import { toAISDKTools } from "mcp-operations/tools/ai-sdk"\nawait toAISDKTools([])\n`)
    expect(loaded.some((one) => one.url.includes("/node_modules/ai/"))).toBe(true)
    expect(loaded.filter((one) => /\/node_modules\/(@langchain|@openai)\//.test(one.url))).toEqual([])
  }, 180_000)
})
