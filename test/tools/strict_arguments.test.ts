/**
 * Arguments that keep to the strict form of real tools fit the servers' own schemas, once what stood for left out is taken out.
 *
 * Every eighth tool, two sets of arguments each: all nulls that the form allows, and none. Ajv decides on both sides.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { forProvider } from "../../src/tools.js"
import { sharedDir } from "../fixtures/shared.js"

type Node = Readonly<Record<string, unknown>>

const shared = sharedDir()
const folder = shared === undefined ? "" : join(shared, "corpus")
const recorded: { name: string; inputSchema: Node }[] = (shared === undefined ? [] : readdirSync(folder))
  .filter((file) => file.endsWith(".json") && file !== "calls.json")
  .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")).tools)
  .filter((_tool: unknown, index: number) => index % 8 === 0)

const asNode = (value: unknown): Node => ({ ...(value as Node) })

/** A value of a strict schema: null wherever it is allowed, or nowhere. */
function valueOf(schema: unknown, document: Node, nulls: boolean, depth = 0): unknown {
  const node = asNode(schema)
  if (depth > 12) return null
  if (typeof node["$ref"] === "string") {
    const name = node["$ref"].slice("#/$defs/".length)
    return valueOf(node["$ref"] === "#" ? document : asNode(document["$defs"])[name], document, nulls, depth + 1)
  }
  if (Array.isArray(node["anyOf"])) {
    const branches: unknown[] = node["anyOf"]
    const nothing = branches.find((branch) => asNode(branch)["type"] === "null")
    return valueOf(nulls && nothing !== undefined ? nothing : branches[0], document, nulls, depth + 1)
  }
  const types = [node["type"]].flat()
  if (nulls && types.includes("null")) return null
  if ("const" in node) return node["const"]
  if (Array.isArray(node["enum"])) return node["enum"][0]
  if (types[0] === "string") return "https://example.com/a-text-of-some-length"
  if (types[0] === "boolean") return true
  if (types[0] === "number" || types[0] === "integer") return node["minimum"] ?? node["maximum"] ?? 1
  if (types[0] === "array") return Array.from({ length: Number(node["minItems"] ?? (nulls ? 0 : 1)) }, () => valueOf(node["items"], document, nulls, depth + 1))
  if (types[0] !== "object") return null
  return Object.fromEntries(Object.entries(asNode(node["properties"])).map(([name, property]) => [name, valueOf(property, document, nulls, depth + 1)]))
}

describe.skipIf(shared === undefined)("the arguments of a strict model (left out where ../shared is not there)", () => {
  test("fit what the server wrote, but for the keywords that the report says were left out", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    let tried = 0
    const wrong: string[] = []
    for (const { name, inputSchema } of recorded) {
      const { parameters, changes, refused, restore } = forProvider(inputSchema, "openai-strict")
      if (refused.length > 0) continue
      const { $schema: _dialect, ...schema } = inputSchema
      const [isStrict, isServers] = [ajv.compile(parameters), ajv.compile(schema)]
      for (const nulls of [true, false]) {
        const args = asNode(valueOf(parameters, parameters, nulls))
        if (!isStrict(args)) continue
        tried++
        if (isServers(restore(args))) continue
        const told = (keyword: string) => changes.some(({ path, change }) => path.endsWith(`/${keyword}`) && change.startsWith("left out"))
        for (const { keyword, instancePath } of isServers.errors ?? []) if (!told(keyword)) wrong.push(`${name} ${instancePath}: ${keyword}`)
      }
    }
    expect(wrong).toEqual([])
    expect(tried).toBeGreaterThan(500)
  }, 120_000)
})
