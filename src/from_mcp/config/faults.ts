/**
 * Everything that is wrong with one config text, gathered so that one error can name it all.
 *
 * In: faults with the place where they stand. Out: one CONFIGURATION_ERROR, or nothing.
 * A person who mends a config wants the whole list at once, not the next fault after each mend. Values never come in here:
 * only names, pointers and what is wrong.
 */
import { CallError } from "../../error.js"

/** One thing that is wrong in a config, and where. */
export interface ConfigFault {
  /** What is wrong, in words; never holds a value of the config. */
  readonly message: string
  /** RFC 6901 pointer into the document; "" where the text is no JSON at all. */
  readonly pointer: string
  /** Both counted from 1, in UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly server?: string | undefined
  readonly variable?: string | undefined
}

/** What is known of a fault where it is found; the place is given as an offset into the text. */
export interface FaultAt {
  readonly message: string
  readonly pointer: string
  readonly offset: number
  readonly server?: string | undefined
  readonly variable?: string | undefined
}

const LISTED = 100

/** Gathers faults of one text, and throws them together. */
export class Faults {
  readonly #text: string
  readonly #file: string | undefined
  readonly #found: ConfigFault[] = []
  #count = 0

  constructor(text: string, file: string | undefined) {
    this.#text = text
    this.#file = file
  }

  add({ offset, ...fault }: FaultAt): void {
    this.#count++
    // Counting lines is work, and a text from a stranger may hold any number of faults.
    if (this.#count <= LISTED) this.#found.push({ ...fault, ...positionOf(this.#text, offset) })
  }

  /**
   * Ends the reading where anything was found.
   *
   * @throws CallError CONFIGURATION_ERROR with the first 100 faults and the number of the rest.
   */
  throwIfAny(): void {
    const [first] = this.#found
    if (first === undefined) return
    const where = this.#file ?? "config"
    const lines = this.#found.map((fault) => `${fault.line}:${fault.column}: ${sentence(fault)}`)
    if (this.#count > LISTED) lines.push(`and ${this.#count - LISTED} more`)
    const message = lines.length === 1 ? `${where}:${lines.join()}` : `${where} has ${this.#count} faults:\n  ${lines.join("\n  ")}`
    throw new CallError("CONFIGURATION_ERROR", message, {
      details: {
        ...(this.#file === undefined ? {} : { file: this.#file }),
        pointer: first.pointer,
        remedy: "mend each fault at the line and column that is given",
        faults: this.#found,
      },
    })
  }
}

function sentence({ server, message, pointer }: ConfigFault): string {
  const subject = server === undefined ? "" : `server ${quote(server)}: `
  return `${subject}${message}${pointer === "" ? "" : ` (${quoteControls(pointer)})`}`
}

/** A name of the config as it can be shown: control characters escaped, and not longer than a line. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name)
}

function quoteControls(pointer: string): string {
  return JSON.stringify(pointer).slice(1, -1)
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
