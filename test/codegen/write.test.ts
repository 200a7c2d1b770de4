import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { writeFiles } from "../../src/codegen.js"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-write-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("files", () => {
  test("are made with their folder, changed, and left alone where they are the same", async () => {
    const out = join(folder, "deep/out")
    expect(await writeFiles(out, [{ name: "a.ts", text: "1\n" }])).toEqual({ created: [join(out, "a.ts")], changed: [], unchanged: [] })
    const before = (await stat(join(out, "a.ts"))).mtimeMs
    await writeFile(join(out, "other.ts"), "not ours\n")
    expect(await writeFiles(out, [{ name: "a.ts", text: "1\n" }, { name: "b.ts", text: "2\n" }])).toEqual({ created: [join(out, "b.ts")], changed: [], unchanged: [join(out, "a.ts")] })
    expect((await stat(join(out, "a.ts"))).mtimeMs).toBe(before)
    expect(await writeFiles(out, [{ name: "a.ts", text: "3\n" }])).toMatchObject({ changed: [join(out, "a.ts")] })
    expect(await readFile(join(out, "a.ts"), "utf8")).toBe("3\n")
    // No draft is left, and nothing that was not given is touched.
    expect((await readdir(out)).sort()).toEqual(["a.ts", "b.ts", "other.ts"])
  })

  test("are not written by a check", async () => {
    const out = join(folder, "checked")
    expect(await writeFiles(out, [{ name: "a.ts", text: "1\n" }], { check: true })).toMatchObject({ created: [join(out, "a.ts")] })
    await expect(readdir(out)).rejects.toThrow("ENOENT")
  })

  test("that cannot be written are named", async () => {
    await writeFile(join(folder, "file"), "")
    await expect(writeFiles(join(folder, "file"), [{ name: "a.ts", text: "" }])).rejects.toMatchObject({ code: "CONFIGURATION_ERROR", details: { file: join(folder, "file/a.ts") } })
  })
})

test("a project's prettier is used, with its settings, unless it is left out", async () => {
  const cache = fileURLToPath(new URL("../../.cache", import.meta.url))
  await mkdir(cache, { recursive: true })
  // Inside of this project, whose prettier is found from there.
  const project = await mkdtemp(join(cache, "formatted-"))
  try {
    await writeFile(join(project, ".prettierrc"), `{ "semi": true, "singleQuote": true }`)
    const files = [{ name: "a.ts", text: `export const a = { b: "c" }\n` }]
    await writeFiles(project, files)
    expect(await readFile(join(project, "a.ts"), "utf8")).toBe(`export const a = { b: 'c' };\n`)
    expect(await writeFiles(project, files)).toMatchObject({ unchanged: [join(project, "a.ts")] })
    await writeFiles(project, files, { format: false })
    expect(await readFile(join(project, "a.ts"), "utf8")).toBe(files[0]?.text)
  } finally {
    await rm(project, { recursive: true, force: true })
  }
})
