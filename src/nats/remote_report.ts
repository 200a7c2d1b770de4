/**
 * What a mirror reports: things that cost a worker something, and that its host may want to look into.
 *
 * In: reports, as often as they happen. Out: each of them once, for a worker may repeat its fault a thousand times a second.
 */

/** Something about a worker that is not as it should be. */
export interface RemoteReport {
  /**
   * `announcement`: one could not be read, or spoke for another worker. `catalogue`: it could not be had. `operation`: one of it is left
   * out. `conflict`: it defines an operation in another way than workers before it. `misfit`: an answer broke its own schema. `limit`:
   * there is no room for it.
   */
  readonly kind: "announcement" | "catalogue" | "operation" | "conflict" | "misfit" | "limit"
  readonly worker: string
  readonly operationId?: string | undefined
  readonly message: string
}

const MAX_KNOWN = 10_000

/** Tells each report once. What the listener throws is ignored. */
export function reportOnce(listener: ((report: RemoteReport) => void) | undefined): (report: RemoteReport) => void {
  if (listener === undefined) return () => undefined
  const known = new Set<string>()
  return (report) => {
    const key = JSON.stringify([report.kind, report.worker, report.operationId, report.message])
    if (known.has(key)) return
    if (known.size >= MAX_KNOWN) known.clear()
    known.add(key)
    try {
      listener(report)
    } catch {
      // A fault of the listener is its own.
    }
  }
}
