/**
 * Modules of schemas for zod, valibot and others, printed by `@sinclair/typebox-codegen`.
 *
 * In: operations and a target. Out: a module, and the schemas that could not be printed, each with the limit that stopped it. A schema that cannot
 * be printed is left out and reported: never wrong code. The package is loaded when it is first needed.
 */
import { CallError } from "../error.js"
import { operationId, type OperationSpec } from "../operation.js"
import { forPackage, Unprintable, type ForeignTarget } from "./foreign_schema.js"
import { pascalCase, uniqueNames } from "./identifiers.js"

/** A schema that is not in the module. */
export interface UnprintedSchema {
  readonly operationId: string
  readonly side: "input" | "output"
  /** What the printing package cannot say. */
  readonly limit: string
}

/** A module, and what is missing in it. */
export interface ForeignModule {
  readonly text: string
  readonly unprinted: readonly UnprintedSchema[]
}

/** What is asked of the package. */
interface Printer {
  Generate(model: { types: unknown[] }): string
}

/**
 * The module for a target.
 *
 * @throws CallError CONFIGURATION_ERROR where the package is not installed.
 */
export async function foreignModule(operations: readonly OperationSpec[], target: ForeignTarget, header: string): Promise<ForeignModule> {
  const printer = await printerOf(target)
  const sorted = [...operations].sort((one, other) => (operationId(one) < operationId(other) ? -1 : 1))
  const severalServers = new Set(sorted.map(({ namespace }) => namespace)).size > 1
  const names = uniqueNames(sorted.map(operationId), (id) => pascalCase(severalServers ? id : id.slice(id.indexOf(".") + 1)))
  const unprinted: UnprintedSchema[] = []
  const types: { name: string; schema: object; operationId: string; side: "input" | "output" }[] = []
  for (const operation of sorted) {
    const id = operationId(operation)
    for (const side of ["input", "output"] as const) {
      const schema = side === "input" ? operation.inputSchema : operation.outputSchema
      if (side === "output" && Object.keys(schema).length === 0) continue
      const prepared = forPackage(schema, target)
      if (prepared instanceof Unprintable) unprinted.push({ operationId: id, side, limit: prepared.limit })
      else types.push({ name: `${names.get(id) ?? ""}${side === "input" ? "Input" : "Output"}`, schema: prepared, operationId: id, side })
    }
  }
  const imports = new Set<string>()
  const parts: string[] = []
  // One by one, so that one that the package fails on costs only itself; arktype makes one scope of all.
  for (const group of target === "arktype" ? [types] : types.map((type) => [type])) {
    try {
      const text = printer.Generate({ types: group.map(({ name, schema }) => ({ ...schema, $id: name })) })
      for (const line of text.match(/^import .*$/gm) ?? []) imports.add(line)
      parts.push(text.replaceAll(/^import .*\n/gm, "").trim())
    } catch (error) {
      for (const { operationId: id, side } of group) unprinted.push({ operationId: id, side, limit: `the package failed: ${error instanceof Error ? error.message.slice(0, 100) : String(error)}` })
    }
  }
  return { text: `${header}${[...imports].join("\n")}\n\n${parts.join("\n\n")}\n`, unprinted }
}

const PRINTERS: Readonly<Record<ForeignTarget, string>> = {
  zod: "ModelToZod",
  valibot: "ModelToValibot",
  arktype: "ModelToArkType",
  effect: "ModelToEffect",
  "io-ts": "ModelToIoTs",
  yup: "ModelToYup",
}

async function printerOf(target: ForeignTarget): Promise<Printer> {
  const name = PRINTERS[target]
  const printer = (await loadTypeBoxCodegen())[name]
  if (!isPrinter(printer)) throw new CallError("CONFIGURATION_ERROR", `The installed @sinclair/typebox-codegen has no ${name}`, { details: { remedy: "install @sinclair/typebox-codegen ^0.11" } })
  return printer
}

/**
 * The optional package, as it is.
 *
 * @throws CallError CONFIGURATION_ERROR where it is not installed.
 */
export async function loadTypeBoxCodegen(): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import("@sinclair/typebox-codegen")
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", "This target needs the package @sinclair/typebox-codegen, which is not installed", {
      details: { remedy: "npm install --save-dev @sinclair/typebox-codegen" },
      cause,
    })
  }
}

function isPrinter(value: unknown): value is Printer {
  return typeof value === "object" && value !== null && "Generate" in value && typeof value.Generate === "function"
}
