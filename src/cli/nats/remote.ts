/**
 * The workers of a NATS server, mirrored for as long as a command runs.
 *
 * In: the words of the command line, and what to do with the operations. Out: what that gives; mirror and connection are closed by then. What
 * is wrong with single workers is told on stderr; where no worker shows anything, that is the error, for the rest would only guess.
 */
import { CallError } from "../../error.js"
import { createRemoteRegistry, type RemoteRegistry, type RemoteReport } from "../../nats.js"
import type { Host } from "../host.js"
import { usageError } from "../usage_error.js"
import { printableLine } from "../view/printable.js"
import { screenOf } from "../view/screen.js"
import { waiting, type Say } from "../waiting.js"
import { connectAs, natsLogin } from "./nats_login.js"

/** What the command line says about workers. */
export interface RemoteWords {
  readonly nats: string
  readonly caller?: string | undefined
  readonly prefix?: string | undefined
}

/** Mirrors the workers and hands them on. @throws CallError TRANSPORT_ERROR without a NATS server, without workers, or where none shows anything */
export async function withWorkers<T>({ nats, caller, prefix }: RemoteWords, host: Host, use: (remote: RemoteRegistry, reports: readonly RemoteReport[], say: Say) => Promise<T>): Promise<T> {
  const login = natsLogin(nats, caller, host.env)
  const { name } = login
  if (name === undefined) throw usageError("Nobody is named who calls", "--caller NAME, or the user in the url: nats://NAME@HOST:4222")
  const reports: RemoteReport[] = []
  try {
    return await waiting(host, `looking for workers at ${login.hosts}`, async (say) => {
      const connection = await connectAs(name, login)
      try {
        const remote = await createRemoteRegistry({ connection, caller: name, prefix, onReport: (report) => reports.push(report) })
        try {
          requireOperations(remote, reports, name, login.hosts)
          return await use(remote, reports, say)
        } finally {
          await remote.close()
        }
      } finally {
        await connection.close()
      }
    })
  } finally {
    const { paint } = screenOf(host, host.stderr)
    host.stderr.write(reports.map(({ message }) => `${paint.notable("note")}   ${printableLine(message)}\n`).join(""))
  }
}

function requireOperations(remote: RemoteRegistry, reports: RemoteReport[], caller: string, hosts: string): void {
  const workers = remote.workers()
  if (workers.length === 0) {
    throw new CallError("TRANSPORT_ERROR", `No worker answered at ${hosts}`, {
      details: { kind: "no_workers", outcome: "not_started", remedy: "start one: mcp-operations serve --nats URL --config FILE; or give its --prefix" },
    })
  }
  const refusals = reports.filter(({ kind }) => kind === "catalogue")
  if (remote.list().length > 0 || refusals.length === 0) return
  // They are the error now, and are not told a second time.
  reports.length = 0
  throw new CallError("TRANSPORT_ERROR", `No worker shows "${caller}" its operations:${refusals.map(({ message }) => `\n  ${message}`).join("")}`, {
    details: { kind: "no_catalogue", outcome: "not_started", remedy: `let the config of the workers know the caller: "nats": { "callers": { "${caller}": { "scopes": [] } } }` },
  })
}
