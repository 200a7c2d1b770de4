/**
 * Several servers at once: connected side by side, each for itself.
 *
 * In: a config. Out: an outcome for each server, and the clients of those that connected, usable from the moment that they do.
 * A name is taken from the moment its loading begins, together with every name that would share its namespace: operations of two
 * servers could not be told apart otherwise.
 */
import pLimit from "p-limit"
import { CallError, toCallError } from "../error.js"
import { toNamespace, type OperationHandler, type OperationSpec } from "../operation.js"
import type { OperationRegistry } from "../registry.js"
import type { MCPClientOptions } from "./client_options.js"
import type { MCPClientWrapper } from "./client_wrapper.js"
import type { MCPConfig } from "./config.js"
import { createMCPClient } from "./create_client.js"
import { followTools } from "./follow_tools.js"
import type { MCPServerConfig } from "./server_config.js"

/** How servers are loaded: options for all clients, and beside them what concerns the loading. */
export interface LoadOptions extends MCPClientOptions {
  /** Rejects with the error of the first server that fails, and closes what this loading has opened. Default false. */
  readonly strict?: boolean | undefined
  /** Servers that connect at the same time. Default 10. */
  readonly concurrency?: number | undefined
  /** Options of single servers by name; they win over the common ones. */
  readonly clients?: Readonly<Record<string, MCPClientOptions>> | undefined
}

/** What became of one server. `durationMs` is the time of its own connecting, without its wait for a turn. */
export type ServerOutcome =
  | { readonly name: string; readonly ok: true; readonly wrapper: MCPClientWrapper; readonly durationMs: number }
  | { readonly name: string; readonly ok: false; readonly error: CallError; readonly durationMs: number }

const DEFAULT_CONCURRENCY = 10

/** A name that is taken; its wrapper is there once it is connected. */
interface Place {
  readonly name: string
  wrapper?: MCPClientWrapper
}

interface Loading {
  readonly stop: AbortController
  readonly done: Promise<unknown>
}

/**
 * Connects the servers of a config and holds their clients. Close it with `closeAll()` or `await using`.
 *
 * @example
 * const loader = new MCPClientLoader()
 * const outcomes = await loader.load(await loadConfigFile("mcp.json"))
 * for (const outcome of outcomes) if (!outcome.ok) console.error(outcome.error.message)
 * const operations = loader.getAllOperations()
 */
export class MCPClientLoader implements AsyncDisposable {
  /** By namespace, in the order in which they were to be loaded. */
  readonly #places = new Map<string, Place>()
  readonly #loadings = new Set<Loading>()
  /** By registry: what ends the following of each wrapper. */
  readonly #followed = new Map<OperationRegistry, Map<MCPClientWrapper, () => void>>()

