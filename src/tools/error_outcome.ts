/**
 * What a model reads of a call that threw.
 *
 * In: what was caught. Out: a text that is marked as an error. Only errors of this library speak for themselves: what else is thrown may
 * hold anything.
 */
import { isCallError } from "../error.js"
import { isToolError } from "./tool_error.js"

/**
 * The outcome of a call that threw, for agents whose loop the host writes: the words of a ToolError or CallError, else that the tool
 * failed.
 *
 * @example
 * const outcome = await tool.callWithEnvelope(args).catch(errorOutcome)
 * messages.push(toAnthropicResult(toolUseId, outcome))
 */
export function errorOutcome(error: unknown): { readonly result: string; readonly isError: true } {
  return { result: `Error: ${isToolError(error) || isCallError(error) ? error.message : "the tool failed"}`, isError: true }
}
