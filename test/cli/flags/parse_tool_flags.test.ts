import { describe, expect, test } from "vitest"
import { toolFlags } from "../../../src/cli/flags/tool_flags.js"
import { parseToolFlags } from "../../../src/cli/flags/parse_tool_flags.js"
import { toolInput } from "../../../src/cli/flags/tool_input.js"
import { CallError } from "../../../src/error.js"

function parse(properties: Record<string, unknown>, ...words: string[]): unknown {
  return toolInput(undefined, [], parseToolFlags(words, toolFlags({ type: "object", properties }), "srv.tool").values)
}

function failure(run: () => unknown): CallError {
  try {
    run()
  } catch (error) {
    if (error instanceof CallError) return error
  }
  throw new Error("no CallError was thrown")
}

describe("values by type", () => {
  const string = { type: "string" }
  const integer = { type: "integer" }
  const list = { type: "array", items: string }
  test.each<[string, unknown, string[], unknown]>([
    ["a text stays a text", string, ["--x", "5"], "5"],
    ["a text may be null written out", string, ["--x", "null"], "null"],
    ["a text may be empty", string, ["--x="], ""],
    ["a text with = in it", string, ["--x=a=b"], "a=b"],
    ["a text that begins with a dash", string, ["--x", "-1"], "-1"],
    ["a text that begins with two dashes", string, ["--x=--y"], "--y"],
    ["a whole number", integer, ["--x", "42"], 42],
    ["a negative number", { type: "number" }, ["--x", "-1.5e3"], -1500],
    ["a whole number that is exact beyond 2^53", integer, ["--x", "9007199254740992"], 9007199254740992],
    ["a boolean alone", { type: "boolean" }, ["--x"], true],
    ["a boolean true", { type: "boolean" }, ["--x", "true"], true],
    ["a boolean false", { type: "boolean" }, ["--x", "false"], false],
    ["a boolean behind =", { type: "boolean" }, ["--x=false"], false],
    ["an object", { type: "object" }, ["--x", '{"a":[1]}'], { a: [1] }],
    // openclaw/mcporter#126
    ["a list as JSON", list, ["--x", '["a@example.com"]'], ["a@example.com"]],
    ["a list by repeating", list, ["--x", "a@example.com", "--x", "b@example.com"], ["a@example.com", "b@example.com"]],
    ["a list of one", list, ["--x", "a"], ["a"]],
    ["an empty list", list, ["--x", "[]"], []],
    ["lists and entries mixed", list, ["--x", '["a","b"]', "--x", "c"], ["a", "b", "c"]],
    ["a list of numbers", { type: "array", items: integer }, ["--x", "1", "--x", "2"], [1, 2]],
    ["a list of objects", { type: "array", items: { type: "object" } }, ["--x", '{"a":1}', "--x", '{"b":2}'], [{ a: 1 }, { b: 2 }]],
    ["a list of lists, each given by itself", { type: "array", items: { type: "array" } }, ["--x", "[1]", "--x", "[2]"], [[1], [2]]],
    ["a list of lists as JSON", { type: "array", items: { type: "array" } }, ["--x", "[[1],[2]]"], [[1], [2]]],
    ["a list that looks like a pattern", list, ["--x", "[a-z]+"], ["[a-z]+"]],
    ["a tuple", { type: "array", prefixItems: [integer, string], items: false }, ["--x", "1", "--x", "2"], [1, "2"]],
    ["a tuple of the old spelling", { type: "array", items: [integer, string] }, ["--x", "1", "--x", "2"], [1, "2"]],
    // mastra-ai/mastra#4341, anthropics/claude-code#95239
    ["null for a list", { type: ["array", "null"], items: string, default: null }, ["--x", "null"], null],
    ["null for a text", { type: ["string", "null"] }, ["--x", "null"], null],
    ["null by anyOf", { anyOf: [string, { type: "null" }] }, ["--x", "null"], null],
    ["null by nullable", { type: "integer", nullable: true }, ["--x", "null"], null],
    ["a list that may be null", { anyOf: [list, { type: "null" }] }, ["--x", "a"], ["a"]],
    // webstudio-is/webstudio#6009
    ["untyped number", {}, ["--x", "5"], 5],
    ["untyped boolean", {}, ["--x", "true"], true],
    ["untyped alone", {}, ["--x"], true],
    ["untyped text", {}, ["--x", "abc"], "abc"],
    ["untyped null", true, ["--x", "null"], null],
    ["untyped quoted text", {}, ["--x", '"5"'], "5"],
    ["untyped object", {}, ["--x", '{"a":1}'], { a: 1 }],
    ["untyped digits that are no JSON", {}, ["--x", "007"], "007"],
    ["text or list: text", { type: ["string", "array"] }, ["--x", "a"], "a"],
    ["text or list: list", { type: ["string", "array"] }, ["--x", '["a"]'], ["a"]],
    ["text or list: repeated", { type: ["string", "array"] }, ["--x", "a", "--x", "b"], ["a", "b"]],
    ["text or number: number", { type: ["string", "number"] }, ["--x", "5"], 5],
    ["text or number: text", { type: ["string", "number"] }, ["--x", "5a"], "5a"],
    ["text or number: digits that a number would round", { type: ["string", "number"] }, ["--x", "2512292042121000001"], "2512292042121000001"],
    ["a choice among texts", { enum: ["a", "1"] }, ["--x", "1"], "1"],
    ["a choice among values", { enum: ["a", 1, null] }, ["--x", "1"], 1],
    ["a choice of null", { enum: ["a", 1, null] }, ["--x", "null"], null],
    ["a choice of consts", { anyOf: [{ const: 1 }, { const: true }] }, ["--x", "true"], true],
    ["a text outside the choice is left to the check", { enum: ["a"] }, ["--x", "b"], "b"],
    ["allOf narrows", { allOf: [{ type: ["string", "integer"] }, { type: "number" }] }, ["--x", "5"], 5],
  ])("%s", (_, schema, words, expected) => {
    expect(parse({ x: schema }, ...words)).toEqual({ x: expected })
  })

  test.each<[string, unknown, string[], string]>([
    ["a word for a number", { type: "integer" }, ["--x", "many"], "is no integer"],
    ["a word for a boolean", { type: "boolean" }, ["--x", "yes"], "is no boolean"],
    ["a word for an object", { type: "object" }, ["--x", "a=1"], "is no JSON object"],
    ["a list for an object", { type: "object" }, ["--x", "[1]"], "is no JSON object"],
    ["a word in a list of numbers", { type: "array", items: { type: "integer" } }, ["--x", "1", "--x", "b"], "is no integer"],
    ["an empty word for a number", { type: ["integer", "null"] }, ["--x="], "is no integer or null"],
    // anthropics/claude-code#78762, earendil-works/pi#8943
    ["an id beyond 2^53", { type: "integer" }, ["--x", "2512292042121000001"], "rounded"],
    ["an untyped id beyond 2^53", {}, ["--x", "2512292042121000001"], "rounded"],
    ["an id beyond 2^53 in an object", { type: "object" }, ["--x", '{"id": [2512292042121000001]}'], "rounded"],
    ["an id beyond 2^53 in a list", { type: "array" }, ["--x", "[2512292042121000001]"], "rounded"],
    ["an id beyond 2^53 written with an exponent", { type: "number" }, ["--x", "2512292042121000001.0e0"], "rounded"],
    ["a number beyond all", { type: "number" }, ["--x", "1e999"], "rounded"],
  ])("%s is a VALIDATION_ERROR that holds the property and not the value", (_, schema, words, part) => {
    const error = failure(() => parse({ x: schema }, ...words))
    expect(error.code).toBe("VALIDATION_ERROR")
    expect(error.message).toContain("--x")
    expect(error.message).toContain(part)
    expect(error.details["issues"]).toEqual([{ path: "/x", keyword: "type", message: expect.stringContaining(part) as string }])
    expect(JSON.stringify(error)).not.toMatch(/many|yes|2512292042121000001/)
  })
})

