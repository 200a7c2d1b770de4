import { spawnSync } from "node:child_process"
import { Type, type TSchema } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { WIRE_SCHEMAS, specFromJSON, specToJSON, type OperationSpec } from "../../src/operation.js"
import { FromSchema, compile } from "../../src/schema.js"

const spec = (inputSchema: TSchema, more: Partial<OperationSpec> = {}): OperationSpec => ({
  namespace: "t",
  name: "x",
  version: "1.2.3",
  type: "query",
  description: "d",
  inputSchema,
  outputSchema: Type.Unknown(),
  ...more,
})

const tree = { type: "object", properties: { kids: { type: "array", items: { $ref: "#" } }, tag: { not: { const: "x" } } }, required: ["kids"] }

describe("specToJSON", () => {
  test("gives the members in one order, and the schemas that they came from", () => {
    const json = specToJSON(
      spec(FromSchema(tree), {
        title: "T",
        tags: ["a"],
        errorSchemas: [{ code: "E", schema: Type.Object({ n: Type.Number() }) }],
        accessControl: { requiredScopes: ["s"] },
        annotations: { readOnlyHint: true },
        trust: ["fs.*"],
        _meta: { m: 1 },
      }),
    )
    expect(JSON.stringify(json)).toBe(
      '{"name":"x","namespace":"t","version":"1.2.3","type":"query","title":"T","description":"d","tags":["a"],' +
        `"inputSchema":${JSON.stringify(tree)},"outputSchema":{},` +
        '"errorSchemas":[{"code":"E","schema":{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}}],' +
        '"accessControl":{"requiredScopes":["s"]},"annotations":{"readOnlyHint":true},"trust":["fs.*"],"_meta":{"m":1}}',
    )
  })

  test("names the dialect where it was an option", () => {
    const json = specToJSON(spec(FromSchema({ items: [{ type: "string" }] }, { dialect: "draft-07" })))
    expect(json.dialect).toEqual({ inputSchema: "draft-07" })
    expect(compile(specFromJSON(json).inputSchema)([1])).toBe(false)
  })

  test("asks an object that knows the sources of its schemas, and converts nothing", () => {
    const lazy = Object.defineProperty(
      { ...spec(Type.Unknown()), [WIRE_SCHEMAS]: { inputSchema: { type: "string" }, outputSchema: {} } },
      "inputSchema",
      {
        get: () => {
          throw new Error("converted")
        },
      },
    )
    expect(specToJSON(lazy).inputSchema).toEqual({ type: "string" })
  })

  test.each<[string, TSchema, string]>([
    ["Date", Type.Object({ at: Type.Date() }), "/inputSchema/properties/at"],
    ["BigInt", Type.Array(Type.BigInt()), "/inputSchema/items"],
    ["Function", Type.Object({ "a/b": Type.Function([], Type.Void()) }), "/inputSchema/properties/a~1b"],
    ["Transform", Type.Object({ t: Type.Transform(Type.String()).Decode((v) => v).Encode((v) => v) }), "/inputSchema/properties/t"],
    ["Undefined", Type.Union([Type.String(), Type.Undefined()]), "/inputSchema/anyOf/1"],
    ["Uint8Array", Type.Uint8Array(), "/inputSchema"],
    ["RegExp", Type.RegExp(/x/u), "/inputSchema"],
  ])("refuses %s with its pointer: such an operation is local only", (kind, schema, pointer) => {
    expect(() => specToJSON(spec(schema))).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR", details: expect.objectContaining({ pointer, kind }) as unknown }) as CallError,
    )
  })
})

describe("specFromJSON", () => {
  const values = [null, 1, "s", [], {}, { kids: [] }, { kids: [{ kids: [] }] }, { kids: [{}] }, { kids: [], tag: "x" }, { kids: [], tag: "y" }, { kids: 1 }]

  test.each<[string, TSchema]>([
    ["a converted schema", FromSchema(tree)],
    ["a converted schema inside the host's own", Type.Object({ kids: Type.Array(Type.Unknown()), tag: Type.Optional(FromSchema(tree.properties.tag)) })],
    ["a recursive TypeBox schema", Type.Recursive((This) => Type.Object({ kids: Type.Array(This) }))],
    ["unions, tuples, records", Type.Union([Type.Tuple([Type.Number()]), Type.Record(Type.String(), Type.Array(Type.Unknown())), Type.Null()])],
    ["enums and literals", Type.Union([Type.Literal("s"), Type.Literal(1)])],
  ])("rebuilds %s that accepts the same values", (_name, schema) => {
    const rebuilt = specFromJSON(JSON.parse(JSON.stringify(specToJSON(spec(schema)))))
    const before = compile(schema)
    const after = compile(rebuilt.inputSchema)
    for (const value of values) expect([value, after(value)]).toEqual([value, before(value)])
    expect(JSON.stringify(rebuilt)).toBe(JSON.stringify(specToJSON(spec(schema))))
  })

  test.each<[unknown, string]>([
    [null, ""],
    [{ ...specToJSON(spec(Type.Unknown())), type: "other" }, "/type"],
    [{ ...specToJSON(spec(Type.Unknown())), version: 1 }, "/version"],
    [{ ...specToJSON(spec(Type.Unknown())), accessControl: { requiredScopes: "all" } }, "/accessControl/requiredScopes"],
    [{ ...specToJSON(spec(Type.Unknown())), dialect: { inputSchema: "draft-99" } }, "/dialect/inputSchema"],
  ])("refuses what is no wire form, with the pointer", (json, pointer) => {
    let error: unknown
    try {
      specFromJSON(json)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR" })
    const { issues } = (error as CallError).details as { issues: { path: string }[] }
    expect(issues.map(({ path }) => path)).toContain(pointer)
  })

  test("refuses a namespace that is none", () => {
    expect(() => specFromJSON({ ...specToJSON(spec(Type.Unknown())), namespace: "a b" })).toThrow(CallError)
  })
})

test("two processes give the same bytes", () => {
  const program = `
    const { FromSchema, specToJSON, Type } = await import("mcp-operations")
    const schema = FromSchema(${JSON.stringify(tree)})
    process.stdout.write(JSON.stringify(specToJSON({ namespace: "t", name: "x", version: "1", type: "query", description: "", inputSchema: schema, outputSchema: Type.Object({ b: Type.Number(), a: Type.Recursive((T) => Type.Array(T)) }) })))
  `
  const run = () => spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  const [one, two] = [run(), run()]
  expect(one.stderr).toBe("")
  expect(one.stdout.length).toBeGreaterThan(100)
  expect(one.stdout).toBe(two.stdout)
})
