/**
 * What a worker says of itself, as a mirror reads it.
 *
 * In: a message of an announcement subject. Out: the announcement, or why it is none. The server lets a worker publish under its own name
 * alone, so the subject says who speaks, and a body that names somebody else is refused.
 */
import type { AnnouncedLoad } from "./announcer.js"
import type { NATSMessage } from "./connection.js"
import { Misread, readMessage } from "./frames.js"
import { isToken, type Subjects } from "./subjects.js"

/** A worker's word that it is there. */
export interface Announcement {
  readonly worker: string
  readonly hash: string
  readonly count: number
  readonly load: AnnouncedLoad
  readonly draining: boolean
}

const MAX_BYTES = 4 * 1024
const HASH = /^[0-9a-f]{64}$/

/** True for a text that can be the hash of a catalogue. */
export function isCatalogueHash(text: unknown): text is string {
  return typeof text === "string" && HASH.test(text)
}

/** Reads an announcement. */
export function readAnnouncement({ subject, data }: NATSMessage, subjects: Subjects): Announcement | Misread {
  const speaker = subjects.lastToken(subject)
  if (!isToken(speaker) || speaker === "all") return new Misread("its subject names no worker")
  if (data.length > MAX_BYTES) return new Misread("it is too long")
  const message = readMessage(data)
  if (message instanceof Misread) return message
  const { worker, catalogHash, count, load, draining } = message
  if (worker !== speaker) return new Misread("it speaks for another worker")
  if (!isCatalogueHash(catalogHash)) return new Misread("its hash is none")
  if (!isCount(count) || !isLoad(load)) return new Misread("its count or load is none")
  return {
    worker: speaker,
    hash: catalogHash,
    count,
    load: { inFlight: load.inFlight, queued: load.queued, concurrency: load.concurrency },
    draining: draining === true,
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isLoad(value: unknown): value is AnnouncedLoad {
  return (
    typeof value === "object" &&
    value !== null &&
    "inFlight" in value &&
    isCount(value.inFlight) &&
    "queued" in value &&
    isCount(value.queued) &&
    "concurrency" in value &&
    isCount(value.concurrency)
  )
}
