/**
 * The name of a server that was given on the command line without one.
 *
 * In: a command with its arguments, or a url. Out: a namespace made of the package's or program's base name, or of the host.
 * Starters (`npx`, `uvx`, `node`, …) are looked through: nobody means to call a server "npx".
 */
import { toNamespace } from "../../operation.js"

/** Programs that start another one, with the words that may stand before its name. */
const STARTERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npx", []],
  ["npm", ["exec", "x"]],
  ["pnpx", []],
  ["pnpm", ["dlx", "exec"]],
  ["yarn", ["dlx", "exec"]],
  ["bunx", []],
  ["bun", ["x", "run"]],
  ["node", []],
  ["deno", ["run"]],
  ["tsx", []],
  ["uvx", []],
  ["uv", ["tool", "run"]],
  ["pipx", ["run"]],
  ["python", []],
  ["python3", []],
  ["ruby", []],
  ["bash", []],
  ["sh", []],
])

/** The name for a server that is started by this command. */
export function nameForCommand(command: string, args: readonly string[]): string {
  const program = baseName(command)
  const skipped = STARTERS.get(program)
  if (skipped === undefined) return toNamespace(program)
  const started = args.find((word) => !word.startsWith("-") && !skipped.includes(word))
  return toNamespace(started === undefined ? program : baseName(started))
}

/** The name for a server at this url: its host. */
export function nameForURL(url: string): string {
  return toNamespace(URL.canParse(url) ? new URL(url).hostname : "server")
}

/** File names that half of all servers have. */
const SAY_NOTHING: ReadonlySet<string> = new Set(["index", "main", "__main__", "cli", "start", "run"])

/** Folders between a package and its program. */
const WITHIN_PACKAGES: ReadonlySet<string> = new Set([".", "..", "", "dist", "build", "out", "src", "lib", "bin", "esm", "cjs"])

/**
 * `@scope/server-files@1.2.3`, `/opt/server-files.js` and `node_modules/@scope/server-files/dist/index.js` are all `server-files`.
 */
function baseName(word: string): string {
  const parts = word.replaceAll("\\", "/").replace(/\/+$/, "").split("/")
  const last = (parts.pop() ?? "").replace(/\.(?:[cm]?[jt]s|py|rb|sh|exe|cmd|bat)$/i, "")
  if (SAY_NOTHING.has(last)) return parts.findLast((part) => !WITHIN_PACKAGES.has(part)) ?? last
  return last.replace(/(?!^)@.*$/, "") || last
}
