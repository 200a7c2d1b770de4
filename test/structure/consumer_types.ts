/**
 * Checks texts as the strictest consumer of the built package would compile them.
 *
 * In: TypeScript modules. Out: what the compiler says of them and of the package's own declarations, which
 * `skipLibCheck` would hide; declarations of other packages are not this package's to answer for.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

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

/** One line for each complaint: the place of the module, the position in it, the message. */
export function consumerComplaints(packageFolder: string, modules: { place: string; text: string }[]): string[] {
  const folder = join(packageFolder, `consumer-${String(process.pid)}-${String(Date.now())}`)
  mkdirSync(folder)
  try {
    const places = new Map<string, string>()
    for (const [index, module] of modules.entries()) {
      const file = join(folder, `module_${String(index)}.ts`)
      writeFileSync(file, module.text)
      places.set(file, module.place)
    }
    const program = ts.createProgram([...places.keys()], strictest)
    const own = program.getSourceFiles().filter((file) => places.has(file.fileName) || file.fileName.startsWith(join(packageFolder, "dist")))
    return own
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .concat(program.getGlobalDiagnostics(), program.getOptionsDiagnostics())
      .map((diagnostic) => {
        const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
        if (diagnostic.file === undefined) return text
        const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0)
        return `${places.get(diagnostic.file.fileName) ?? diagnostic.file.fileName}+${String(line + 1)}: ${text}`
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
