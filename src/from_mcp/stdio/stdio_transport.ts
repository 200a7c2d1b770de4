/**
 * A server as a process: messages over its stdin and stdout, one a line.
 *
 * In: a command. Out: an SDK transport that also knows why it ended. The SDK's own stdio transport leaves the children of a
 * wrapper command running, closes the connection over one long line, forgets exit code and stderr, and reads a line again with
 * every chunk of it; so this one is ours.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { existsSync } from "node:fs"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { CallError, isCallError } from "../../error.js"
import { clip } from "../clip.js"
import type { ContextualTransport } from "../connection.js"
import type { Mask } from "../mask.js"
import type { StdioServerConfig } from "../server_config.js"
import type { Warn } from "../warning_log.js"
import { serverEnvironment } from "./environment.js"
import { LineSplitter } from "./line_splitter.js"
import { endTree, watchTree } from "./process_tree.js"
import { overlongLine, readLine, type LineReader } from "./read_line.js"
import { spawnForm } from "./spawn_form.js"
import { TextTail } from "./text_tail.js"

/** What a stdio transport knows of its surroundings. */
export interface StdioSettings {
  readonly server: string
  readonly mask: Mask
  readonly warn: Warn
  /** The longest line that is read. */
  readonly maxBytes: number
  /** Whether the process is ended also when the host is killed. */
  readonly orphanGuard?: boolean | undefined
}

/** How long a server that has greeted may take to end, and one that has not. */
const GRACE = { stdinMs: 500, termMs: 1_000 }
const GRACE_UNGREETED = { stdinMs: 0, termMs: 500 }
/** How long output is waited for that a process may have written right before its end. */
const LAST_WORDS_MS = 200
/** How long a process that has closed its stdin or stdout may take to exit, before it counts as lost. */
const SILENT_MS = 500

