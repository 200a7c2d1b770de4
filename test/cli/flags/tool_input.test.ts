import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readArg, readInput, toolInput } from "../../../src/cli/flags/tool_input.js"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-operations-"))
})
afterAll(() => rm(folder, { recursive: true }))

const noStdin = () => Promise.reject(new Error("stdin was read"))

describe("--input", () => {
  test("takes JSON, stdin and a file", async () => {
    const file = join(folder, "input.json")
    await writeFile(file, '\uFEFF{"a": 3}')
    expect(await readInput('{"a": 1}', noStdin)).toEqual({ a: 1 })
    expect(await readInput("-", () => Promise.resolve('{"a": 2}\n'))).toEqual({ a: 2 })
    expect(await readInput(`@${file}`, noStdin)).toEqual({ a: 3 })
  })

  test.each([
    ["what is no JSON", "{a: 1}", /^--input is no JSON$/],
    ["a whole number that would be rounded", '{"id": 2512292042121000001}', /^--input holds a whole number that would be rounded/],
    ["a file that is not there", "@/nowhere/at/all.json", /cannot be read \(ENOENT\): \/nowhere\/at\/all\.json/],
    ["stdin that is no JSON", "-", /^stdin, read for --input -, is no JSON$/],
  ])("refuses %s", async (_, source, message) => {
    await expect(readInput(source, () => Promise.resolve("no"))).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringMatching(message) as string,
    })
  })

  test("digits inside texts are no numbers", async () => {
    expect(await readInput('{"id": "2512292042121000001", "q\\"2512292042121000001": 1}', noStdin)).toEqual({
      id: "2512292042121000001",
      'q"2512292042121000001': 1,
    })
  })
})

describe("--arg", () => {
  test.each<[string, string, unknown]>([
    ["a=5", "a", 5],
    ['a="b=c"', "a", "b=c"],
    ["a=b=5", "a=b", 5],
    ["=true", "", true],
    ['__proto__={"x":1}', "__proto__", { x: 1 }],
    ["a b=[1]", "a b", [1]],
  ])("%s", (text, name, value) => {
    expect(readArg(text)).toEqual([name, value])
  })

  test.each(["a", "a=", "a=b", "a={b:1}", "id=2512292042121000001"])("%s is refused", (text) => {
    expect(() => readArg(text)).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }) as Error)
  })
})

describe("arguments put together", () => {
  test("nothing given is an empty list of arguments", () => {
    expect(toolInput(undefined, [], new Map())).toEqual({})
  })

  test("--input alone goes as it is", () => {
    expect(toolInput({ value: null }, [], new Map())).toBeNull()
    expect(toolInput({ value: [1] }, [], new Map())).toEqual([1])
  })

  test("flags and --arg go over members of --input", () => {
    expect(toolInput({ value: { a: 1, b: 1, c: 1 } }, [["b", 2]], new Map([["c", 3]]))).toEqual({ a: 1, b: 2, c: 3 })
  })

  test("a property by --arg and by its flag, or by two --arg, is refused", () => {
    expect(() => toolInput(undefined, [["a", 1]], new Map([["a", 2]]))).toThrow('"a" was given twice')
    expect(() => toolInput(undefined, [["a", 1], ["a", 1]], new Map())).toThrow('"a" was given twice')
  })

  test("flags cannot be put into what is no object", () => {
    expect(() => toolInput({ value: [1] }, [["a", 1]], new Map())).toThrow("no JSON object")
  })
})
