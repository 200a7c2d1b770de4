/**
 * What strangers write into names, descriptions and schemas stays in its string or comment.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { generateModules } from "../../src/codegen.js"
import { specFromJSON, type OperationSpecJSON } from "../../src/operation.js"
import { installBuiltPackage } from "../fixtures/built_package.js"
import { anyTypes, complaints, javaScript } from "./typescript.js"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "codegen-hostile-")))
beforeAll(() => installBuiltPackage(folder), 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SHOT = "globalThis.canary.push(1)"
const TEXTS = [
  `*/ ${SHOT} /*`,
  `*\\/ ${SHOT}`,
  `"; ${SHOT}; "`,
  `'; ${SHOT}; '`,
  `\`; ${SHOT}; \``,
  `\${${SHOT}}`,
  `\\"); ${SHOT}; ("`,
  `\u2028${SHOT}\u2029${SHOT}`,
  `\n${SHOT}\n`,
  `\r${SHOT}\r`,
  `// ${SHOT}`,
  `</script><script>${SHOT}</script>`,
  `@deprecated {@link ${SHOT}}`,
  `\u0000\u0008\u202e${SHOT}\u2066`,
  `]; ${SHOT}; [`,
  `}, ${SHOT}, {`,
]
const NAMES = ["__proto__", "constructor", "prototype", "toString", "delete", "default", "await", "class", "new", "arguments", "eval", "then", "", "a b", "🦊", "１"]

function hostileTool(text: string, name: string): OperationSpecJSON {
  const member = { type: "string", description: text, default: text, title: text }
  // As JSON, so that `__proto__` is a member like any other.
  const properties: unknown = JSON.parse(JSON.stringify({ plain: member }).replace(/\}$/, `,${JSON.stringify(text)}:${JSON.stringify(member)},${JSON.stringify(name)}:{"const":${JSON.stringify(text)}}}`))
  return {
    name,
    namespace: "evil",
    version: text,
    type: "mutation",
    title: text,
    description: text,
    inputSchema: { type: "object", description: text, properties, required: [text], patternProperties: {}, $defs: { [text]: { enum: [text, 1] } } },
    outputSchema: { $id: text, $comment: text, anyOf: [{ $ref: `#/$defs/${text.replaceAll("~", "~0").replaceAll("/", "~1")}` }, { type: "object", uniqueItems: true, if: { const: { [name]: text } } }], $defs: { [text]: { type: "object", properties: { [text]: { $ref: "#" } } } } },
  }
}

test("modules of hostile servers compile, load, and run nothing of what was said", async () => {
  const canary: number[] = []
  Object.assign(globalThis, { canary })
  const tools = TEXTS.flatMap((text, index) => [hostileTool(text, `${text} ${index}`), hostileTool(text, NAMES[index] ?? text)])
  const seen = new Set<string>()
  const operations = tools.filter(({ name }) => name !== "" && !seen.has(name) && seen.add(name)).map(specFromJSON)
  for (const target of ["typebox", "types"] as const) {
    for (const names of ["camel", "as-is"] as const) {
      const [module] = generateModules(operations, { target, names, header: TEXTS.join("") })
      if (module === undefined) throw new Error("no module was made")
      expect(complaints(folder, [{ name: `${target}_${names}.ts`, text: module.text }])).toEqual([])
      expect(anyTypes(module.text)).toEqual([])
      const path = join(folder, `${target}_${names}.mjs`)
      writeFileSync(path, javaScript(module.text))
      const loaded = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown> // A module is its names.
      if (target === "types") continue
      const make = loaded["createEvil"] as (source: object) => Record<string, (input: unknown) => Promise<unknown>> // Seen in the text.
      const calls: string[] = []
      const client = make({ execute: (id: string) => Promise.resolve(calls.push(id)) })
      expect(Object.getPrototypeOf(client)).toBe(Object.prototype)
      for (const method of Object.keys(client)) await client[method]?.({})
      expect(calls.sort()).toEqual(operations.map(({ name }) => `evil.${name}`).sort())
    }
  }
  expect(canary).toEqual([])
  expect(({} as Record<string, unknown>)["plain"]).toBeUndefined()
}, 180_000)

test("the canary is one that sings", () => {
  const canary: number[] = []
  Object.assign(globalThis, { canary })
  // What would run if a text got out of its place.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function(SHOT)()
  expect(canary).toEqual([1])
})
