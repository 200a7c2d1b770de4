#!/usr/bin/env node
/**
 * The program `mcp-operations`.
 *
 * In: the process. Out: its exit code. Everything else stands in `cli/`; what a command needs is loaded when it runs.
 */
import { run } from "./cli/run.js"
import { listenForEnd } from "./cli/signals.js"

// A reader that has gone away (`mcp-operations list | head -1`) is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
}
const { signal, endAsAsked } = listenForEnd()
const exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal,
})
endAsAsked()
// Not left to the event loop: a half-read stdin would keep the process alive.
process.exit(exitCode)
