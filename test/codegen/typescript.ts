/**
 * Generated modules before the compiler, with the strict settings that a careful project has.
 *
 * In: modules as texts. Out: what the compiler says about them, one line each.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
}

/** Compiles modules in a folder from which `mcp-operations` is found; gives the complaints. */
export function complaints(folder: string, modules: readonly { readonly name: string; readonly text: string }[]): string[] {
  const paths = modules.map(({ name, text }) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  })
  const program = ts.createProgram(paths, STRICT)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const place = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0)
    const line = place === undefined ? "" : (diagnostic.file?.text.split("\n")[place.line] ?? "").slice(0, 200)
    return `${diagnostic.file?.fileName.split("/").at(-1) ?? ""}:${place === undefined ? "" : String(place.line + 1)} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ").slice(0, 300)} | ${line}`
  })
}

/** The module as JavaScript. */
export function javaScript(text: string): string {
  return ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } }).outputText
}

/** Every `any` that stands in the text as a type. */
export function anyTypes(text: string): string[] {
  const file = ts.createSourceFile("module.ts", text, ts.ScriptTarget.ES2022, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(node.parent.getText().slice(0, 100))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}
