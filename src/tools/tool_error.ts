/**
 * The error of an agent tool whose server answered: there is a result, and agent code wants a throw all the same.
 *
 * In: the envelope and a message. Out: an Error that holds the whole answer. `message` has the server's words, which a model may
 * read; a browser gets `safeMessage`, and so does whoever writes the error as JSON.
 */
import type { ResponseEnvelope } from "../envelope.js"

const BRAND = Symbol.for("mcp-operations.ToolError")

/** Why there is a `ToolError`: the tool said that it failed, or its answer holds a block that was not to be passed on. */
export type ToolErrorReason = "failed" | "unsupported"

/**
 * Thrown for an answer that is an error (`meta.isError`) or cannot be mapped; every other failure is a `CallError`. `instanceof`
 * recognises it across copies of the package.
 */
export class ToolError extends Error {
  readonly reason: ToolErrorReason
  /** The answer, with everything that the server said. Not enumerable, so that loggers do not write it out. */
  declare readonly envelope: ResponseEnvelope
  /** For end users: names the tool and nothing that the server said. */
  readonly safeMessage: string

  constructor(reason: ToolErrorReason, message: string, envelope: ResponseEnvelope) {
    super(message)
    this.name = "ToolError"
    this.reason = reason
    this.safeMessage = `${subjectOf(envelope)} ${reason === "failed" ? "failed" : "gave a result that cannot be shown"}`
    Object.defineProperty(this, "envelope", { value: envelope })
    Object.defineProperty(this, BRAND, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isToolError(value)
  }

  /** What may be shown to anybody: the server's words are not in it. */
  toJSON(): { name: string; reason: ToolErrorReason; message: string } {
    return { name: this.name, reason: this.reason, message: this.safeMessage }
  }
}

/** True for a `ToolError` of this or of any other loaded copy of the package. */
export function isToolError(value: unknown): value is ToolError {
  return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
}

function subjectOf({ meta }: ResponseEnvelope): string {
  if (meta.source === "http") return "The tool"
  return `The tool ${JSON.stringify(meta.source === "mcp" ? meta.tool : meta.operationId)}`
}
