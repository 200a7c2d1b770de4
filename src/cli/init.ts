/**
 * `mcp-operations init`: a config for this folder, from what the user's other clients have, or an empty one.
 *
 * In: a file name, and whether to ask. Out: the file, which must not be there yet. Values of `env`, of `headers` and behind secret-looking flags
 * are not taken over: a project's file is shared, so a variable of the same name stands there instead.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline/promises"
import { CallError } from "../error.js"
import type { ServerPreview } from "../from_mcp.js"
import type { CommandResult } from "./command_result.js"
import { EXIT } from "./exit_code.js"
import { canAsk, type Host } from "./host.js"
import { editorConfigs, type EditorConfig } from "./source/editor_configs.js"
import { usageError } from "./usage_error.js"
import { printableLine } from "./view/printable.js"

/** What the command line says of the new config. */
export interface InitWords {
  readonly file: string
  /** Takes over what is found without asking. */
  readonly yes?: boolean | undefined
  /** Takes over nothing. */
  readonly empty?: boolean | undefined
}

/** Writes the config. */
export async function init({ file, yes = false, empty = false }: InitWords, host: Host): Promise<CommandResult> {
  const found = empty ? [] : await editorConfigs(host.env, process.platform)
  const taken = found.length === 0 || yes ? found : await chosen(found, host)
  const servers = new Map<string, ServerPreview>()
  for (const { servers: own } of taken) for (const server of own) if (!servers.has(server.name)) servers.set(server.name, server)
  const variables = new Set<string>()
  const entries = [...servers.values()].map((server): [string, object] => [server.name, toConfig(server, variables)])
  await write(join(host.cwd, file), file, `${JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2)}\n`)
  return {
    document: { file, servers: [...servers.keys()], from: taken.map(({ editor, path }) => ({ editor, path })), variables: [...variables] },
    view: () => view(file, [...servers.keys()], variables),
    exitCode: EXIT.ok,
  }
}

async function chosen(found: readonly EditorConfig[], host: Host): Promise<EditorConfig[]> {
  if (!canAsk(host)) {
    throw usageError(`Other clients have ${found.map(({ editor }) => editor).join(", ")}; whether to take their servers over cannot be asked here`, "--yes takes them over, --empty takes nothing")
  }
  const lines = createInterface({ input: host.stdin, terminal: false })
  try {
    const taken: EditorConfig[] = []
    for (const config of found) {
      host.stderr.write(`${config.editor} has ${config.servers.map(({ name }) => printableLine(name)).join(", ")} (${printableLine(config.path)}). Take them over? [y/N] `)
      const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
      const answer = await Promise.race([lines.question("", { signal: host.signal }), ended])
      if (/^y(?:es)?$/i.test(answer.trim())) taken.push(config)
    }
    return taken
  } finally {
    lines.close()
  }
}

function toConfig({ command, args = [], cwd, url, transport, env, headers }: ServerPreview, variables: Set<string>): object {
  const variable = (name: string) => {
    const plain = name.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "").toUpperCase()
    variables.add(plain)
    return `\${${plain}}`
  }
  const values = (names: readonly string[]) => (names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, variable(name)])))
  if (command === undefined) return { type: transport ?? "http", url: withoutCredentials(url ?? ""), headers: values(headers) }
  return { command, args: args.map((arg, index) => withoutSecret(arg, args[index - 1], variable)), cwd, env: values(env) }
}

const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|pass)[\w-]*$/i

function withoutSecret(arg: string, before: string | undefined, variable: (name: string) => string): string {
  if (before !== undefined && SECRET_FLAG.test(before) && !arg.startsWith("-")) return variable(before)
  const [flag = "", ...value] = arg.split("=")
  return value.length > 0 && SECRET_FLAG.test(flag) ? `${flag}=${variable(flag)}` : arg
}

function withoutCredentials(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.username === "" && url.password === "") return text
  url.username = ""
  url.password = ""
  return url.href
}

async function write(path: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" })
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
    if (isThere) throw usageError(`"${file}" is there already`, "--file names another file", { file })
    throw new CallError("CONFIGURATION_ERROR", `"${file}" cannot be written`, { details: { file }, cause })
  }
}

function view(file: string, servers: readonly string[], variables: ReadonlySet<string>): string {
  const names = servers.length === 0 ? "without a server yet" : `with ${servers.map((name) => printableLine(name)).join(", ")}`
  const wanted = variables.size === 0 ? [] : [`No secret was taken over: set ${[...variables].join(", ")} in the environment.`]
  return [`${printableLine(file)} was made, ${names}.`, ...wanted, "Next: mcp-operations list"].join("\n")
}
