/**
 * The code blocks of a markdown file and of doc comments, with the line on which each begins.
 *
 * Out: plain texts; knows nothing of compilers. An info string is split into its language and its words (`sh run`).
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

export interface CodeBlock {
  /** File and line of the fence, as shown in a failure. */
  place: string
  language: string
  words: string[]
  text: string
}

/** Fenced blocks in order; an unclosed fence is an error. */
export function codeBlocks(markdown: string, file: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { block: CodeBlock; indent: string; lines: string[] } | undefined
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line)
    if (open === undefined) {
      if (fence === null) continue
      const [language = "", ...words] = (fence[2] ?? "").trim().split(/\s+/)
      open = { block: { place: `${file}:${index + 1}`, language, words, text: "" }, indent: fence[1] ?? "", lines: [] }
    } else if (fence !== null && fence[2] === "") {
      blocks.push({ ...open.block, text: `${open.lines.join("\n")}\n` })
      open = undefined
    } else {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    }
  }
  if (open !== undefined) throw new Error(`${open.block.place}: the block is not closed`)
  return blocks
}

/** The `ts` examples in the doc comments of every source file. */
export function docExamples(root: string): CodeBlock[] {
  return readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name)
      const text = readFileSync(file, "utf8")
      // Everything outside doc comments becomes an empty line, so that line numbers stay true.
      let inside = false
      const lines = text.split("\n").map((line) => {
        const starts = /^\s*\/\*\*/.test(line)
        if (starts) inside = true
        const kept = inside && !starts ? line.replace(/^\s*\*\/.*$/, "").replace(/^\s*\* ?/, "") : ""
        if (line.includes("*/")) inside = false
        return kept
      })
      return codeBlocks(lines.join("\n"), relative(root, file))
    })
    .filter((block) => block.language === "ts")
}
