/**
 * One run of the command line: from the words to the exit code.
 *
 * In: the words and the host. Out: the exit code; stdout holds one JSON document or a text for a reader, and nothing else.
 * The one place that prints a result and the one place that catches an error.
 */
import { CallError, callErrorToJSON, toCallError } from "../error.js"
import { EXIT, exitCodeOf } from "./exit_code.js"
import type { Host } from "./host.js"
import { chooseCommand } from "./program.js"
import { errorView } from "./view/error_view.js"
import { printableJSON } from "./view/printable.js"
import { isJSONWanted, screenOf, type ScreenOptions } from "./view/screen.js"

/** Runs a command line. Never rejects. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const end = argv.indexOf("--")
  const words = end === -1 ? argv : argv.slice(0, end)
  const serverCommand = end === -1 ? undefined : argv.slice(end + 1)
  let screen: ScreenOptions = { json: words.includes("--json"), text: words.includes("--text") }
  try {
    const chosen = chooseCommand(words, serverCommand, host)
    if ("help" in chosen) {
      await print(host.stdout, screen.json === true ? document({ help: chosen.help }) : chosen.help)
      return EXIT.ok
    }
    // An error before the tool is known is printed by the words alone; a result knows whether --json was the tool's.
    const result = await chosen.run()
    screen = { json: chosen.screen.json === true || result.json === true, text: chosen.screen.text }
    const isJSON = result.isText === true ? screen.json === true : isJSONWanted(host, screen)
    await print(host.stdout, isJSON ? document(result.document) : `${result.view(screenOf(host, host.stdout))}\n`)
    return result.exitCode
  } catch (thrown) {
    const error = host.signal.aborted ? aborted(host.signal, thrown) : toCallError(thrown)
    const isJSON = isJSONWanted(host, screen)
    if (isJSON) await print(host.stdout, document({ error: callErrorToJSON(error) }))
    // A person who looks at stderr while stdout goes elsewhere would see nothing otherwise.
    if (!isJSON || (host.stdout.isTTY !== true && host.stderr.isTTY === true)) {
      await print(host.stderr, `${errorView(error, screenOf(host, host.stderr))}\n`)
    }
    return exitCodeOf(error)
  }
}

function document(value: unknown): string {
  return `${printableJSON(JSON.stringify(value, null, 2))}\n`
}

function aborted(signal: AbortSignal, thrown: unknown): CallError {
  const error = toCallError(thrown)
  return error.code === "ABORTED" ? error : new CallError("ABORTED", "The program was asked to end", { cause: signal.reason })
}

/** Resolves when the text has left the process; a reader who has gone away is no failure. */
function print(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve())
  })
}
