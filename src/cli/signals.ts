/**
 * Being asked to end, by SIGINT, SIGTERM or SIGHUP; and for a worker, being asked how it is, by SIGUSR2.
 *
 * In: signals of the process. Out: an abort signal that the running command hears, so that it closes its servers first.
 * Afterwards the process ends by the same signal, so that a shell sees what it is used to. Whoever asks twice is not kept
 * waiting.
 */
import { CallError } from "../error.js"

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"]
const SIGNAL_NUMBER: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** Listens for being asked to end. `endAsAsked` ends the process by the signal that came, if one came. */
export function listenForEnd(): { readonly signal: AbortSignal; readonly endAsAsked: () => void } {
  const controller = new AbortController()
  let came: NodeJS.Signals | undefined
  const onSignal = (name: NodeJS.Signals): void => {
    if (came !== undefined) process.exit(128 + (SIGNAL_NUMBER[name] ?? 0))
    came = name
    controller.abort(new CallError("ABORTED", `The program was asked to end (${name})`))
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    endAsAsked: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
      if (came !== undefined) process.kill(process.pid, came)
    },
  }
}

/** Calls the listener for each SIGUSR2, where the system has it; gives the function that takes the listener away. */
export function onHealthWanted(listener: () => void): () => void {
  if (process.platform === "win32") return () => undefined
  process.on("SIGUSR2", listener)
  return () => process.off("SIGUSR2", listener)
}
