/**
 * The operations of a registry, or one operation by itself, as agent tools.
 *
 * In: a registry and who calls. Out: tools whose calls go through the registry: access, validation and every middleware apply.
 * A tool keeps the id of its operation and no handler, so that one which was taken out of the registry is not run any more.
 */
import { CallError } from "../error.js"
import { matchesOperationId, operationId, validatesInput, type AnyOperation, type OperationSpec } from "../operation.js"
import { OperationRegistry, type Middleware } from "../registry.js"
import { toDefinition, toToolList, type ToolDefinition, type ToolList } from "./definition.js"
import { toolName, type ToolNaming } from "./names.js"
import { fitted, type Provider } from "./provider.js"
import { makeTool, type RunTool, type Tool, type ToolOptions } from "./tool.js"

/** Which operations become tools, and how they are called. */
export interface ToToolsOptions extends ToolOptions {
  /** Id patterns (`"files.*"`) of which one must fit, or a function that says true. Default: all that the identity may run. */
  readonly filter?: readonly string[] | ((spec: OperationSpec) => boolean) | undefined
  /** `"short"` leaves the server's name out where the bare name is unique in the set. Default `"qualified"`. */
  readonly naming?: ToolNaming | undefined
  /** Fits the parameters to a provider; `fitted` of each tool says what is different. Default: as the server wrote them. */
  readonly provider?: Provider | undefined
}

/** How one operation becomes a tool without a registry. */
export interface ToToolOptions extends ToolOptions {
  /** Put around each call; the first one is the outermost. */
  readonly middleware?: readonly Middleware[] | undefined
  /** The name that a model is told. Default: `toolName` of the operation's id. */
  readonly name?: string | undefined
  readonly provider?: Provider | undefined
}

/**
 * The tools that an identity may call at this moment, each of which runs its operation by `registry.execute`. `skipped` of the list names
 * the operations that no model can call, with the reason. A registry that changes wants new tools: `registry.onChange` tells when.
 *
 * @example
 * const tools = await toTools(registry, { identity: { id: "ada", scopes: ["files:read"] }, filter: ["files.*"] })
 * const read = await tools[0]?.call({ path: "README.md" })
 */
export async function toTools(registry: OperationRegistry, options: ToToolsOptions = {}): Promise<ToolList<Tool>> {
  const { filter, naming, provider, ...toolOptions } = options
  const visible = await registry.visibleTo(options.identity)
  return toToolList(visible.filter(filterOf(filter)), naming, (definition) => toolOf(definition, provider, registry, toolOptions))
}

/**
 * One operation as a tool, without a registry of the host. Input is checked, the declared scopes and resources are demanded of the
 * identity, and the given middleware applies. What a host's registry would add does not: its middleware, its access functions (an
 * operation that names one by `customAuth` is refused), and other operations in `context.env`.
 *
 * @throws CallError CONFIGURATION_ERROR where the operation is none that a model can call.
 */
export function toTool(operation: AnyOperation, options: ToToolOptions = {}): Tool {
  const { middleware = [], name, provider, ...toolOptions } = options
  const registry = new OperationRegistry()
  registry.register(operation)
  for (const each of middleware) registry.use(each)
  const definition = toDefinition(operation, name ?? toolName(operationId(operation)))
  if ("reason" in definition) {
    throw new CallError("CONFIGURATION_ERROR", `"${definition.operationId}" cannot be a tool: ${definition.reason}`, { details: { ...definition } })
  }
  return toolOf(definition, provider, registry, toolOptions)
}

function toolOf(plain: ToolDefinition, provider: Provider | undefined, registry: OperationRegistry, options: ToolOptions): Tool {
  const { definition, restore } = fitted(plain, provider)
  const id = definition.metadata.operationId
  const run: RunTool = async (args, context) => {
    const handler = registry.getHandler(id)
    if (handler === undefined && registry.getSpec(id) === undefined) throw removed(definition)
    // An MCP handler leaves `arguments` out for undefined; a local one takes an object, and this is the empty one.
    const nothing = handler !== undefined && validatesInput(handler) ? undefined : {}
    return registry.execute(id, args === undefined ? nothing : restore(args), context)
  }
  return makeTool(definition, run, options)
}

function removed({ name, metadata: { operationId: id } }: ToolDefinition): CallError {
  return new CallError("OPERATION_NOT_FOUND", `Tool "${name}": its operation "${id}" has been removed since the tool was made`, {
    details: { operationId: id, outcome: "not_started" },
  })
}

function filterOf(filter: ToToolsOptions["filter"]): (spec: OperationSpec) => boolean {
  if (filter === undefined) return () => true
  if (typeof filter === "function") return filter
  return (spec) => filter.some((pattern) => matchesOperationId(pattern, operationId(spec)))
}
