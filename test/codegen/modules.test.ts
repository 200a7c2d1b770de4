import { describe, expect, test } from "vitest"
import { generateModules, type GenerateOptions } from "../../src/codegen.js"
import { specFromJSON } from "../../src/operation.js"

interface ToolLike {
  readonly name: string
  readonly namespace?: string
  readonly description?: string
  readonly title?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

function operation({ name, namespace = "shop", description = "", title, inputSchema = { type: "object" }, outputSchema = {} }: ToolLike) {
  return specFromJSON({ name, namespace, version: "1", type: "mutation", description, ...(title === undefined ? {} : { title }), inputSchema, outputSchema })
}

function text(tools: readonly ToolLike[], options: GenerateOptions = {}): string {
  return generateModules(tools.map(operation), { header: "", ...options })[0]?.text ?? ""
}

/** The type that stands behind `export type Name =`. */
function typeOf(schema: unknown, name = "TInput"): string {
  const module = text([{ name: "t", inputSchema: schema }], { target: "types" })
  const start = module.indexOf(`export type ${name} = `)
  return module.slice(start + `export type ${name} = `.length, module.indexOf("\n\n", start))
}

test("a module is what a person would have written", () => {
  const tools = [
    {
      name: "place-order",
      title: "Place an order",
      description: "Orders something.\nPays later.",
      inputSchema: {
        type: "object",
        properties: { drink: { enum: ["tea", "coffee"], description: "What to drink" }, cups: { type: "integer", minimum: 1 }, note: { type: ["string", "null"] } },
        required: ["drink"],
        additionalProperties: false,
      },
      outputSchema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
    },
    { name: "menu" },
  ]
  expect(text(tools, { header: "from the shop" })).toBe(`// from the shop

import { Type, callerOf, type MCPContentBlock, type OperationContext, type OperationSource, type ResponseEnvelope } from "mcp-operations"

/** The input of \`shop.menu\`. */
export type MenuInput = { [key: string]: unknown }
export const MenuInput = Type.Object({})

/** The input of \`shop.place-order\`. */
export type PlaceOrderInput = {
  /** What to drink */
  drink: "tea" | "coffee"
  cups?: number
  note?: string | null
}
export const PlaceOrderInput = Type.Object({
  drink: Type.Union([Type.Literal("tea"), Type.Literal("coffee")], { description: "What to drink" }),
  cups: Type.Optional(Type.Integer({ minimum: 1 })),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
}, { additionalProperties: false })

/** The output of \`shop.place-order\`. */
export type PlaceOrderOutput = { total: number }
export const PlaceOrderOutput = Type.Object({ total: Type.Number() })

/** The operations of server \`shop\`. */
export interface Shop {
  menu(input?: MenuInput, context?: OperationContext): Promise<ResponseEnvelope<MCPContentBlock[]>>
  /**
   * Place an order
   *
   * Orders something.
   * Pays later.
   */
  placeOrder(input: PlaceOrderInput, context?: OperationContext): Promise<ResponseEnvelope<PlaceOrderOutput>>
}

/** The operations of server \`shop\`, called through a registry, an environment of one, or a connected client. */
export function createShop(source: OperationSource): Shop {
  const call = callerOf(source)
  return {
    menu: (input, context) => call("shop.menu", input, context),
    placeOrder: (input, context) => call("shop.place-order", input, context),
  }
}
`)
})

test("types alone need no import", () => {
  expect(text([{ name: "t", inputSchema: { type: "object", properties: { a: { type: "string" } } } }], { target: "types" })).toBe(`/** The input of \`shop.t\`. */
export type TInput = { a?: string }

/** The inputs and outputs of the operations of server \`shop\`, by their ids. */
export interface Shop {
  "shop.t": { input: TInput; output: unknown }
}
`)
})

describe("the type of", () => {
  test.each<[string, unknown, string]>([
    ["a record", { type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
    ["a closed object without members", { type: "object", additionalProperties: false }, "{ [key: string]: never }"],
    ["an object with typed further members", { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: { type: "number" } }, "{ a: string; [key: string]: number | string }"],
    ["an object with any further members", { type: "object", properties: { a: { type: "string" } }, additionalProperties: true }, "{ a?: string; [key: string]: unknown }"],
    ["a list of a union", { type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    ["a tuple of 2020-12", { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false, minItems: 2 }, "[number, string]"],
    ["a tuple of draft-07", { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false, minItems: 2 }, "[number, string]"],
    ["an open tuple", { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, "[string?, ...number[]]"],
    ["a choice without a type", { enum: ["a", 1, null] }, `"a" | 1 | null`],
    ["a choice that its type narrows", { type: "string", enum: ["a", 1] }, `"a"`],
    ["constants in alternatives", { anyOf: [{ const: "json" }, { const: "markdown" }] }, `"json" | "markdown"`],
    ["parts of an object", { allOf: [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, { type: "object", properties: { b: { type: "number" } } }] }, "{ a: string } & { b?: number }"],
    ["parts without a type", { type: "object", allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }] }, "{ [key: string]: unknown } & { a: string } & { b?: number }"],
    ["an object that is one of two", { type: "object", oneOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, { properties: { b: { const: 2 } }, required: ["b"] }] }, "{ [key: string]: unknown } & ({ a: 1 } | { b: 2 })"],
    ["a required name that nobody declares", { type: "object", required: ["a"] }, "{ a: unknown }"],
    ["names of any kind", { type: "object", properties: { "foo-bar": { type: "string" }, "1abc": { type: "null" }, class: { type: "string" }, "": {}, 'a"b': {} } }, `{\n  "foo-bar"?: string\n  "1abc"?: null\n  class?: string\n  ""?: unknown\n  "a\\"b"?: unknown\n}`],
    ["what types cannot say", { not: { type: "string" } }, "unknown"],
    ["nothing at all", false, "never"],
    ["everything", true, "unknown"],
  ])("%s", (_, schema, expected) => expect(typeOf(schema)).toBe(expected))

  test("a recursion is a name in its own text", () => {
    const tree = { type: "object", properties: { root: { $ref: "#/$defs/node" } }, $defs: { node: { type: "object", properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } }, required: ["value"] } } }
    expect(typeOf(tree)).toBe("{ root?: TInputNode }\nexport type TInputNode = { value: string; children?: TInputNode[] }")
    expect(typeOf({ type: "object", properties: { self: { $ref: "#" } } })).toBe("{ self?: TInput }")
  })

  test.each<[string, unknown, string]>([
    ["itself", { $ref: "#" }, "unknown"],
    ["each other", { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "string" }] }, b: { anyOf: [{ $ref: "#/$defs/a" }, { type: "number" }] } } }, "TInputA\nexport type TInputA = TInputB | string\nexport type TInputB = unknown"],
    ["nothing", { $ref: "#/$defs/gone" }, "unknown"],
  ])("a reference to %s is wide, not a circle", (_, schema, expected) => expect(typeOf(schema)).toBe(expected))

  test("a schema that is five hundred deep ends in unknown", () => {
    let schema: object = { type: "string" }
    for (let level = 0; level < 500; level++) schema = { type: "object", properties: { a: schema }, required: ["a"] }
    expect(typeOf(schema)).toContain("a: unknown")
  })
})

