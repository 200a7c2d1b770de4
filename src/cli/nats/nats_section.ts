/**
 * The member `nats` of a config: who calls, who works, and who may look at the health of workers.
 *
 * In: the text of the file. Out: the section, checked whole; every fault is told with line, column and JSON pointer, and never a value.
 * Read from the tree and not with JSON.parse: of a name that stands twice only one would be left, and who it lets in would depend on which.
 */
import { readFile } from "node:fs/promises"
import { Type, type Static } from "@sinclair/typebox"
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser"
import { CallError } from "../../error.js"
import { AccessControl } from "../../operation.js"
import { collectErrors } from "../../schema.js"

const closed = { additionalProperties: false }
const Names = Type.Array(Type.String())

const Caller = Type.Object({ scopes: Names, resources: Type.Optional(Type.Record(Type.String(), Names)), operations: Type.Optional(Names) }, closed)
const Worker = Type.Object({ expose: Type.Array(Type.String(), { minItems: 1 }) }, closed)

/** What an operation may demand: functions of a host's own cannot be named in a file. */
const Demand = Type.Omit(AccessControl, ["customAuth"], closed)

/** What may stand below `nats`. A caller is an identity without its id, and beside it what the server lets it call at all. */
const NATSSection = Type.Object(
  {
    prefix: Type.Optional(Type.String()),
    callers: Type.Optional(Type.Record(Type.String(), Caller)),
    access: Type.Optional(Type.Record(Type.String(), Demand)),
    workers: Type.Optional(Type.Record(Type.String(), Worker)),
    monitor: Type.Optional(Type.String()),
  },
  closed,
)
export type NATSSection = Static<typeof NATSSection>

/** One thing that is wrong in the file. */
interface Fault {
  readonly message: string
  readonly pointer: string
  readonly offset: number
}

const EXAMPLE = '"nats": { "callers": { "alice": { "scopes": [] } }, "workers": { "w1": { "expose": ["files.*"] } } }'

/**
 * The section of a config file.
 *
 * @throws CallError CONFIGURATION_ERROR where the file cannot be read, has no such member, or something in it is wrong.
 */
export async function readNATSSection(file: string): Promise<NATSSection> {
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (cause) {
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined
    throw new CallError("CONFIGURATION_ERROR", `The config file ${file} cannot be read${typeof code === "string" ? ` (${code})` : ""}`, {
      details: { file, remedy: "give the path of a readable JSON file" },
      cause,
    })
  }
  return parseNATSSection(text, file)
}

function parseNATSSection(text: string, file: string): NATSSection {
  const source = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text
  const slips: ParseError[] = []
  const root = parseTree(source, slips, { allowTrailingComma: true })
  const [slip] = slips
  if (slip !== undefined || root === undefined) {
    const message = slip === undefined ? "not valid JSON" : `not valid JSON: ${printParseErrorCode(slip.error)}`
    throw errorOf(source, file, [{ message, pointer: "", offset: slip?.offset ?? 0 }])
  }
  const node = findNodeAtLocation(root, ["nats"])
  if (node === undefined) {
    throw new CallError("CONFIGURATION_ERROR", `${file} has no member "nats" that says who calls and who works`, { details: { file, pointer: "/nats", remedy: `add ${EXAMPLE}` } })
  }
  const [, second] = (root.children ?? []).flatMap(({ children: [key] = [] }) => (key?.value === "nats" ? [key.offset] : []))
  const faults: Fault[] = second === undefined ? [] : [{ message: "the name stands here a second time", pointer: "/nats", offset: second }]
  const value = valueOf(node, "/nats", faults)
  for (const { path, message } of collectErrors(NATSSection, value)) {
    faults.push({ message, pointer: `/nats${path}`, offset: nodeAt(node, path).offset })
  }
  if (faults.length > 0) throw errorOf(source, file, faults)
  // collectErrors found nothing that does not fit.
  return value as NATSSection
}

/** Gives an error about a part of the section its place in the file. */
export function inSection(error: unknown, file: string): unknown {
  if (!(error instanceof CallError) || typeof error.details["pointer"] !== "string") return error
  const pointer = `/nats${error.details["pointer"]}`
  return new CallError(error.code, `${file}: ${error.message} (${pointer})`, { details: { ...error.details, file, pointer }, cause: error.cause })
}

/** The value of a node in objects without a prototype, so that every name is an ordinary one. */
function valueOf(node: Node, pointer: string, faults: Fault[]): unknown {
  if (node.type === "array") return (node.children ?? []).map((child, index) => valueOf(child, `${pointer}/${String(index)}`, faults))
  if (node.type !== "object") return node.value
  // Object.create is typed to give any; what it gives here is empty.
  const object = Object.create(null) as Record<string, unknown>
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined || typeof key.value !== "string") continue
    const at = `${pointer}/${key.value.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (key.value in object) faults.push({ message: "the name stands here a second time", pointer: at, offset: key.offset })
    object[key.value] = valueOf(value, at, faults)
  }
  return object
}

/** The node that an issue is about; where it is about something missing, the object that lacks it. */
function nodeAt(root: Node, path: string): Node {
  let node = root
  for (const token of path.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
    const next = findNodeAtLocation(node, [node.type === "array" ? Number(key) : key])
    if (next === undefined) break
    node = next
  }
  return node
}

function errorOf(text: string, file: string, faults: readonly Fault[]): CallError {
  const placed = faults.map(({ offset, ...fault }) => {
    const lines = text.slice(0, offset).split(/\r\n|\r|\n/)
    return { ...fault, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  })
  const told = placed.map(({ line, column, message, pointer }) => `${String(line)}:${String(column)}: ${message}${pointer === "" ? "" : ` (${pointer})`}`)
  const message = told.length === 1 ? `${file}:${told.join()}` : `${file} has ${String(told.length)} faults:\n  ${told.join("\n  ")}`
  return new CallError("CONFIGURATION_ERROR", message, {
    details: { file, pointer: placed[0]?.pointer ?? "", remedy: "mend each fault at the line and column that is given", faults: placed },
  })
}
