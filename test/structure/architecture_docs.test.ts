/**
 * The architecture pages name files that exist, and the map of behaviours leads to one from every row.
 *
 * A path is a code span or a relative link that begins with a top folder of the repository or ends like a source file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"

const repository = fileURLToPath(new URL("../../", import.meta.url))
const folder = join(repository, "docs/architecture")
const pages = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => join(entry.parentPath, entry.name))
  : []

/** Paths in a markdown text; a span may end with `:name` or `#anchor`, which is left out. */
function pathsIn(markdown: string): string[] {
  const outsideBlocks = markdown.replace(/^\s*```[\s\S]*?^\s*```/gm, "")
  const spans = [...outsideBlocks.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? "")
  const links = [...outsideBlocks.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "").filter((link) => !/^(https?:|mailto:|#)/.test(link))
  const isPath = (span: string): boolean =>
    /^(src|test|docs|\.ci)\//.test(span) || /^[\w./-]+\.(ts|mts|mjs|cjs|md)$/.test(span.replace(/[:#].*$/, ""))
  return [...spans.filter(isPath), ...links].map((path) => path.replace(/[:#].*$/, "")).filter((path) => path !== "")
}

/** Found from the page, from the repository, or from src, where the doors are. */
function exists(path: string, page: string): boolean {
  return [dirname(page), repository, join(repository, "src")].some((base) => existsSync(join(base, path)))
}

test.each([
  ["a source file and a folder", "see `src/error.ts` and `test/structure/`", ["src/error.ts", "test/structure/"]],
  ["a file below src, with a name in it", "`from_mcp/port.ts:MCPPort`", ["from_mcp/port.ts"]],
  ["a relative link, not a foreign one", "[a](decisions/0001-x.md#why) [b](https://x.org/a.md)", ["decisions/0001-x.md"]],
  ["methods, packages and media types are no paths", "`tools/list` `@sinclair/typebox` `application/json` `meta.source`", []],
  ["a code block holds examples, not claims", "```ts\nimport `x/y.ts`\n```", []],
])("%s", (_what, markdown, paths) => {
  expect(pathsIn(markdown)).toEqual(paths)
})

describe("docs/architecture", () => {
  test.each(pages.map((page) => [relative(repository, page), page]))("%s names only files that exist", (_name, page) => {
    expect(pathsIn(readFileSync(page, "utf8")).filter((path) => !exists(path, page))).toEqual([])
  })

  test("the map of behaviours has a file in every row", () => {
    const page = join(folder, "README.md")
    const rows = readFileSync(page, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("|") && !/^\|[\s:|-]+\|$/.test(line))
      .slice(1)
    expect(rows.length).toBeGreaterThanOrEqual(10)
    expect(rows.filter((row) => pathsIn(row).filter((path) => exists(path, page)).length === 0)).toEqual([])
  })
})
