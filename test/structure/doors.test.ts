/**
 * Every name that a door exports has a doc block that says what the caller gets.
 *
 * Asks the compiler, since a door only lists names: the doc block stands where the name is declared.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { beforeAll, describe, expect, test } from "vitest"

const source = fileURLToPath(new URL("../../src", import.meta.url))
const doors = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => entry.name)

let program: ts.Program
let checker: ts.TypeChecker
beforeAll(() => {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true }
  program = ts.createProgram(doors.map((door) => join(source, door)), options)
  checker = program.getTypeChecker()
}, 180_000)

function exportsOf(door: string): { name: string; declared: ts.Symbol }[] {
  const file = program.getSourceFile(join(source, door))
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) return []
  return checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    declared: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  }))
}

describe("every name that a door exports", () => {
  test.each(doors)("%s is documented where it is declared", (door) => {
    const bare = exportsOf(door)
      .filter(({ declared }) => declared.declarations?.some((one) => one.getSourceFile().fileName.startsWith(source)))
      .filter(({ declared }) => ts.displayPartsToString(declared.getDocumentationComment(checker)).trim() === "")
    expect(bare.map((one) => one.name)).toEqual([])
  })

  test("is seen by this check: the root door and the errors list the class that is thrown", () => {
    for (const door of ["index.ts", "error.ts"]) expect(exportsOf(door).map((one) => one.name)).toContain("CallError")
  })
})
