/**
 * The blocks are found, so that a README check of nothing cannot pass.
 */
import { expect, test } from "vitest"
import { codeBlocks } from "./code_blocks.js"

test("a block has its line, language, words and text, and an indented one loses its indent", () => {
  const markdown = ["# Title", "```ts run", "const a = 1", "```", "- item", "  ```sh", "  ls", "    deeper", "  ```", ""].join("\n")
  expect(codeBlocks(markdown, "README.md")).toEqual([
    { place: "README.md:2", language: "ts", words: ["run"], text: "const a = 1\n" },
    { place: "README.md:6", language: "sh", words: [], text: "ls\n  deeper\n" },
  ])
})

test("a block without an end is an error that names its line", () => {
  expect(() => codeBlocks("text\n```ts\nconst a = 1\n", "README.md")).toThrow("README.md:2: the block is not closed")
})
