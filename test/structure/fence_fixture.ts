/**
 * A source tree of one file a room, in which every import that a fence is about can be written.
 *
 * Out: a temporary folder with every door and room of the design, those not written yet included, and a way to lint or
 * cruise it with the project's own configuration. The rooms are stated here by hand: the fences are tested with them.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ESLint } from "eslint"
import tseslint from "typescript-eslint"

export const repository = fileURLToPath(new URL("../../", import.meta.url))

export const rooms = [
  "error", "schema", "envelope", "operation", "drift", "registry", "middleware", "call",
  "from_mcp", "tools", "codegen", "otel", "nats", "cli",
] as const

/** A fresh tree; every door exports one name of its room, and index.ts one of the first door. */
export function fenceTree(): { root: string; write: (path: string, text: string) => string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), "fences-"))
  const write = (path: string, text: string): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  for (const room of rooms) {
    write(`src/${room}.ts`, `export { part } from "./${room}/part.js"\n`)
    write(`src/${room}/part.ts`, `export const part = "${room}"\n`)
  }
  write("src/index.ts", `export { part } from "./error.js"\n`)
  write("src/cli/demo_server.ts", "export const program = 1\n")
  write("package.json", JSON.stringify({ name: "fence-tree", type: "module", dependencies: { "@modelcontextprotocol/sdk": "*", "@sinclair/typebox": "*" } }))
  cpSync(join(repository, "tsconfig.json"), join(root, "tsconfig.json"))
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "junction")
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Lints a text as if it stood at `path` of the tree; answers the ids of the rules that fired. */
export function fenceLinter(root: string): (path: string, text: string) => Promise<string[]> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: join(repository, "eslint.config.js"),
    // Rules that need types would read a whole program for each text, and no fence needs them.
    overrideConfig: [
      { ...tseslint.configs.disableTypeChecked, files: ["**/*.ts"] },
      {
        files: ["**/*.ts"],
        languageOptions: { parserOptions: { projectService: false } },
        settings: { "boundaries/root-path": root },
      },
    ],
  })
  return async (path, text) => {
    const [result] = await eslint.lintText(text, { filePath: join(root, path) })
    if (result === undefined) throw new Error(`${path} was not linted`)
    const broken = result.messages.find((message) => message.fatal === true || message.ruleId === null)
    if (broken !== undefined) throw new Error(`${path}: ${broken.message}`)
    return [...new Set(result.messages.map((message) => message.ruleId ?? ""))].sort()
  }
}
