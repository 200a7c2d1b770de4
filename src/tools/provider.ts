/**
 * What a model provider refuses in parameters, taken out, with a word on each change.
 *
 * In: the parameters as the server wrote them. Out: parameters that the provider takes, the list of what is different, and the way
 * from the model's arguments back to what the server expects. Nothing changes that the provider would have taken.
 * The provider's answer to one wrong schema is to refuse the whole request, and with it every other tool.
 */
import { completeTypes } from "./complete_types.js"
import type { ParametersSchema, ToolDefinition } from "./definition.js"
import { safeKeys } from "./property_keys.js"
import { rootObject } from "./root_object.js"
import { strictSchema } from "./strict_schema.js"
import { withoutNulls } from "./without_nulls.js"

/**
 * Whose rules parameters keep to: `"openai"` and `"anthropic"` want an object at the root without `anyOf`, `oneOf`, `allOf`;
 * Anthropic also names of properties in `[A-Za-z0-9_.-]{1,64}`. `"openai-strict"` is the strict mode of OpenAI.
 */
export type Provider = "openai" | "openai-strict" | "anthropic"

/** One difference between the schema that the server wrote and the one that goes out. */
export interface ProviderChange {
  /** RFC 6901 pointer into the server's schema. */
  readonly path: string
  readonly change: string
}

/** Parameters for one provider. */
export interface ProviderForm {
  readonly provider: Provider
  readonly parameters: ParametersSchema
  readonly changes: readonly ProviderChange[]
  /** Why the strict form of OpenAI cannot be had; the parameters are those of `"openai"` then. Empty everywhere else. */
  readonly refused: readonly ProviderChange[]
  /** The arguments that the server expects, for those that a model gave. */
  readonly restore: (args: ParametersSchema) => ParametersSchema
}

/** Notes a change. */
export type Report = (path: string, change: string) => void

/** Parameters that the provider takes. The schema that comes in is left as it is. */
export function forProvider(parameters: ParametersSchema, provider: Provider): ProviderForm {
  const changes: ProviderChange[] = []
  const report: Report = (path, change) => {
    changes.push({ path, change })
  }
  const root = rootObject(parameters, report)
  if (provider === "openai-strict") return strictForm(root, changes, report)
  if (provider === "openai") return { provider, parameters: completeTypes(root, report), changes, refused: [], restore: (args) => args }
  const { schema, restore } = safeKeys(root, report)
  return { provider, parameters: schema, changes, refused: [], restore }
}

function strictForm(root: ParametersSchema, changes: ProviderChange[], report: Report): ProviderForm {
  const ofRoot = [...changes]
  const strict = strictSchema(root, report)
  if ("schema" in strict) {
    // What is an object stays one.
    const restore = (args: ParametersSchema) => withoutNulls(args, root, root) as ParametersSchema
    return { provider: "openai-strict", parameters: strict.schema, changes, refused: [], restore }
  }
  const loose = completeTypes(root, (path, change) => ofRoot.push({ path, change }))
  return { provider: "openai-strict", parameters: loose, changes: ofRoot, refused: strict.refused, restore: (args) => args }
}

/** A definition whose parameters keep to a provider, and the way back for its arguments. Without a provider nothing changes. */
export function fitted(definition: ToolDefinition, provider: Provider | undefined): { definition: ToolDefinition; restore: ProviderForm["restore"] } {
  if (provider === undefined) return { definition, restore: (args) => args }
  const { parameters, changes, refused, restore } = forProvider(definition.parameters, provider)
  return { definition: { ...definition, parameters, fitted: { provider, changes, refused } }, restore }
}

/** True for a definition whose parameters keep to the strict mode of OpenAI. */
export function isStrict({ fitted: form }: ToolDefinition): boolean {
  return form?.provider === "openai-strict" && form.refused.length === 0
}
