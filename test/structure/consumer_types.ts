/**
 * Checks texts as the strictest consumer of the built package would compile them.
 *
 * In: TypeScript modules. Out: what the compiler says of them and of the package's own declarations, which
 * `skipLibCheck` would hide; declarations of other packages are not this package's to answer for.
 */
import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { root as repository } from "../fixtures/built_package.js"

const strictest: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
}

/**
 * One line for each complaint: the place of the module, the line in it, the message.
 *
 * @param home the folder of a consumer who has the package installed; the modules are written there
 */
export function consumerComplaints(home: string, modules: { place: string; text: string }[]): string[] {
  const places = new Map<string, string>()
  for (const [index, module] of modules.entries()) {
    const file = join(home, `module_${String(index)}.ts`)
    writeFileSync(file, module.text)
    places.set(file, module.place)
  }
  const compiled = join(realpathSync(join(home, "node_modules/mcp-operations")), "dist")
  const program = ts.createProgram([...places.keys()], { ...strictest, typeRoots: [join(repository, "node_modules/@types")] })
  return program
    .getSourceFiles()
    .filter((file) => places.has(file.fileName) || file.fileName.startsWith(compiled))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .concat(program.getGlobalDiagnostics(), program.getOptionsDiagnostics())
    .map((diagnostic) => {
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
      if (diagnostic.file === undefined) return text
      const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0)
      return `${places.get(diagnostic.file.fileName) ?? diagnostic.file.fileName}+${String(line + 1)}: ${text}`
    })
}
