/**
 * Builds the package: one file for each door and each program, shared parts in `chunks/`, and the types of every source file.
 *
 *   node build.mjs [folder, default dist]
 *
 * A door alone stands for a hundred source files, and opening files is most of what importing it costs; its names, its types and what is
 * loaded only when it is used stay as they are in `src`. Packages are never taken in.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import packageJSON from "./package.json" with { type: "json" }

/** Programs that are started by path, beside the one that package.json names. */
const PROGRAMS = ["cli/demo_server"]

const root = path.dirname(fileURLToPath(import.meta.url))
const folder = path.resolve(process.argv[2] ?? path.join(root, "dist"))
const doors = readdirSync(path.join(root, "src")).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3))
const subpaths = Object.values(packageJSON.exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.default.replace(/^\.\/dist\/|\.js$/g, "")]))
const entries = new Set([...doors, ...subpaths, ...PROGRAMS])

rmSync(folder, { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries([...entries].map((name) => [name, path.join(root, "src", `${name}.ts`)])),
  external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
  platform: "node",
  tsconfig: path.join(root, "tsconfig.json"),
  onLog: (level, log, report) => report(level === "warn" ? "error" : level, log),
})
await bundle.write({ dir: folder, format: "esm", chunkFileNames: "chunks/[name].js" })
await bundle.close()
execFileSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", root, "--emitDeclarationOnly", "--outDir", folder], { stdio: "inherit" })
