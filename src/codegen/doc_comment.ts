/**
 * Words of a server as a doc comment.
 *
 * In: text of strangers. Out: comment lines. Nothing in it ends the comment, hides, or starts a tag of its own.
 */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
const WIDTH = 118
const MOST_LINES = 60

/** The comment, each of its lines indented and ended; nothing where there is nothing to say. */
export function docComment(texts: readonly (string | undefined)[], indent = ""): string {
  const paragraphs = texts.filter((text) => text !== undefined && text.trim() !== "").map((text) => linesOf(text ?? "", WIDTH - indent.length))
  const lines = paragraphs.flatMap((paragraph, index) => (index === 0 ? paragraph : ["", ...paragraph]))
  const [only] = lines
  if (only === undefined) return ""
  if (lines.length === 1) return `${indent}/** ${only} */\n`
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines
  return `${indent}/**\n${shown.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`
}

function linesOf(text: string, width: number): string[] {
  const clean = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(HIDDEN, "")
    .replaceAll("\t", "  ")
    .replaceAll("*/", "*\\/")
    // A tag would speak to tools in the name of this module.
    .replaceAll(/(^|[\s{])@(?=[A-Za-z])/g, "$1\\@")
  return clean.trim().split("\n").flatMap((line) => wrapped(line.trimEnd(), width))
}

function wrapped(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width)
    const at = space > width / 2 ? space : rest.indexOf(" ", width)
    if (at < 0) break
    lines.push(rest.slice(0, at))
    rest = rest.slice(at + 1)
  }
  return [...lines, rest]
}
