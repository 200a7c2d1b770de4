/**
 * The home of operations: specs and handlers by id, who may call them, and the one way to call them.
 *
 * In: operations, middleware, the host's own access functions. Out: envelopes. Holds no connection and knows no transport.
 * Entries stand in a Map, so that an operation named like a member of Object.prototype is only ever itself.
 */
import type { Static, TSchema } from "@sinclair/typebox"
import type { ResponseEnvelope } from "../envelope.js"
import { CallError } from "../error.js"
import { matchesOperationId, operationId, type AnyOperation, type Identity, type Operation, type OperationContext, type OperationSpec } from "../operation.js"
import { checkAccess } from "./access.js"
import type { CallContext } from "./call_context.js"
import type { Middleware } from "./middleware_chain.js"
import { nearestIds } from "./nearest_ids.js"
import { operationEnv, type CallTarget } from "./operation_env.js"
import { Registered, type AnyHandler } from "./registered.js"
import { runCall, type CallRules, type CustomAuth } from "./run_call.js"
import { runSubscription } from "./run_subscription.js"

/** What a registry is made with; everything has a default. */
export interface RegistryOptions {
  /** The host's own access functions, by the names that `accessControl.customAuth` uses. */
  readonly customAuth?: Readonly<Record<string, CustomAuth>> | undefined
  /** Which operations may call which others on their own account: operation id -> id patterns. Both sides must say so, see `trust` of the spec. */
  readonly grantTrust?: Readonly<Record<string, readonly string[]>> | undefined
  /** `"check"` refuses results of local handlers that JSON would change. Default: `"check"` where NODE_ENV is `test`, else `"off"`. */
  readonly json?: "check" | "off" | undefined
  /** The longest duration of a call that names none, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
}

/** What changed in a registry. */
export interface RegistryChange {
  readonly added: readonly OperationSpec[]
  readonly removed: readonly OperationSpec[]
  readonly changed: readonly { readonly before: OperationSpec; readonly after: OperationSpec }[]
}

/**
 * `replace: true` lets a registration take the place of one with the same id. `yields: true` lets any other take its own place: what
 * stands in for an operation elsewhere gives way to one that is here.
 */
export interface RegisterOptions {
  readonly replace?: boolean | undefined
  readonly yields?: boolean | undefined
}

/** Holds operations, decides access, runs calls. */
export class OperationRegistry implements CallTarget {
  readonly #entries = new Map<string, Registered>()
  readonly #listeners = new Set<(change: RegistryChange) => void>()
  readonly #grants: ReadonlyMap<string, readonly string[]>
  #rules: CallRules

  constructor(options: RegistryOptions = {}) {
    this.#grants = new Map(Object.entries(options.grantTrust ?? {}))
    this.#rules = {
      customAuth: new Map(Object.entries(options.customAuth ?? {})),
      middleware: [],
      checkJSON: (options.json ?? defaultJSONMode()) === "check",
      timeoutMs: options.timeoutMs ?? 60_000,
      envFor: (registered, context) => this.#envFor(registered, context),
    }
  }

  /**
   * Registers an operation.
   *
   * @throws CallError CONFIGURATION_ERROR where the id is taken and `replace` is not set, or is no id.
   */
  register(operation: AnyOperation, options?: RegisterOptions): void {
    this.registerAll([operation], options)
  }

  /** Registers several operations as one change, or none of them. @throws CallError CONFIGURATION_ERROR as `register` */
  registerAll(operations: Iterable<AnyOperation>, { replace = false, yields = false }: RegisterOptions = {}): void {
    const entries = new Map<string, Registered>()
    for (const operation of operations) {
      const id = operationId(operation)
      if (typeof operation.handler !== "function") throw new CallError("CONFIGURATION_ERROR", `The handler of "${id}" is no function`)
      if (!replace && (entries.has(id) || !this.isFree(id))) throw taken(id)
      entries.set(id, new Registered(id, operation, operation.handler, yields))
    }
    this.#put(entries.values())
  }

  /** Registers a spec whose handler comes later, or runs elsewhere. @throws CallError CONFIGURATION_ERROR as `register` */
  registerSpec(spec: OperationSpec, { replace = false, yields = false }: RegisterOptions = {}): void {
    const id = operationId(spec)
    if (!replace && !this.isFree(id)) throw taken(id)
    const known = this.#entries.get(id)
    this.#put([new Registered(id, spec, known?.yields === true ? undefined : known?.handler, yields)])
  }

