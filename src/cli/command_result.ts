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
  /** True for what is a text by its nature, help or a file: it is JSON only where that is asked for by name. */
  readonly isText?: boolean | undefined
}
