/**
 * The environment a handler sees: other operations as functions, called on behalf of its own caller.
 *
 * In: something that runs operations, and the context of the call that is under way. Out: `env.namespace.name(input)`.
 * Names are looked up when they are called, so that operations which come and go are seen. A child call has the identity of its
 * parent's caller, ends with its parent, and never later.
 */
import type { ResponseEnvelope } from "../envelope.js"
import {
  ON_ABORT,
  onAbort,
  type AbortHook,
  type ChildCallOptions,
  type OperationContext,
  type OperationEnv,
  type OperationEnvNamespace,
} from "../operation.js"

/** Something that runs operations by id: a registry, a map of pending requests, a router. */
export interface CallTarget {
  execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope>
  subscribe(operationId: string, input?: unknown, context?: OperationContext): AsyncIterable<ResponseEnvelope>
}

/** The operations of a target as functions, for the handler whose context is given. */
export function operationEnv(target: CallTarget, parent: OperationContext): OperationEnv {
  const subscribe = (operationId: string, input?: unknown, options?: ChildCallOptions) =>
    target.subscribe(operationId, input, new ChildContext(parent, options))
  const namespaces = new Map<string, OperationEnvNamespace>()
  const namespaceOf = (namespace: string): OperationEnvNamespace => {
    let known = namespaces.get(namespace)
    if (known === undefined) namespaces.set(namespace, (known = namespaceEnv(target, parent, namespace)))
    return known
  }
  // The members of a proxy are what its trap gives; the compiler cannot follow that.
  return new Proxy(Object.create(null) as OperationEnv, {
    get: (_, key) => (typeof key !== "string" || key === "then" ? undefined : key === "subscribe" ? subscribe : namespaceOf(key)),
    has: (_, key) => typeof key === "string" && key !== "then",
    set: () => false,
    defineProperty: () => false,
  })
}

function namespaceEnv(target: CallTarget, parent: OperationContext, namespace: string): OperationEnvNamespace {
  // The members of a proxy are what its trap gives; the compiler cannot follow that.
  return new Proxy(Object.create(null) as OperationEnvNamespace, {
    // `then` is left out so that awaiting a namespace by mistake does not call something.
    get: (_, name) =>
      typeof name !== "string" || name === "then"
        ? undefined
        : (input?: unknown, options?: ChildCallOptions) => target.execute(`${namespace}.${name}`, input, new ChildContext(parent, options)),
    has: (_, key) => typeof key === "string" && key !== "then",
    set: () => false,
    defineProperty: () => false,
  })
}

/** The context of a child call: the parent's identity, trace and end, and the child's own wishes within them. */
class ChildContext implements OperationContext, AbortHook {
  readonly identity: OperationContext["identity"]
  readonly deadline: number | undefined
  readonly timeoutMs: number | undefined
  readonly idleTimeoutMs: number | undefined
  readonly parentRequestId: string | undefined
  readonly traceparent: string | undefined
  readonly metadata: OperationContext["metadata"]
  readonly onProgress: OperationContext["onProgress"]
  readonly #parent: OperationContext
  readonly #options: ChildCallOptions | undefined
  #signal: AbortSignal | undefined

  constructor(parent: OperationContext, options: ChildCallOptions | undefined) {
    this.#parent = parent
    this.#options = options
    this.identity = parent.identity
    this.deadline = earlier(parent.deadline, options?.deadline)
    this.timeoutMs = options?.timeoutMs
    this.idleTimeoutMs = options?.idleTimeoutMs
    this.parentRequestId = parent.requestId
    this.traceparent = parent.traceparent
    this.metadata = options?.metadata ?? parent.metadata
    this.onProgress = options?.onProgress
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      this[ON_ABORT]((reason) => controller.abort(reason))
      this.#signal = controller.signal
    }
    return this.#signal
  }

  [ON_ABORT](listener: (reason: unknown) => void): () => void {
    let heard = false
    const once = (reason: unknown) => {
      if (heard) return
      heard = true
      listener(reason)
    }
    const unhearParent = onAbort(this.#parent, once)
    const unhearOwn = onAbort(this.#options, once)
    return () => {
      unhearParent()
      unhearOwn()
    }
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other
  return other === undefined ? one : Math.min(one, other)
}
