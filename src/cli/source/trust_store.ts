/**
 * Which configs of folders a person has agreed to, by path and SHA-256.
 *
 * In: path and digest. Out: whether exactly these bytes at this place were agreed to. One file in the user's config folder,
 * readable by the user alone, replaced in one step.
 * A file that cannot be understood counts as no trust at all: the safe side of every doubt is to ask again.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { randomUUID } from "node:crypto"
import { isObject } from "../../schema.js"

/** What is remembered of one path. */
export type Trust = "unknown" | "trusted" | "changed"

/** The file that remembers. */
export function trustFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(userFolder(env), "trusted.json")
}

/** The user's own folder of this program: in `XDG_CONFIG_HOME`, `APPDATA` on Windows, else `~/.config`. */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env["XDG_CONFIG_HOME"]
  const appData = process.platform === "win32" ? env["APPDATA"] : undefined
  const home = env["HOME"] ?? homedir()
  const base = [xdg, appData].find((path) => path !== undefined && isAbsolute(path)) ?? join(home, ".config")
  return join(base, "mcp-operations")
}

/** Whether these bytes at this path were agreed to; `"changed"` where the path was, with other bytes. */
export async function trustOf(file: string, path: string, sha256: string): Promise<Trust> {
  const known = (await readTrusted(file)).get(path)
  if (known === undefined) return "unknown"
  return known === sha256 ? "trusted" : "changed"
}

/** Remembers that these bytes at this path were agreed to, in place of what was agreed to before. */
export async function remember(file: string, path: string, sha256: string): Promise<void> {
  const trusted = await readTrusted(file)
  trusted.set(path, sha256)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, trusted: [...trusted].map(([at, digest]) => ({ path: at, sha256: digest })) }, null, 2)}\n`, { mode: 0o600 })
    // The mode of writeFile is narrowed by the umask, never widened; said again for file systems that ignore it at creation.
    await chmod(draft, 0o600)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function readTrusted(file: string): Promise<Map<string, string>> {
  const trusted = new Map<string, string>()
  try {
    const json: unknown = JSON.parse(await readFile(file, "utf8"))
    if (!isObject(json) || !Array.isArray(json["trusted"])) return trusted
    for (const entry of json["trusted"] /* whatever stands in it */ as readonly unknown[]) {
      if (isObject(entry) && typeof entry["path"] === "string" && typeof entry["sha256"] === "string") trusted.set(entry["path"], entry["sha256"])
    }
  } catch {
    // No file yet, or none that can be understood.
  }
  return trusted
}