/** The transport of one process. It is started once. */
export class StdioTransport implements ContextualTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<ContextualTransport["onmessage"]>
  readonly limitsDepth = true
  readonly ignoresContext = true
  readonly network = { transport: "pipe" } as const
  lossReason: CallError | undefined
  private child: ChildProcessWithoutNullStreams | undefined
  private readonly stderr = new TextTail()
  private greeted = false
  private finished = false
  private closing: Promise<void> | undefined
  private drained: Promise<void> | undefined
  private readonly timers: ReturnType<typeof setTimeout>[] = []

  constructor(
    private readonly config: StdioServerConfig,
    private readonly settings: StdioSettings,
  ) {}

  start(): Promise<void> {
    const { command, args, env, cwd } = this.config
    if (this.child !== undefined) return Promise.reject(this.error("the process was started already", { kind: "spawn" }))
    let child: ChildProcessWithoutNullStreams
    try {
      const environment = serverEnvironment(process.env, env, process.platform)
      const form = spawnForm(command, args ?? [], { platform: process.platform, env: environment, exists: existsSync })
      child = spawn(form.command, form.args, {
        cwd,
        env: environment,
        windowsVerbatimArguments: form.verbatim,
        stdio: ["pipe", "pipe", "pipe"],
        // A group of its own, so that the whole tree can be signalled.
        detached: process.platform !== "win32",
        windowsHide: true,
      })
    } catch (cause) {
      return Promise.reject(isCallError(cause) ? cause : this.spawnError(cause))
    }
    this.child = child
    this.listen(child)
    if (child.pid !== undefined) watchTree(child, this.settings.orphanGuard === true ? (reason) => this.settings.warn("connection", reason) : undefined)
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve())
      child.once("error", (cause) => {
        const error = this.spawnError(cause)
        this.finish(error)
        reject(error)
      })
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin
    if (stdin === undefined || this.finished || !stdin.writable) {
      return Promise.reject(this.lossReason ?? this.error("the process takes no more messages", { kind: "closed", outcome: "not_started" }))
    }
    let line: string
    try {
      line = JSON.stringify(message)
    } catch (cause) {
      // What JSON cannot carry; whoever knows the request says so.
      return Promise.reject(cause)
    }
    if (stdin.write(`${line}\n`)) return SENT
    this.drained ??= new Promise((resolve) => {
      const done = () => {
        stdin.off("drain", done).off("close", done)
        this.drained = undefined
        resolve()
      }
      stdin.on("drain", done).on("close", done)
    })
    return this.drained
  }

  close(): Promise<void> {
    this.closing ??= this.closeNow()
    return this.closing
  }

  /** The handshake is done: from now on the process gets time to end by itself. */
  setProtocolVersion(): void {
    this.greeted = true
  }

  diagnose(): Record<string, unknown> {
    const stderr = this.stderr.text(this.settings.mask)
    return stderr === "" ? {} : { stderr }
  }

  private async closeNow(): Promise<void> {
    const { child } = this
    if (child !== undefined) await endTree(child, this.greeted ? GRACE : GRACE_UNGREETED)
    this.finish(undefined)
  }

  private listen(child: ChildProcessWithoutNullStreams): void {
    const reader: LineReader = {
      message: (message) => {
        // What it is made of is looked at by the message filter, which every message goes through.
        this.onmessage?.(message as JSONRPCMessage)
      },
      junk: (text) => this.settings.warn("junk", `The server wrote to its stdout what is no message: ${clip(text.trim(), 200)}`),
    }
    const lines = new LineSplitter(this.settings.maxBytes, {
      line: (line) => readLine(line, reader),
      overlong: (head, bytes) => overlongLine(head, bytes, this.settings.maxBytes, reader),
    })
    child.stdout.on("data", (chunk: Buffer) => lines.push(chunk))
    child.stdout.once("end", () => {
      lines.end()
      this.later(SILENT_MS, () => this.lost("the process closed its stdout", { kind: "closed" }))
    })
    child.stderr.on("data", (chunk: Buffer) => this.stderr.append(chunk))
    // Writing to a process that is gone: its exit tells the rest, unless it only does not read any more.
    child.stdin.on("error", () => this.later(SILENT_MS, () => this.lost("the process closed its stdin", { kind: "closed" })))
    for (const stream of [child.stdout, child.stderr]) stream.on("error", () => undefined)
    let exit: Exit = { code: null, signal: null }
    child.once("exit", (code, signal) => {
      exit = { code, signal }
      // A child of it may hold the pipes open, then "close" never comes.
      this.later(LAST_WORDS_MS, () => this.exited(exit))
    })
    child.once("close", () => this.exited(exit))
  }

  private exited({ code, signal }: Exit): void {
    const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`
    this.lost(`the process ${how}`, { kind: "exit", exitCode: code, signal })
  }

  private lost(reason: string, details: Readonly<Record<string, unknown>>): void {
    if (this.finished || this.child?.pid === undefined) return
    const { child } = this
    const loss = this.closing === undefined ? this.error(`${reason}${this.lastWords()}`, { ...details, ...this.diagnose() }) : undefined
    this.finish(loss)
    // What the leader started may still run.
    if (this.closing === undefined) this.closing = endTree(child, { stdinMs: 0, termMs: GRACE.termMs })
  }

  private finish(reason: CallError | undefined): void {
    if (this.finished) return
    this.finished = true
    this.lossReason = reason
    for (const timer of this.timers) clearTimeout(timer)
    const { child } = this
    // A process that left the group may hold the pipes; they must not keep the host alive.
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy()
    this.onclose?.()
  }

  private later(ms: number, run: () => void): void {
    if (!this.finished) this.timers.push(setTimeout(run, ms))
  }

  private lastWords(): string {
    const last = this.stderr.text(this.settings.mask).split("\n").at(-1)?.trim() ?? ""
    return last === "" ? "" : `; its last words: ${clip(last, 300)}`
  }

  private spawnError(cause: unknown): CallError {
    const { command, cwd } = this.config
    const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "UNKNOWN"
    const why = cwd !== undefined && !existsSync(cwd) ? `the folder "${cwd}" does not exist` : code
    return this.error(`cannot start "${command}": ${why}`, { kind: "spawn", systemCode: code, outcome: "not_started" }, cause)
  }

  private error(reason: string, details: Readonly<Record<string, unknown>>, cause?: unknown): CallError {
    const { server, mask } = this.settings
    return new CallError("TRANSPORT_ERROR", mask(`Server "${server}": ${reason}`), { details: { server, command: this.config.command, ...details }, cause })
  }
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const SENT = Promise.resolve()
