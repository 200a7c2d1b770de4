/**
 * One operation as the registry holds it: its spec, its handler, and what is worked out once for all its calls.
 *
 * Schemas are read when the first call needs them: registering a thousand operations converts none.
 */
import { Kind } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { collectErrors, compile, type SchemaIssue } from "../schema.js"
import { validatesInput, type AnyOperation, type OperationSpec } from "../operation.js"

/** A handler as the registry calls it. */
export type AnyHandler = AnyOperation["handler"]

/** An operation in a registry. A change makes a new one, so that calls in flight keep what they began with. */
export class Registered {
  readonly id: string
  readonly spec: OperationSpec
  readonly handler: AnyHandler | undefined
  /** True where any other registration of the id takes its place. */
  readonly yields: boolean
  readonly declaredCodes: readonly string[]
  readonly #checksInput: boolean
  #input: ((value: unknown) => boolean) | undefined
  #output: ((value: unknown) => boolean) | null | undefined

  constructor(id: string, spec: OperationSpec, handler: AnyHandler | undefined, yields = false) {
    this.id = id
    this.spec = spec
    this.handler = handler
    this.yields = yields
    this.#checksInput = handler !== undefined && !validatesInput(handler)
    this.declaredCodes = spec.errorSchemas?.map((error) => error.code) ?? []
  }

  /**
   * Checks the input, unless the handler says that it does so itself.
   *
   * @throws CallError VALIDATION_ERROR with every issue; nothing has been started then.
   */
  validateInput(input: unknown): void {
    if (!this.#checksInput) return
    this.#input ??= compile(this.spec.inputSchema)
    if (this.#input(input)) return
    const issues = collectErrors(this.spec.inputSchema, input)
    throw new CallError("VALIDATION_ERROR", `The input of "${this.id}" does not fit: ${listIssues(issues)}`, {
      details: { operationId: this.id, issues, outcome: "not_started" },
    })
  }

  /**
   * Checks the plain result of a local handler against its own output schema.
   *
   * @throws CallError EXECUTION_ERROR with every issue: the handler broke its word.
   */
  validateOutput(output: unknown): void {
    this.#output ??= takesAnything(this.spec) ? null : compile(this.spec.outputSchema)
    if (this.#output === null || this.#output(output)) return
    // A handler that returns nothing answers null on every road.
    if (output === undefined && this.#output(null)) return
    const issues = collectErrors(this.spec.outputSchema, output)
    throw new CallError("EXECUTION_ERROR", `The result of "${this.id}" does not fit its output schema: ${listIssues(issues)}`, {
      details: { operationId: this.id, issues, outcome: "unknown" },
    })
  }
}

function takesAnything({ outputSchema }: OperationSpec): boolean {
  const kind = outputSchema[Kind]
  return kind === "Unknown" || kind === "Any"
}

function listIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path === "" ? "the whole" : path}: ${message}`)
  return shown.join("; ") + (issues.length > 5 ? `; and ${String(issues.length - 5)} more` : "")
}
