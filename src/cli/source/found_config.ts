/**
 * A config that lies in the folder.
 *
 * In: the folder. Out: the first file of the known names, read once: what is judged and what is used are the same bytes.
 * Looks in this folder alone, never above it, and understands nothing of what it reads.
 */
import { createHash } from "node:crypto"
import { readFile, realpath } from "node:fs/promises"
import { join } from "node:path"

/** Where clients keep the servers of a project, in the order of search. */
export const CONFIG_NAMES: readonly string[] = [".mcp.json", "mcp.json", ".vscode/mcp.json"]

/** A config of the folder. */
export interface FoundConfig {
  /** With all links followed. */
  readonly path: string
  readonly text: string
  /** Of the file's bytes, in hex. */
  readonly sha256: string
}

/** The first config of the folder; undefined where there is none that can be read. */
export async function findConfig(folder: string): Promise<FoundConfig | undefined> {
  for (const name of CONFIG_NAMES) {
    try {
      const path = await realpath(join(folder, name))
      const bytes = await readFile(path)
      return { path, text: bytes.toString("utf8"), sha256: createHash("sha256").update(bytes).digest("hex") }
    } catch {
      // Not there, no file, or not ours to read: the next name.
    }
  }
  return undefined
}
