/**
 * What a command gives back: the same result in two forms, of which one is printed.
 */
import type { Screen } from "./view/screen.js"

/** The result of a command. */
export interface CommandResult {
  /** What stdout gets where JSON is wanted: one document. */
  readonly document: unknown
  /** What a reader gets. */
  readonly view: (screen: Screen) => string
  readonly exitCode: number
  /** Given where a flag behind the id asked for JSON. */
  readonly json?: boolean | undefined
  /** True for help: it is text wherever JSON is not asked for by name. */
  readonly isHelp?: boolean | undefined
}
