/**
 * `mcp-operations tools`: the operations of the servers as tool definitions, as a model provider takes them.
 *
 * In: servers by name, a format, a provider. Out: one JSON array on stdout, ready for the `tools` of a request; what was changed
 * for the provider, and what is no tool, as notes on stderr. Nothing is called.
 */
import { CallError } from "../error.js"
import type { MCPConfig } from "../from_mcp.js"
import { forProvider, toAnthropicTools, toOpenAIResponsesTools, toOpenAITools, toToolDefinitions, type Provider, type ToolDefinition, type ToolList } from "../tools.js"
import type { CommandResult } from "./command_result.js"
import { failuresUnlessAll, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import type { Host } from "./host.js"
import type { ToolFormat, ToolsOptions } from "./tool_formats.js"
import { printableJSON, printableLine } from "./view/printable.js"
import { screenOf } from "./view/screen.js"

const SHOWN_NOTES = 20

/** Prints the definitions of all operations. */
export function tools(servers: MCPConfig["servers"], { format, provider, shortNames }: ToolsOptions, host: Host): Promise<CommandResult> {
  requireMatch(format, provider)
  return withServers(servers, host, async (outcomes) => {
    const failures = failuresUnlessAll(outcomes)
    const operations = outcomes.flatMap((outcome) => (outcome.ok ? outcome.wrapper.tools : []))
    const list = toToolDefinitions(operations, { naming: shortNames ? "short" : "qualified" })
    const definitions = list.map((definition) => fittedTo(provider ?? providerOf(format), definition))
    const document = inFormat(format, definitions)
    const notes = [...failures.map(({ name, error }) => `${name}: ${error.message}`), ...notesOf(list, definitions)]
    writeNotes(notes, host)
    return { document, view: () => printableJSON(JSON.stringify(document, null, 2)), exitCode: EXIT.ok }
  })
}

function inFormat(format: ToolFormat, definitions: readonly ToolDefinition[]): unknown[] {
  switch (format) {
    case "openai":
      return toOpenAITools(definitions)
    case "openai-responses":
      return toOpenAIResponsesTools(definitions)
    case "anthropic":
      return toAnthropicTools(definitions)
    case "json":
      return [...definitions]
  }
}

/** The provider that a format is for; plain JSON is for none, and parameters stay as the server wrote them. */
function providerOf(format: ToolFormat): Provider | undefined {
  return format === "json" ? undefined : format === "anthropic" ? "anthropic" : "openai"
}

function requireMatch(format: ToolFormat, provider: Provider | undefined): void {
  const own = providerOf(format)
  if (provider === undefined || own === undefined || provider.startsWith(own)) return
  throw new CallError("CONFIGURATION_ERROR", `The format ${format} is not for the provider ${provider}`, {
    details: { remedy: `mcp-operations tools --format ${provider.startsWith("openai") ? "openai" : provider} --provider ${provider}` },
  })
}

function fittedTo(provider: Provider | undefined, definition: ToolDefinition): ToolDefinition {
  if (provider === undefined) return definition
  const { parameters, restore: _, ...fitted } = forProvider(definition.parameters, provider)
  return { ...definition, parameters, fitted }
}

function notesOf({ skipped }: ToolList, definitions: readonly ToolDefinition[]): string[] {
  const changed = definitions.flatMap(({ metadata, fitted }) => {
    const told = (words: string, { path, change }: { readonly path: string; readonly change: string }) => `${metadata.operationId}${words}${path === "" ? "/" : path}: ${change}`
    return [...(fitted?.changes ?? []).map((one) => told(" ", one)), ...(fitted?.refused ?? []).map((one) => told(" is not strict: ", one))]
  })
  return [...skipped.map(({ operationId, reason }) => `${operationId} is no tool: ${reason}`), ...changed]
}

function writeNotes(notes: readonly string[], host: Host): void {
  const { paint } = screenOf(host, host.stderr)
  const lines = notes.slice(0, SHOWN_NOTES).map((note) => `${paint.notable("note")}   ${printableLine(note)}\n`)
  const more = notes.length > SHOWN_NOTES ? [paint.faint(`       and ${String(notes.length - SHOWN_NOTES)} more; --format json names each\n`)] : []
  host.stderr.write([...lines, ...more].join(""))
}
