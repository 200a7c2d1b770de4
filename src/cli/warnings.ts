/**
 * What servers warn about while a command runs, for stderr.
 *
 * In: warnings of the clients. Out: lines, at most a few of a kind: a server that prints its log on the wrong stream would
 * bury the result otherwise. Warnings about single tools are left to the commands that show tools.
 */
import type { MCPWarning } from "../from_mcp.js"
import { printableLine } from "./view/printable.js"
import type { Paint } from "./view/screen.js"

const SHOWN_OF_A_KIND = 3
const ABOUT_TOOLS: readonly MCPWarning["kind"][] = ["tool", "schema"]

/** Collects warnings until they are shown. */
export class Warnings {
  readonly #byKind = new Map<string, { readonly shown: MCPWarning[]; total: number }>()

  /** Takes a warning; bound, so that it can be handed on. */
  readonly add = (warning: MCPWarning): void => {
    if (ABOUT_TOOLS.includes(warning.kind)) return
    const key = `${warning.server} ${warning.kind}`
    const known = this.#byKind.get(key) ?? { shown: [], total: 0 }
    this.#byKind.set(key, known)
    known.total++
    if (known.shown.length < SHOWN_OF_A_KIND) known.shown.push(warning)
  }

  /** The warnings as lines for stderr, with a line break at the end; empty where there were none. */
  text({ notable, faint }: Paint): string {
    return [...this.#byKind.values()]
      .flatMap(({ shown, total }) => [
        ...shown.map(({ server, message }) => `${notable("note")}   ${printableLine(server)}: ${printableLine(message)}\n`),
        ...(total > shown.length ? [faint(`       and ${String(total - shown.length)} more of this kind\n`)] : []),
      ])
      .join("")
  }
}
