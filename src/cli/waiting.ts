/**
 * A sign of life on stderr while something is waited for.
 *
 * In: a text and the work. Out: what the work gives. Shown at terminals alone, and gone without a trace afterwards.
 */
import type { Host } from "./host.js"

/** Shows another text from now on. */
export type Say = (text: string) => void

/** Runs the work, with a spinner beside it where a person looks on. */
export async function waiting<T>(host: Host, text: string, work: (say: Say) => Promise<T>): Promise<T> {
  const isSeen = host.stderr.isTTY === true && host.env["TERM"] !== "dumb" && host.env["CI"] === undefined
  if (!isSeen) return work(() => undefined)
  const { default: yoctoSpinner } = await import("yocto-spinner")
  // Signals are ours: the spinner would end the process before the servers are closed.
  const spinner = yoctoSpinner({ text, stream: process.stderr, handleSignals: false }).start()
  try {
    return await work((next) => {
      spinner.text = next
    })
  } finally {
    spinner.stop()
  }
}
