/**
 * Logins in files: one for each server, readable by the user alone, replaced in one step.
 *
 * In: a folder, and the url of a server. Out: a provider whose tokens outlive the process. While one process renews tokens the others
 * wait, and look whether that has been done before they do it again: the refresh token of many servers is valid once.
 * A file that cannot be understood counts as no login: to log in again is the safe side of every doubt.
 */
import { createHash, randomUUID } from "node:crypto"
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { CallError } from "../error.js"
import { isObject } from "../schema.js"
import type { AuthProvider } from "./auth_provider.js"
import { StoredProvider, type Login, type LoginOptions } from "./stored_provider.js"

/** A lock that is older belongs to a process that is gone: a renewal takes half a minute at most. */
const STALE_MS = 60_000
const LOOK_AGAIN_MS = 50

/** Keeps logins in a folder, which is made when it is first written to. */
export class FileTokenStore {
  /** By file: what is done with it one after the other in this process. */
  static readonly #queues = new Map<string, Promise<unknown>>()

  constructor(readonly folder: string) {}

  /** Whether there are tokens for the server; they may be too old. */
  async has(url: string): Promise<boolean> {
    return (await readLogin(this.#file(url))).tokens !== undefined
  }

  /**
   * The provider for a server: reads and renews what is stored. With `options.authorizationCode` it can also log in; without, a
   * server that wants a new login is answered by AUTH_REQUIRED.
   */
  provider(url: string, options: LoginOptions = {}): AuthProvider {
    const file = this.#file(url)
    return new StoredProvider(
      {
        read: () => readLogin(file),
        change: (change) => queued(FileTokenStore.#queues, file, async () => this.#write(file, change(await readLogin(file)))),
        exclusively: (work) => queued(FileTokenStore.#queues, `${file}.lock`, async () => this.#locked(file, work)),
      },
      options,
    )
  }

  /** Forgets the login of a server. */
  async forget(url: string): Promise<void> {
    await rm(this.#file(url), { force: true })
  }

  #file(url: string): string {
    if (!URL.canParse(url)) throw new CallError("CONFIGURATION_ERROR", "A login is kept by the url of its server, and this is none", { details: { remedy: "write it as https://host/path" } })
    const { origin, pathname, search } = new URL(url)
    const digest = createHash("sha256").update(`${origin}${pathname}${search}`).digest("hex")
    return join(this.folder, `${digest.slice(0, 32)}.json`)
  }

  async #write(file: string, login: Login): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const draft = `${file}.${randomUUID()}`
    try {
      await writeFile(draft, `${JSON.stringify({ version: 1, ...login }, null, 2)}\n`, { mode: 0o600 })
      // Said again for file systems that ignore the mode at creation.
      await chmod(draft, 0o600)
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  /** Runs the work while this process holds the lock file. */
  async #locked<T>(file: string, work: () => Promise<T>): Promise<T> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const lock = `${file}.lock`
    while (!(await isTaken(lock))) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    try {
      return await work()
    } finally {
      await rm(lock, { force: true })
    }
  }
}

/** True where the lock is this process's now. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
  if (await isLeftOver(lock)) await rm(lock, { force: true })
  return false
}

/** True where whoever took the lock is gone. */
async function isLeftOver(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock)
    if (Date.now() - mtimeMs > STALE_MS) return true
    const owner: unknown = JSON.parse(await readFile(lock, "utf8"))
    return isObject(owner) && owner["host"] === hostname() && typeof owner["pid"] === "number" && !isAlive(owner["pid"])
  } catch {
    // Gone by now, or not written to its end.
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function queued<T>(queues: Map<string, Promise<unknown>>, key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve()
  const now = before.then(work, work)
  queues.set(key, now)
  const forget = () => {
    if (queues.get(key) === now) queues.delete(key)
  }
  now.then(forget, forget)
  return now
}

async function readLogin(file: string): Promise<Login> {
  try {
    const json: unknown = JSON.parse(await readFile(file, "utf8"))
    if (!isObject(json)) return {}
    // What this store has written; the one member that is used of each is checked.
    const { client, tokens } = json as Login
    return {
      ...(typeof client?.client_id === "string" && { client }),
      ...(typeof tokens?.access_token === "string" && { tokens }),
    }
  } catch {
    // No file yet, or none that can be understood.
    return {}
  }
}
