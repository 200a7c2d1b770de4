/**
 * What a model is told of an operation: name, description and parameters, with the facts for the program beside them.
 *
 * In: specs. Out: plain data without a handler. Schemas are those of the wire form, as the server wrote them.
 * An operation that no model can call costs only itself: it is left out and named in `skipped`.
 */
import { isCallError } from "../error.js"
import { operationId, specToJSON, type OperationSpec, type OperationType } from "../operation.js"
import { toolNames, type ToolNaming } from "./names.js"
import { fitted, type Provider, type ProviderForm } from "./provider.js"

/** A JSON Schema of an object, as plain JSON. */
export type ParametersSchema = Readonly<Record<string, unknown>>

/** Facts about a tool for the program that holds it; none of them is shown to a model. */
export interface ToolMetadata {
  /** The operation behind the tool. */
  readonly operationId: string
  /** The namespace of the operation: the name of its server, with what an id cannot hold written as `_`. */
  readonly server: string
  /** The name that the server gave the tool. */
  readonly tool: string
  readonly version: string
  readonly type: OperationType
  readonly title?: string | undefined
  /** Hints of the server about the tool; unverified. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
  /** The JSON Schema of the result's data; `{}` where nothing is known of it. */
  readonly outputSchema: unknown
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  /** Unique in its set, at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly name: string
  readonly description: string
  readonly parameters: ParametersSchema
  readonly metadata: ToolMetadata
  /** Where the parameters were fitted to a provider: to which one, what is different from the server's schema, and what could not be. */
  readonly fitted?: Pick<ProviderForm, "provider" | "changes" | "refused"> | undefined
}

/** An operation that is no tool, and why. */
export interface SkippedOperation {
  readonly operationId: string
  readonly reason: string
}

/** Tools in the order of their operations, and beside them the operations that cannot be tools. */
export type ToolList<T extends ToolDefinition = ToolDefinition> = readonly T[] & { readonly skipped: readonly SkippedOperation[] }

/** How a set of tools is made. */
export interface DefinitionOptions {
  /** `"short"` leaves the server's name out where the bare name is unique in the set. Default `"qualified"`. */
  readonly naming?: ToolNaming | undefined
  /** Fits the parameters to a provider; `fitted` of each definition says what is different. Default: as the server wrote them. */
  readonly provider?: Provider | undefined
}

/** The definitions of several operations: of a registry's `getAllSpecs()`, of a client's `tools`. */
export function toToolDefinitions(specs: Iterable<OperationSpec>, { naming, provider }: DefinitionOptions = {}): ToolList {
  return toToolList(specs, naming, (definition) => fitted(definition, provider).definition)
}

/** The tools of several operations, each made of its definition and spec. Of two specs with one id the first counts. */
export function toToolList<T extends ToolDefinition>(
  specs: Iterable<OperationSpec>,
  naming: ToolNaming | undefined,
  make: (definition: ToolDefinition, spec: OperationSpec) => T,
): ToolList<T> {
  const byId = new Map<string, OperationSpec>()
  for (const spec of specs) {
    const id = operationId(spec)
    if (!byId.has(id)) byId.set(id, spec)
  }
  const tools: T[] = []
  const skipped: SkippedOperation[] = []
  for (const [name, id] of toolNames(byId.keys(), naming)) {
    const spec = byId.get(id)
    if (spec === undefined) continue
    const definition = toDefinition(spec, name)
    if ("reason" in definition) skipped.push(definition)
    else tools.push(make(definition, spec))
  }
  return Object.assign(tools, { skipped })
}

/** The definition of one operation under a name, or why it is no tool. */
export function toDefinition(spec: OperationSpec, name: string): ToolDefinition | SkippedOperation {
  const id = operationId(spec)
  let schemas: { readonly inputSchema: unknown; readonly outputSchema: unknown }
  try {
    schemas = specToJSON(spec)
  } catch (error) {
    if (!isCallError(error)) throw error
    return { operationId: id, reason: error.message }
  }
  const parameters = parametersOf(schemas.inputSchema)
  if (parameters === undefined) return { operationId: id, reason: "its input is no object, and a model can give nothing else" }
  return {
    name,
    description: spec.description,
    parameters,
    metadata: {
      operationId: id,
      server: spec.namespace,
      tool: spec.name,
      version: spec.version,
      type: spec.type,
      ...(spec.title === undefined ? {} : { title: spec.title }),
      ...(spec.annotations === undefined ? {} : { annotations: spec.annotations }),
      outputSchema: schemas.outputSchema,
    },
  }
}

/** A copy, since programs that take schemas are known to change them. Undefined where an object can never fit. */
function parametersOf(schema: unknown): ParametersSchema | undefined {
  if (schema === true) return { type: "object" }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined
  if ("type" in schema && schema.type !== "object" && !(Array.isArray(schema.type) && schema.type.includes("object"))) return undefined
  // The JSON of an object is an object.
  const copy = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
  return Object.keys(copy).length === 0 ? { type: "object" } : copy
}