describe("names", () => {
  const methods = (names: string[], options: GenerateOptions = {}) =>
    [...text(names.map((name) => ({ name })), options).matchAll(/^ {4}(\S+): \(input, context\) => call\("shop\.(.*?)"/gm)].map(([, method, name]) => [name, method])

  test("that become one are told apart by their own spelling, whatever the order", () => {
    const found = methods(["get_user", "getUser", "get-user"])
    // The digits begin the SHA-256 of the name.
    expect(found).toEqual([["get-user", "getUser_5d95c2"], ["getUser", "getUser"], ["get_user", "getUser_bf1e2a"]])
    expect(methods(["get-user", "get_user", "getUser"])).toEqual(found)
  })

  test.each([
    ["delete", "delete"],
    ["HTTPRequest", "httpRequest"],
    ["list_all-Things", "listAllThings"],
    ["2fa", "_2fa"],
    ["default", "default"],
  ])("%s becomes %s", (name, method) => expect(methods([name])).toEqual([[name, method]]))

  test("are kept where that is asked for", () => expect(methods(["get-user"], { names: "as-is" })).toEqual([["get-user", `"get-user"`]]))
})

describe("files", () => {
  const tools = [operation({ name: "b" }), operation({ name: "a" }), operation({ name: "a", namespace: "other-shop" })]

  test("are one a server, the same whatever the order of discovery", () => {
    const files = generateModules(tools)
    expect(files.map(({ name }) => name)).toEqual(["other_shop.ts", "shop.ts"])
    expect(generateModules([...tools].reverse())).toEqual(files)
  })

  test("or one for all, with types named after their server", () => {
    const [file, ...others] = generateModules(tools, { oneFile: "operations.ts" })
    expect(others).toEqual([])
    expect(file?.name).toBe("operations.ts")
    for (const part of ["export type OtherShopAInput", "export type ShopAInput", "export function createOtherShop", "export function createShop"]) expect(file?.text).toContain(part)
    expect(file?.text.match(/^import /gm)).toHaveLength(1)
  })
})
