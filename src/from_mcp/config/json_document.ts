/**
 * JSON with comments as a tree of nodes that know where they stand.
 *
 * In: a text. Out: its root node, or one error with the line and column of the first slip.
 * A tree and not a plain value, because a plain value has lost the places, has merged double keys, and lets a key named
 * `__proto__` reach a prototype.
 */
import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser"
import type { Faults } from "./faults.js"

/** A value in the document, with its RFC 6901 pointer. */
export interface Located {
  readonly node: Node
  readonly pointer: string
}

/** A member of an object in the document; `offset` is where its key stands. */
export interface Member extends Located {
  readonly key: string
  readonly offset: number
}

/**
 * The root of a text of JSON with comments and trailing commas. A byte order mark is passed over.
 *
 * @throws CallError CONFIGURATION_ERROR where the text is no such thing.
 */
export function parseDocument(text: string, faults: Faults): Located {
  const errors: ParseError[] = []
  const bom = text.startsWith("\uFEFF") ? 1 : 0
  let root: Node | undefined
  try {
    root = parseTree(text.slice(bom), errors, { allowTrailingComma: true })
  } catch {
    // The parser goes down by recursion; only a text of thousands of brackets ends that way.
    faults.add({ message: "the text is nested too deeply", pointer: "", offset: 0 })
  }
  // Past the first slip the parser guesses, and its guesses are faults that nobody made.
  const [slip] = errors
  if (slip !== undefined) {
    faults.add({ message: `not valid JSON: ${spaced(printParseErrorCode(slip.error))}`, pointer: "", offset: slip.offset + bom })
  }
  faults.throwIfAny()
  // An absent root has just been thrown about.
  return { node: shifted(root as Node, bom), pointer: "" }
}

/** The members of an object in document order. A key that stands twice is a fault, and only its first place counts. */
export function membersOf(object: Located, faults: Faults, server?: string): Member[] {
  const members = new Map<string, Member>()
  for (const property of object.node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined || typeof key.value !== "string") continue
    const pointer = `${object.pointer}/${key.value.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (members.has(key.value)) faults.add({ message: "the name stands here a second time", pointer, offset: key.offset, server })
    else members.set(key.value, { key: key.value, node: value, pointer, offset: key.offset })
  }
  return [...members.values()]
}

/** The entries of an array in the document. */
export function entriesOf(array: Located): Located[] {
  return (array.node.children ?? []).map((node, index) => ({ node, pointer: `${array.pointer}/${index}` }))
}

function shifted(node: Node, by: number): Node {
  if (by === 0) return node
  return { ...node, offset: node.offset + by, ...(node.children === undefined ? {} : { children: node.children.map((child) => shifted(child, by)) }) }
}

/** `CommaExpected` -> `comma expected`. */
function spaced(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, " $&").toLowerCase()
}
