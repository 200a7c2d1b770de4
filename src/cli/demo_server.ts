/**
 * A small MCP server over stdio, a program of its own: the café that `mcp-operations demo` talks to.
 *
 * In: JSON-RPC on stdin. Out: JSON-RPC on stdout. Its four tools stand for the four kinds of answer a client meets: one that
 * fits its output schema, one that reports a failure, one that breaks its own output schema, one made of blocks.
 * The low-level server of the SDK on purpose: the high-level one refuses to send what breaks an output schema.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult, type Tool } from "@modelcontextprotocol/sdk/types.js"

/** A cup of 16 by 12 pixels. */
const CUP_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAMAgMAAAAWidUSAAAACVBMVEX/+vB4SCg8bpbl7qCJAAAAMElEQVR42mNgAANHFgYGBgFHCIeBa9UqBgbO0LAVIIIDxAUTKxiYVq2AKtFataoBAOdECsvfo9aJAAAAAElFTkSuQmCC"

const PRICES: ReadonlyMap<string, number> = new Map([
  ["espresso", 2.5],
  ["cappuccino", 3.5],
  ["tea", 3],
])

const TOOLS: Tool[] = [
  {
    name: "price_order",
    title: "Price an order",
    description: "What an order costs.",
    inputSchema: {
      type: "object",
      properties: {
        drink: { enum: [...PRICES.keys()], description: "What to drink" },
        cups: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "How many cups" },
      },
      required: ["drink"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { drink: { type: "string" }, cups: { type: "integer" }, total: { type: "number" } },
      required: ["drink", "cups", "total"],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: "reserve_table",
    title: "Reserve a table",
    description: "Reserves a table for this evening.",
    inputSchema: {
      type: "object",
      properties: {
        guests: { type: "integer", minimum: 1, description: "How many guests" },
        time: { type: "string", description: 'When, as "19:00"' },
      },
      required: ["guests", "time"],
    },
    outputSchema: { type: "object", properties: { table: { type: "integer" } }, required: ["table"] },
  },
  {
    name: "check_stock",
    title: "Check the stock",
    description: "How much of an ingredient is left.",
    inputSchema: {
      type: "object",
      properties: { item: { type: "string", description: "Which ingredient" } },
      required: ["item"],
    },
    outputSchema: {
      type: "object",
      properties: { item: { type: "string" }, grams: { type: "integer" }, reorder: { type: "boolean", default: false } },
      required: ["item", "grams", "reorder"],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: "show_menu",
    title: "Show the menu",
    description: "The menu of the day as a picture and as a text file.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
]

// Deprecated in favour of McpServer for common uses; this one is the use that it is kept for.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const server = new Server({ name: "demo-cafe", version: "1.0.0" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params.name, params.arguments ?? {}))
await server.connect(new StdioServerTransport())

function answer(tool: string, input: Record<string, unknown>): CallToolResult {
  switch (tool) {
    case "price_order":
      return priceOrder(input)
    case "reserve_table":
      return {
        isError: true,
        content: [{ type: "text", text: "No table is free at that time." }],
        structuredContent: { free: ["18:00", "21:00"] },
      }
    case "check_stock":
      // Not what its output schema says: grams is a text, reorder is missing.
      return {
        content: [{ type: "text", text: "About 1200 grams are left." }],
        structuredContent: { item: String(input["item"]), grams: "about 1200" },
      }
    case "show_menu":
      return {
        content: [
          { type: "image", data: CUP_PNG, mimeType: "image/png" },
          { type: "resource", resource: { uri: "cafe://menu/today", mimeType: "text/markdown", text: menu() } },
        ],
      }
    default:
      return { isError: true, content: [{ type: "text", text: `There is no tool "${tool}".` }] }
  }
}

function priceOrder(input: Record<string, unknown>): CallToolResult {
  const drink = String(input["drink"])
  const cups = typeof input["cups"] === "number" ? input["cups"] : 1
  const order = { drink, cups, total: cups * (PRICES.get(drink) ?? 0) }
  return { content: [{ type: "text", text: JSON.stringify(order) }], structuredContent: order }
}

function menu(): string {
  return [...PRICES].map(([drink, price]) => `- ${drink}: ${price.toFixed(2)}`).join("\n")
}
