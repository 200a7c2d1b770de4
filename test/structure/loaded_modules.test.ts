/**
 * What a program loads that imports only one door of the built package, asked of Node itself.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { builtPackage } from "../fixtures/built_package.js"

interface Loaded {
  url: string
  parent: string
}

const register = new URL("../fixtures/loaded_modules/register.mjs", import.meta.url).href
let folder: string
let work: string
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "loaded-"))
  folder = await builtPackage()
}, 120_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

async function loadedBy(door: string): Promise<Loaded[]> {
  const name = door.replaceAll(/\W/g, "-")
  const log = join(work, `${name}.log`)
  // The program stands in the package's folder, so that the package finds itself under its name.
  const program = join(folder, `load-${String(process.pid)}-${name}.mjs`)
  writeFileSync(program, `import ${JSON.stringify(door)}\n`)
  try {
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, ["--import", register, program], { env: { ...process.env, LOADED_MODULES_LOG: log } }, (error) => {
        if (error === null) resolve()
        else reject(new Error(`importing ${door} failed`, { cause: error }))
      })
    })
  } finally {
    rmSync(program)
  }
  return readFileSync(log, "utf8").trim().split("\n").map((line): Loaded => JSON.parse(line))
}

const ofTheSDK = (one: Loaded): boolean => one.url.includes("/node_modules/@modelcontextprotocol/")
const ofThePackage = (one: Loaded): boolean => one.parent.includes("/dist/") && fileURLToPath(one.parent).startsWith(folder)

describe("importing the root door alone", () => {
  let loaded: Loaded[]
  beforeAll(async () => {
    loaded = await loadedBy("mcp-operations")
  }, 30_000)

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

  test("loads no package but TypeBox", () => {
    const packages = loaded.filter(ofThePackage).filter((one) => !fileURLToPath(one.url).startsWith(join(folder, "dist")))
    expect(packages.filter((one) => !one.url.includes("/node_modules/@sinclair/typebox/"))).toEqual([])
  })
})

test("importing the from-mcp door does load the MCP SDK, which shows that the log would name it", async () => {
  expect((await loadedBy("mcp-operations/from-mcp")).some(ofTheSDK)).toBe(true)
}, 30_000)