  /** Gives a registered spec its handler. @throws CallError OPERATION_NOT_FOUND without the spec, CONFIGURATION_ERROR where it has a handler */
  registerHandler(id: string, handler: AnyHandler, { replace = false }: RegisterOptions = {}): void {
    const known = this.#lookUp(id)
    if (typeof handler !== "function") throw new CallError("CONFIGURATION_ERROR", `The handler of "${id}" is no function`)
    if (known.handler !== undefined && !replace) throw taken(id)
    this.#entries.set(id, new Registered(id, known.spec, handler, known.yields))
  }

  /** Takes an operation out; false where there was none. Calls in flight go on. */
  unregister(id: string): boolean {
    const known = this.#entries.get(id)
    if (known === undefined) return false
    this.#entries.delete(id)
    this.#tell({ added: [], removed: [known.spec], changed: [] })
    return true
  }

  /**
   * Puts operations in the place of others in one change: what an adapter does when its source changed. Those of `before` that
   * are not among the new ones go.
   *
   * @throws CallError CONFIGURATION_ERROR, with nothing changed, where a new id is taken by an operation that is not among `before`.
   */
  replaceAll(before: Iterable<string>, operations: Iterable<AnyOperation>, { yields = false }: Pick<RegisterOptions, "yields"> = {}): void {
    const own = new Set(before)
    const entries = new Map<string, Registered>()
    for (const operation of operations) {
      const id = operationId(operation)
      if (entries.has(id) || !(own.has(id) || this.isFree(id))) throw taken(id)
      const known = this.#entries.get(id)
      entries.set(id, known?.spec === operation ? known : new Registered(id, operation, operation.handler, yields))
    }
    const gone: OperationSpec[] = []
    for (const id of own) {
      const known = this.#entries.get(id)
      if (known === undefined || entries.has(id)) continue
      this.#entries.delete(id)
      gone.push(known.spec)
    }
    this.#put(entries.values(), gone)
  }

  /** True where an operation of that id can be registered: nothing has it, or what has it yields. */
  isFree(id: string): boolean {
    return this.#entries.get(id)?.yields !== false
  }

  /** The operation with its handler; undefined where there is none, or no handler. */
  get(id: string): AnyOperation | undefined {
    const known = this.#entries.get(id)
    if (known?.handler === undefined) return undefined
    if ("handler" in known.spec && known.spec.handler === known.handler) return known.spec as AnyOperation
    // Not a spread: specs may compute their schemas when these are first read.
    return Object.create(known.spec, { handler: { value: known.handler, enumerable: true } }) as AnyOperation
  }

  /** The spec of an operation; undefined where there is none. */
  getSpec(id: string): OperationSpec | undefined {
    return this.#entries.get(id)?.spec
  }

  /** The handler of an operation as it was given, around which no access check and no middleware stands. */
  getHandler(id: string): AnyHandler | undefined {
    return this.#entries.get(id)?.handler
  }