describe("the words behind the id", () => {
  test("all flags together give all properties by their original names, and what is left out is absent", () => {
    const properties = Object.fromEntries(["Query", "no_cache", "nocache", "query-3", "query3", "__", "--x", "a b", "{{userName}}", "a=b"].map((name) => [name, { type: "string" }]))
    const words = ["--Query", "1", "--no_cache", "2", "--nocache=3", "--query-3", "4", "--query3", "5", "--__", "6", "----x", "7", "--a b", "8", "--{{userName}}=9", "--a=b=10"]
    expect(parse(properties, ...words)).toEqual({
      Query: "1", no_cache: "2", nocache: "3", "query-3": "4", query3: "5", __: "6", "--x": "7", "a b": "8", "{{userName}}": "9", "a=b": "10",
    })
    expect(parse(properties, "--query", "q", "--no-cache", "n")).toEqual({ Query: "q", no_cache: "n" })
  })

  test("--json and --help are ours, unless the tool has such a property", () => {
    const own = parseToolFlags(["--a", "1", "--json"], toolFlags({ properties: { a: {} } }), "s.t")
    expect([own.json, own.help, [...own.values]]).toEqual([true, false, [["a", 1]]])
    expect(parseToolFlags(["--nonsense", "--help"], toolFlags({}), "s.t").help).toBe(true)
    const theirs = parseToolFlags(["--json", "{}", "--help", "me"], toolFlags({ properties: { json: { type: "object" }, help: { type: "string" } } }), "s.t")
    expect([theirs.json, theirs.help, [...theirs.values]]).toEqual([false, false, [["json", {}], ["help", "me"]]])
  })

  test("an own option of that name as property is the tool's", () => {
    expect(parse({ input: { type: "string" }, config: {}, name: {} }, "--input", "i", "--config", "c", "--name", "n")).toEqual({ input: "i", config: "c", name: "n" })
  })

  test.each<[string, string[], RegExp, RegExp]>([
    ["a misspelt flag", ["--mesage", "x"], /no argument "mesage"; did you mean --message\?/, /^--message$/],
    ["a flag that is like no other", ["--zzzzzzzzz", "x"], /no argument "zzzzzzzzz"$/, /describe srv\.tool/],
    ["an own option behind the id", ["--input", "{}"], /--input stands before the id/, /call --input … srv\.tool/],
    ["a flag without its value", ["--message"], /--message needs a value/, /--message VALUE/],
    ["a flag followed by a flag", ["--message", "--n", "1"], /--message needs a value/, /--message=VALUE/],
    ["a word that belongs to no flag", ["word"], /belongs to no flag, right after srv\.tool/, /--name VALUE/],
    ["JSON behind --json", ["--json", "{}"], /belongs to no flag/, /--input JSON srv\.tool/],
    ["a flag given twice", ["--n", "1", "--n", "2"], /--n was given 2 times/, /once/],
    ["a path into the prototype", ["--__proto__.polluted", "1"], /no argument "__proto__\.polluted"/, /describe/],
    ["a path into the constructor", ["--constructor.prototype.polluted", "1"], /no argument/, /describe/],
  ])("%s is a usage error with its remedy", (_, words, message, remedy) => {
    const error = failure(() => parse({ message: { type: "string" }, n: { type: "integer" } }, ...words))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.message).toMatch(message)
    expect(error.details["remedy"]).toMatch(remedy)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  test("a property named __proto__ arrives as an own property and changes no prototype", () => {
    const schema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"object"},"x":{}}}')
    const { values } = parseToolFlags(["--__proto__", '{"polluted":1}', "--x", "1"], toolFlags(schema), "s.t")
    const input = toolInput(undefined, [], values) as object
    expect(JSON.stringify(input)).toBe('{"__proto__":{"polluted":1},"x":1}')
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })
})
