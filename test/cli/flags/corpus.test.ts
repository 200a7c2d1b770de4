/**
 * Flags of the recorded tools of real servers: each property has its own, and values that the schemas themselves state come
 * through a command line unchanged.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parseToolFlags } from "../../../src/cli/flags/parse_tool_flags.js"
import { toolFlags } from "../../../src/cli/flags/tool_flags.js"
import { flagTable, flagsToJSON } from "../../../src/cli/view/flag_view.js"
import { screenOf } from "../../../src/cli/view/screen.js"
import { hostOf, sink } from "../../fixtures/cli_host.js"
import { sharedDir } from "../../fixtures/shared.js"

interface Tool {
  name: string
  inputSchema?: { properties?: Record<string, { default?: unknown; enum?: unknown[] } | boolean> }
}

const shared = sharedDir()
const corpus = shared === undefined ? undefined : join(shared, "corpus")
const tools: [string, Tool][] =
  corpus === undefined
    ? []
    : readdirSync(corpus)
        .filter((file) => file.endsWith(".json") && file !== "calls.json")
        .flatMap((file) => (JSON.parse(readFileSync(join(corpus, file), "utf8")) as { tools: Tool[] }).tools.map((tool): [string, Tool] => [file, tool]))

/** A value as somebody would type it. */
function typed(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

describe.skipIf(shared === undefined)("the tools of real servers (needs the shared test data beside the checkout)", () => {
  test("are there", () => {
    expect(tools.length).toBeGreaterThan(1000)
  })

  test("each property has a flag of its own that is shown", () => {
    const screen = screenOf(hostOf({}), { ...sink, columns: 100 })
    for (const [at, [file, { name, inputSchema }]] of tools.entries()) {
      const flags = toolFlags(inputSchema)
      const properties = Object.keys(inputSchema?.properties ?? {})
      const listed = flagsToJSON(flags)
      expect(listed.map(({ property }) => property), `${file} ${name}`).toEqual(expect.arrayContaining(properties))
      const spellings = listed.flatMap((flag) => flag.flags)
      expect(new Set(spellings).size, `${file} ${name}`).toBe(spellings.length)
      expect(listed.filter(({ flags: own }) => own.length === 0), `${file} ${name}`).toEqual([])
      // Drawing is slow beside the rest; every twentieth tool is enough of each kind.
      if (at % 20 === 0) expect(flagTable(flags, screen).split("\n").length).toBeGreaterThanOrEqual(listed.length)
    }
  })

  test("defaults and choices come through a command line as they stand in the schema", () => {
    let values = 0
    const changed: unknown[] = []
    for (const [file, { name, inputSchema }] of tools) {
      const flags = toolFlags(inputSchema)
      for (const [property, schema] of Object.entries(inputSchema?.properties ?? {})) {
        if (typeof schema !== "object") continue
        for (const value of [...("default" in schema ? [schema.default] : []), ...(schema.enum ?? [])]) {
          values++
          const got = parseToolFlags([`--${property}=${typed(value)}`], flags, name).values.get(property)
          if (JSON.stringify(got) !== JSON.stringify(value)) changed.push([file, name, property, value, got])
        }
      }
    }
    expect(changed).toEqual([])
    expect(values).toBeGreaterThan(2000)
  })
})
