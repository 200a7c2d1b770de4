/**
 * Asks a person whether a config of the folder may be used.
 *
 * In: the config as it is written. Out: yes or no. Shows what would be started, reached and read from the environment, with
 * nothing expanded, and every control character made visible.
 * The question goes to stderr, so that the answer of the command can go into a pipe.
 */
import { createInterface } from "node:readline/promises"
import type { ConfigPreview, ServerPreview } from "../../from_mcp.js"
import type { Host } from "../host.js"
import { printableLine } from "../view/printable.js"
import { screenOf, type Screen } from "../view/screen.js"

/** True where the person at the terminal agrees. */
export async function askTrust(host: Host, path: string, preview: ConfigPreview, hasChanged: boolean): Promise<boolean> {
  const lines = createInterface({ input: host.stdin, terminal: false })
  try {
    host.stderr.write(question(path, preview, hasChanged, screenOf(host, host.stderr)))
    // Input that ends without a line gives no answer, and readline would wait for one for ever.
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
    const answer = await Promise.race([lines.question("", { signal: host.signal }), ended])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}

/** What is shown before the answer is waited for. */
export function question(path: string, { servers }: ConfigPreview, hasChanged: boolean, { paint }: Screen): string {
  const reason = hasChanged ? "has changed since it was trusted" : "was not used before"
  return [
    `${paint.strong(printableLine(path))} ${reason}. It names ${servers.length === 1 ? "one server" : `${String(servers.length)} servers`}:`,
    "",
    ...servers.flatMap((server) => [`  ${paint.name(printableLine(server.name))}`, ...facts(server).map((fact) => `    ${fact}`)]),
    "",
    "Use it? The answer is remembered until the file changes. [y/N] ",
  ].join("\n")
}

function facts({ command, args = [], cwd, url, env, headers, variables }: ServerPreview): string[] {
  const list = (names: readonly string[]): string => names.map((name) => printableLine(name)).join(", ")
  return [
    ...(command === undefined ? [] : [`starts   ${[command, ...args].map(word).join(" ")}`]),
    ...(cwd === undefined ? [] : [`in       ${printableLine(cwd)}`]),
    ...(url === undefined ? [] : [`reaches  ${printableLine(url)}`]),
    ...(env.length === 0 ? [] : [`sets     ${list(env)}`]),
    ...(headers.length === 0 ? [] : [`sends    ${list(headers)}`]),
    ...(variables.length === 0 ? [] : [`reads    ${list(variables)} from your environment`]),
  ]
}

/** A word of a command; quoted where its borders would not be seen. */
function word(text: string): string {
  const shown = printableLine(text)
  return shown === text && /^[^\s"'\\]+$/.test(shown) ? shown : JSON.stringify(shown)
}
