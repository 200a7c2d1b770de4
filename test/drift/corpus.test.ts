/**
 * Schemas of real servers, compared with changed copies of themselves.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { compareSchemas } from "../../src/drift.js"
import { sharedDir } from "../fixtures/shared.js"

type Members = Record<string, unknown>

const shared = sharedDir()

function schemas(): Members[] {
  const folder = join(shared ?? "", "corpus")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && name !== "calls.json")
    .flatMap((name) => {
      // What the corpus' README says of its files.
      const { tools } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { tools: { inputSchema: Members }[] }
      return tools.filter((_, index) => index % 12 === 0).map(({ inputSchema }) => inputSchema)
    })
}

describe.skipIf(shared === undefined)("schemas of real servers (skipped without the shared test data)", () => {
  const all = shared === undefined ? [] : schemas().filter(({ properties }) => Object.keys(properties ?? {}).length > 0)

  test("are equal to themselves with other words and members in another order", () => {
    const other = (schema: Members) => Object.fromEntries(Object.entries({ ...schema, description: "other", title: "other" }).reverse())
    expect(all.length).toBeGreaterThan(150)
    expect(all.filter((schema) => compareSchemas(schema, other(schema)).relation !== "equal")).toEqual([])
  })

  test("take more with a new property, and less without one that was there", () => {
    const wrong: unknown[] = []
    for (const schema of all) {
      const properties = schema.properties as Members // Filtered above.
      const more = { ...schema, properties: { ...properties, "brand-new": { type: "string" } } }
      const relations = [compareSchemas(schema, more).relation, compareSchemas(more, schema).relation]
      if (relations.join() !== "widened,narrowed") wrong.push({ schema, relations })
    }
    expect(wrong).toEqual([])
  })

  test("take less when a property becomes required", () => {
    const wrong: unknown[] = []
    for (const schema of all) {
      const required = (schema.required ?? []) as string[] // As the specification says.
      const name = Object.keys(schema.properties as Members).find((key) => !required.includes(key))
      if (name === undefined) continue
      const { relation } = compareSchemas(schema, { ...schema, required: [...required, name] })
      if (relation !== "narrowed") wrong.push({ schema, name, relation })
    }
    expect(wrong).toEqual([])
  })
})

test("schemas that double at every step are compared at once", () => {
  const doubling = (last: string) => ({
    $ref: "#/$defs/l0",
    $defs: { ...Object.fromEntries(Array.from({ length: 60 }, (_, level) => [`l${level}`, { anyOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] }])), l60: { type: last } },
  })
  const began = process.cpuUsage()
  expect(compareSchemas(doubling("string"), doubling("number")).relation).toBe("changed")
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
})