  /** The ids of all operations, in the order of their registration. */
  list(): string[] {
    return [...this.#entries.keys()]
  }

  /** The specs of all operations, in the order of their registration. */
  getAllSpecs(): OperationSpec[] {
    return Array.from(this.#entries.values(), ({ spec }) => spec)
  }

  /** The specs of the operations that the identity may run. The host's own access functions are asked where one is named. */
  async visibleTo(identity: Identity | undefined): Promise<OperationSpec[]> {
    const visible = await Promise.all(
      Array.from(this.#entries.values(), async ({ spec }) => ((await this.#mayRun(spec, identity)) ? spec : undefined)),
    )
    return visible.filter((spec) => spec !== undefined)
  }

  /** Calls the listener after each change; gives the function that takes it away. What a listener throws is ignored. */
  onChange(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Puts a middleware around every call, inside those that are there; gives the function that takes it out. */
  use(middleware: Middleware): () => void {
    this.#rules = { ...this.#rules, middleware: [...this.#rules.middleware, middleware] }
    return () => {
      this.#rules = { ...this.#rules, middleware: this.#rules.middleware.filter((each) => each !== middleware) }
    }
  }

  /**
   * Runs an operation and gives its envelope: look up, access, input, deadline, middleware, handler, result.
   *
   * @throws CallError always, never anything else; `meta.isError` is an answer and not thrown.
   */
  execute<Input extends TSchema, Output extends TSchema>(
    operation: Operation<Input, Output>,
    input: Static<Input>,
    context?: OperationContext,
  ): Promise<ResponseEnvelope<Static<Output>>>
  execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope>
  async execute(operation: string | AnyOperation, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> {
    return runCall(this.#lookUp(idOf(operation)), input, context, this.#rules, false)
  }

  /**
   * The envelopes of a subscription; nothing begins before the first one is asked for, and leaving the loop ends it.
   *
   * @throws CallError from `next()`
   */
  subscribe<Input extends TSchema, Output extends TSchema>(
    operation: Operation<Input, Output>,
    input: Static<Input>,
    context?: OperationContext,
  ): AsyncIterableIterator<ResponseEnvelope<Static<Output>>>
  subscribe(operationId: string, input?: unknown, context?: OperationContext): AsyncIterableIterator<ResponseEnvelope>
  subscribe(operation: string | AnyOperation, input?: unknown, caller?: OperationContext): AsyncIterableIterator<ResponseEnvelope> {
    return runSubscription({ lookUp: () => this.#lookUp(idOf(operation)), input, caller, rules: () => this.#rules, trusted: false })
  }

  #lookUp(id: string): Registered {
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    const nearest = nearestIds(id, [...this.#entries.keys()])
    const hint = nearest.length === 0 ? "" : `; did you mean ${nearest.map((each) => `"${each}"`).join(" or ")}?`
    throw new CallError("OPERATION_NOT_FOUND", `There is no operation "${id}"${hint}`, {
      details: { operationId: id, nearest, outcome: "not_started" },
    })
  }

  #put(entries: Iterable<Registered>, removed: OperationSpec[] = []): void {
    const added: OperationSpec[] = []
    const changed: { before: OperationSpec; after: OperationSpec }[] = []
    for (const entry of entries) {
      const before = this.#entries.get(entry.id)?.spec
      if (before === undefined) added.push(entry.spec)
      else if (before !== entry.spec) changed.push({ before, after: entry.spec })
      this.#entries.set(entry.id, entry)
    }
    if (added.length + changed.length + removed.length > 0) this.#tell({ added, removed, changed })
  }

  #tell(change: RegistryChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch {
        // A listener's fault is its own: the registry has changed all the same.
      }
    }
  }

  async #mayRun(spec: OperationSpec, identity: Identity | undefined): Promise<boolean> {
    const { accessControl } = spec
    if (!checkAccess(identity, accessControl).allowed) return false
    if (accessControl?.customAuth === undefined) return true
    const ask = this.#rules.customAuth.get(accessControl.customAuth)
    if (ask === undefined || identity === undefined) return false
    try {
      const answer: unknown = await ask({ identity, spec })
      return answer === true
    } catch {
      return false
    }
  }

  #envFor(parent: Registered, context: CallContext) {
    const trusted = (id: string) => {
      const fits = (pattern: string) => matchesOperationId(pattern, id)
      return parent.spec.trust?.some(fits) === true && this.#grants.get(parent.id)?.some(fits) === true
    }
    const target: CallTarget = {
      execute: async (id, input, child) => runCall(this.#lookUp(id), input, child, this.#rules, trusted(id)),
      subscribe: (id, input, caller) =>
        runSubscription({ lookUp: () => this.#lookUp(id), input, caller, rules: () => this.#rules, trusted: trusted(id) }),
    }
    return operationEnv(target, context)
  }
}

function idOf(operation: string | AnyOperation): string {
  return typeof operation === "string" ? operation : operationId(operation)
}

function taken(id: string): CallError {
  return new CallError("CONFIGURATION_ERROR", `"${id}" is registered already`, {
    details: { operationId: id, remedy: "give it another namespace or name, or say replace: true" },
  })
}

function defaultJSONMode(): "check" | "off" {
  // The root door runs where there is no `process`, too.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.["NODE_ENV"] === "test" ? "check" : "off"
}
