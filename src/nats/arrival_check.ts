/**
 * Looks at what workers answer before callers see it: data that is said to fit its schema must fit the schema that the mirror knows.
 *
 * In: a transport, and the definitions. Out: the same transport, whose answers are marked where they break their word. Nothing is thrown
 * away: a misfit arrives as `invalid` with its issues, as if the MCP server itself had not kept to its schema.
 * Errors get the name of the worker that gave them, by which it is known that they came from one.
 */
import type { CallAnswer, CallRequested, CallTransport, OpenCall } from "../call.js"
import { isResponseEnvelope, type ResponseEnvelope } from "../envelope.js"
import { clipIssues, collectErrors, compile, type SchemaCheck, type SchemaIssue } from "../schema.js"
import type { OperationSpec } from "../operation.js"
import type { Definition } from "./mirrored_definitions.js"

/** What the check wants to know, and whom it tells. */
export interface ArrivalCheckOptions {
  readonly definitionOf: (operationId: string) => Definition | undefined
  /** The worker that the call which is being opened goes to, where it goes to one. */
  readonly routedTo: () => string | undefined
  readonly onMisfit: (worker: string, operationId: string, issues: readonly SchemaIssue[]) => void
}

/** A transport whose answers are looked at. */
export class ArrivalCheck implements CallTransport {
  /** How many calls were given to the transport: one that did not get so far was refused here. */
  opened = 0
  readonly #inner: CallTransport
  readonly #options: ArrivalCheckOptions
  #lastAnswer: { readonly requestId: string; readonly worker: string } | undefined

  constructor(inner: CallTransport, options: ArrivalCheckOptions) {
    this.#inner = inner
    this.#options = options
  }

  get status(): "up" | "down" {
    return this.#inner.status
  }

  /** Who gave the answer that comes next: what the transport tells before it hands the answer on. */
  answered(requestId: string, worker: string): void {
    this.#lastAnswer = { requestId, worker }
  }

  open(request: CallRequested, sink: (event: CallAnswer) => void): OpenCall {
    this.opened++
    const { operationId, requestId } = request
    const { definitionOf, routedTo, onMisfit } = this.#options
    const definition = definitionOf(operationId)
    let worker: string | undefined
    const open = this.#inner.open(request, (event) => {
      const last = this.#lastAnswer
      if (last?.requestId === requestId) {
        worker = last.worker
        this.#lastAnswer = undefined
      }
      let given = event
      if (event.type === "call.responded" && definition !== undefined) {
        definition.proven = true
        const checked = check(event.output, definition.operation)
        if (checked !== undefined) {
          given = { ...event, output: checked.output }
          if (checked.issues.length > 0) onMisfit(worker ?? "", operationId, checked.issues)
        }
      } else if (event.type === "call.error" && worker !== undefined) given = { ...event, details: { ...event.details, worker } }
      sink(given)
    })
    // Only now is it known where the transport has sent it; a worker that answers says its own name.
    worker ??= routedTo()
    return open
  }

  serve(): never {
    throw new TypeError("a mirror serves nothing")
  }

  onStatus(listener: (status: "up" | "down") => void): () => void {
    return this.#inner.onStatus(listener)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}

const checks = new WeakMap<OperationSpec, SchemaCheck | "none">()

/** Undefined where the answer keeps its word, or gave none. */
function check(output: unknown, spec: OperationSpec): { readonly output: unknown; readonly issues: readonly SchemaIssue[] } | undefined {
  if (!isResponseEnvelope(output)) return { output, issues: [{ path: "", keyword: "envelope", message: "the answer is no response envelope" }] }
  const { data, meta } = output
  if (meta.source !== "mcp" || (meta.conformance !== "exact" && meta.conformance !== "cast")) return undefined
  const fits = checkOf(spec)
  if (fits === "none") return { output: { data, meta: { ...meta, unchecked: [""] } } satisfies ResponseEnvelope, issues: [] }
  if (fits(data)) return undefined
  const reduced = (meta.reduced ?? []).map(({ path }) => path)
  const issues = collectErrors(spec.outputSchema, data).filter(({ path }) => !reduced.some((place) => explains(place, path)))
  if (issues.length === 0) return undefined
  return { output: { data, meta: { ...meta, conformance: "invalid", ...clipIssues(issues) } } satisfies ResponseEnvelope, issues }
}

function checkOf(spec: OperationSpec): SchemaCheck | "none" {
  let known = checks.get(spec)
  if (known === undefined) {
    try {
      known = compile(spec.outputSchema)
    } catch {
      known = "none"
    }
    checks.set(spec, known)
  }
  return known
}

/**
 * What a middleware of the worker's host took out may not fit, and is named in `reduced` already (as a pointer into the envelope): it
 * explains what is wrong in that place, below it, and above it where something is missing.
 */
function explains(place: string, path: string): boolean {
  const inEnvelope = `/data${path}`
  return place === "" || isWithin(inEnvelope, place) || isWithin(place, inEnvelope)
}

function isWithin(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`)
}