  /**
   * Connects all servers of a config, and gives an outcome for each, in the order of the config. One that fails takes nothing
   * from the others; its name is free again. A name that is loaded already, or meets another one in a namespace, fails with
   * CONFIGURATION_ERROR, and nothing is started for it.
   *
   * @throws CallError with `strict`: the error of the first server that fails, once all that was opened is closed.
   */
  async load(config: MCPConfig, options: LoadOptions = {}): Promise<ServerOutcome[]> {
    const { strict = false, concurrency = DEFAULT_CONCURRENCY, clients = {}, ...common } = options
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new CallError("CONFIGURATION_ERROR", "concurrency must be a whole number of at least 1", { details: { remedy: "leave it out for 10" } })
    }
    const stop = new AbortController()
    let failure: CallError | undefined
    const limit = pLimit(concurrency)
    const work = Object.entries(config.servers).map(async ([name, server]) => {
      const refusal = this.#take(name)
      const own = Object.hasOwn(clients, name) ? clients[name] : undefined
      const signal = AbortSignal.any([stop.signal, ...signalsOf(common), ...signalsOf(own)])
      const outcome = refusal ?? (await limit(() => this.#connect(name, server, { ...common, ...own, signal })))
      if (strict && !outcome.ok && failure === undefined) {
        failure = outcome.error
        stop.abort()
      }
      return outcome
    })
    const loading: Loading = { stop, done: Promise.all(work) }
    this.#loadings.add(loading)
    const outcomes = await Promise.all(work)
    this.#loadings.delete(loading)
    if (failure === undefined) return outcomes
    await Promise.all(outcomes.map(async (outcome) => outcome.ok && this.#drop(outcome.name, outcome.wrapper)))
    throw failure
  }

  /** The client of a server; undefined where none of that name is connected. */
  getClient(name: string): MCPClientWrapper | undefined {
    const place = this.#places.get(toNamespace(name))
    return place?.name === name ? place.wrapper : undefined
  }

  /** The clients that are connected, in the order of their configs. */
  getAllWrappers(): MCPClientWrapper[] {
    return [...this.#places.values()].flatMap(({ wrapper }) => wrapper ?? [])
  }

  /** The operations of all clients as they are at this moment. */
  getAllOperations(): (OperationSpec & { handler: OperationHandler })[] {
    return this.getAllWrappers().flatMap(({ tools }) => tools)
  }

  /**
   * Puts the operations of all clients into a registry, those of servers that are loaded later too, and follows their changes.
   * Gives the function that ends it and takes them out; `closeAll()` does so, too.
   */
  registerAll(registry: OperationRegistry): () => void {
    const followed = this.#followed.get(registry) ?? new Map<MCPClientWrapper, () => void>()
    this.#followed.set(registry, followed)
    for (const wrapper of this.getAllWrappers()) if (!followed.has(wrapper)) followed.set(wrapper, followTools(wrapper, registry))
    return () => {
      if (this.#followed.get(registry) !== followed) return
      this.#followed.delete(registry)
      for (const unfollow of followed.values()) unfollow()
    }
  }

  /** Stops what is being loaded and closes every client. The loader can be used again afterwards. */
  async closeAll(): Promise<void> {
    const loadings = [...this.#loadings]
    for (const { stop } of loadings) stop.abort()
    await Promise.all(loadings.map(({ done }) => done))
    const wrappers = this.getAllWrappers()
    for (const wrapper of wrappers) this.#unfollow(wrapper)
    this.#places.clear()
    const closed = await Promise.allSettled(wrappers.map((wrapper) => wrapper.close()))
    for (const one of closed) if (one.status === "rejected") throw toCallError(one.reason)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closeAll()
  }

  /** Takes a name, or tells why it cannot be taken. */
  #take(name: string): ServerOutcome | undefined {
    const namespace = toNamespace(name)
    const holder = this.#places.get(namespace)
    // A client that its host has closed holds its name no longer.
    if (holder === undefined || holder.wrapper?.status === "closed") {
      this.#places.delete(namespace)
      this.#places.set(namespace, { name })
      return undefined
    }
    const reason = holder.name === name ? "it is loaded already" : `its name meets that of server "${holder.name}" in the namespace "${namespace}"`
    const remedy = holder.name === name ? "close the client that is loaded first" : "rename one of the two"
    const error = new CallError("CONFIGURATION_ERROR", `Server "${name}": ${reason}`, { details: { server: name, remedy, outcome: "not_started" } })
    return { name, ok: false, error, durationMs: 0 }
  }

  async #connect(name: string, server: MCPServerConfig, options: MCPClientOptions & { readonly signal: AbortSignal }): Promise<ServerOutcome> {
    const since = performance.now()
    try {
      // One whose turn comes after the loading was stopped is not even begun.
      throwIfStopped(name, options.signal)
      const wrapper = await createMCPClient(name, server, options)
      try {
        throwIfStopped(name, options.signal)
      } catch (error) {
        await wrapper.close()
        throw error
      }
      const place = this.#places.get(toNamespace(name))
      if (place !== undefined) place.wrapper = wrapper
      for (const [registry, followed] of this.#followed) followed.set(wrapper, followTools(wrapper, registry))
      return { name, ok: true, wrapper, durationMs: performance.now() - since }
    } catch (error) {
      this.#places.delete(toNamespace(name))
      return { name, ok: false, error: toCallError(error), durationMs: performance.now() - since }
    }
  }

  async #drop(name: string, wrapper: MCPClientWrapper): Promise<void> {
    this.#places.delete(toNamespace(name))
    this.#unfollow(wrapper)
    await wrapper.close()
  }

  #unfollow(wrapper: MCPClientWrapper): void {
    for (const followed of this.#followed.values()) {
      followed.get(wrapper)?.()
      followed.delete(wrapper)
    }
  }
}

function signalsOf(options: MCPClientOptions | undefined): AbortSignal[] {
  return options?.signal === undefined ? [] : [options.signal]
}

function throwIfStopped(server: string, { aborted, reason }: AbortSignal): void {
  if (!aborted) return
  throw new CallError("ABORTED", `Server "${server}": the loading was stopped`, { details: { server, outcome: "not_started" }, cause: reason })
}
