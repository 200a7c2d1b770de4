/**
 * Keeps the operations of a server in a registry, as the server's list changes.
 *
 * In: a wrapper and a registry. Out: its operations registered, and one change of the registry for each change of the list.
 * An id that somebody else has registered is theirs: that tool is left out and reported.
 */
import { operationId, type AnyOperation } from "../operation.js"
import type { OperationRegistry } from "../registry.js"
import type { MCPClientWrapper } from "./client_wrapper.js"

/** Registers the operations of a wrapper and follows their changes; gives the function that ends it and takes them out. */
export function followTools(wrapper: MCPClientWrapper, registry: OperationRegistry): () => void {
  let own: readonly string[] = []
  const put = (tools: readonly AnyOperation[]) => {
    const before = new Set(own)
    const free = tools.filter((tool) => {
      const id = operationId(tool)
      if (before.has(id) || registry.isFree(id)) return true
      wrapper.warn(`"${id}" is registered already by somebody else; this tool is left out of the registry`, tool.name)
      return false
    })
    registry.replaceAll(own, free)
    own = free.map(operationId)
  }
  put(wrapper.tools)
  const unfollow = wrapper.onToolsChange(() => put(wrapper.tools))
  return () => {
    unfollow()
    put([])
  }
}
