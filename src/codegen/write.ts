/**
 * Generated files on disk.
 *
 * In: files and a folder. Out: which of them were new, changed or the same. A file that would not change is not touched, so that nothing
 * that watches it wakes up. Files that are not among the given ones are left alone.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { CallError } from "../error.js"
import type { GeneratedFile } from "./generate.js"

/** How files are written. */
export interface WriteOptions {
  /** True writes nothing and only says what would change. Default false. */
  readonly check?: boolean | undefined
  /** Formats with the prettier of the project that the folder is in, where it has one. Default true. */
  readonly format?: boolean | undefined
}

/** What became of the files, by their paths. */
export interface WrittenFiles {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
}

/**
 * Writes the files into the folder, which is made where it is missing.
 *
 * @throws CallError CONFIGURATION_ERROR where a file cannot be written.
 */
export async function writeFiles(folder: string, files: readonly GeneratedFile[], { check = false, format = true }: WriteOptions = {}): Promise<WrittenFiles> {
  const result = { created: [] as string[], changed: [] as string[], unchanged: [] as string[] } // Filled below.
  const formatted = format ? await formatterOf(folder) : undefined
  for (const { name, text } of files) {
    const path = join(folder, name)
    const wanted = formatted === undefined ? text : await formatted(text, path)
    const present = await readFile(path, "utf8").catch(() => undefined)
    if (present === wanted) {
      result.unchanged.push(path)
      continue
    }
    ;(present === undefined ? result.created : result.changed).push(path)
    if (!check) await write(path, wanted)
  }
  return result
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    // In one step, so that nobody reads half of it.
    const draft = `${path}.${String(process.pid)}.tmp`
    await writeFile(draft, text)
    await rename(draft, path)
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", `"${path}" cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { details: { file: path }, cause })
  }
}

interface Prettier {
  readonly resolveConfig: (path: string) => Promise<object | null>
  readonly format: (text: string, options: object) => Promise<string>
}

/** The formatter of the project around the folder; undefined where it has none. */
async function formatterOf(folder: string): Promise<((text: string, path: string) => Promise<string>) | undefined> {
  let found: string
  try {
    found = createRequire(join(resolve(folder), "file.js")).resolve("prettier")
  } catch {
    return undefined
  }
  const loaded = (await import(pathToFileURL(found).href)) as { default?: Prettier } & Partial<Prettier> // What the package documents; checked below.
  const { format, resolveConfig } = loaded.default ?? loaded
  if (format === undefined || resolveConfig === undefined) return undefined
  return async (text, path) => format(text, { ...(await resolveConfig(path)), filepath: path, parser: "typescript" })
}
