/**
 * Lists the tools again when the server says that they have changed.
 *
 * In: a port, and what refreshes. Out: nothing, until it is stopped. Servers send such notifications in bursts, and while a
 * listing is under way: those of a short time count as one, and one that comes during a listing leads to a further listing.
 */
import { toCallError } from "../error.js"
import type { MCPPort } from "./port.js"
import type { Warn } from "./warning_log.js"

const BURST_MS = 50

/** Refreshes after each burst of notifications; ends by itself with the connection. A refresh that fails is a warning. */
export function refreshOnChange(port: MCPPort, refresh: () => Promise<void>, warn: Warn): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isListing = false
  let again = false
  let isStopped = false

  const changed = () => {
    if (isListing) again = true
    else timer ??= setTimeout(list, BURST_MS)
  }
  const list = () => {
    timer = undefined
    isListing = true
    refresh()
      .catch((error: unknown) => {
        if (!isStopped) warn("listing", `The tools have changed, and listing them again failed: ${toCallError(error).message}`)
      })
      .finally(() => {
        isListing = false
        if (again && !isStopped) changed()
        again = false
      })
  }
  const unlisten = port.onNotification("notifications/tools/list_changed", changed)
  port.onClose(() => {
    isStopped = true
    unlisten()
    clearTimeout(timer)
  })
}
