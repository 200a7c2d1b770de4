/**
 * The words behind `--format` and `--provider`, apart from what is done with them: the help names them before anything is loaded.
 */
import type { Provider } from "../tools.js"

/** The formats, in the order of the help. */
export const TOOL_FORMATS = ["json", "openai", "openai-responses", "anthropic"] as const

/** A format of `TOOL_FORMATS`. */
export type ToolFormat = (typeof TOOL_FORMATS)[number]

/** The providers whose rules parameters can be fitted to. */
export const PROVIDERS: readonly Provider[] = ["openai", "openai-strict", "anthropic"]

/** What is printed. */
export interface ToolsOptions {
  readonly format: ToolFormat
  readonly provider: Provider | undefined
  readonly shortNames: boolean
}
