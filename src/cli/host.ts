/**
 * What the command line works in: streams, environment and folder of the process.
 *
 * One object instead of `process` everywhere, so that each part says what of the process it touches.
 */
import type { ReadStream, WriteStream } from "node:tty"
import { toCallError } from "../error.js"

/** The surroundings of one run. Streams that are no terminals have no `isTTY`. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal
}

/** True where a person can be asked: what is written to stderr is seen and stdin is a keyboard. */
export function canAsk(host: Host): host is Host & { readonly stdin: ReadStream } {
  return host.stdin.isTTY === true && host.stderr.isTTY === true
}

/** All of stdin as text. Rejects when the run is aborted. */
export async function readStdin(host: Host): Promise<string> {
  const chunks: Buffer[] = []
  const reading = (async () => {
    for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString("utf8")
  })()
  return Promise.race([reading, aborted(host.signal)])
}

/** Rejects with the reason of the signal, as a CallError, once it aborts; never resolves. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(toCallError(signal.reason))
    if (signal.aborted) end()
    else signal.addEventListener("abort", end, { once: true })
  })
}
