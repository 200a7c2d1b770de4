/**
 * The other way: TypeScript types of a file become operations to be filled in.
 *
 * In: the text of a TypeScript file. Out: a module with TypeBox schemas for its types, made by `@sinclair/typebox-codegen`, and for each type
 * called SomethingInput a `defineOperation` whose handler is still to be written. Reads text only; nothing of it is run.
 */
import { CallError } from "../error.js"
import { loadTypeBoxCodegen } from "./foreign_module.js"
import { camelCase } from "./identifiers.js"
import { stringLiteral } from "./literal.js"

/** How stubs are made. */
export interface FromTypesOptions {
  /** The namespace of the operations. Default `"local"`. */
  readonly namespace?: string | undefined
}

/**
 * The module of stubs.
 *
 * @throws CallError CONFIGURATION_ERROR where the package is not installed, cannot read the file, or would write code that is wrong.
 */
export async function operationsFromTypes(source: string, { namespace = "local" }: FromTypesOptions = {}): Promise<string> {
  const schemas = schemasOf(await loadTypeBoxCodegen(), source)
  const names = [...schemas.matchAll(/^(?:export )?const (\w+) = /gm)].map(([, name]) => name ?? "")
  refuseEarlyUse(schemas, names)
  const stubs = names.filter((name) => /.Input$/.test(name)).map((name) => stub(name, names, namespace))
  if (stubs.length === 0) {
    throw new CallError("CONFIGURATION_ERROR", "No type of the file is called SomethingInput, so there is no operation to make", { details: { remedy: "name the types of an operation GetUserInput and GetUserOutput" } })
  }
  const body = schemas.replaceAll(/^import .*\n/gm, "").trim()
  return `import { Type, defineOperation, type Static } from "mcp-operations"\n\n${body}\n\n${stubs.join("\n")}`
}

function schemasOf(codegen: Readonly<Record<string, unknown>>, source: string): string {
  const printer = codegen["TypeScriptToTypeBox"]
  try {
    // What the package documents; anything else throws right here.
    return (printer as { Generate(code: string): string }).Generate(source)
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", `@sinclair/typebox-codegen cannot read these types: ${cause instanceof Error ? cause.message.slice(0, 300) : String(cause)}`, { cause })
  }
}

/** The package writes types that need each other in the order of the file: what is used before it is made would fail when it is loaded. */
function refuseEarlyUse(schemas: string, names: readonly string[]): void {
  const parts = schemas.split(/^(?:export )?const (?=\w+ = )/m).slice(1)
  const made = new Set<string>()
  for (const part of parts) {
    const [, own = "", text = ""] = /^(\w+) = ([\s\S]*)/.exec(part) ?? []
    const early = names.find((name) => name !== own && !made.has(name) && new RegExp(`(?<![\\w"'.])${name}(?![\\w"':])`).test(text.replaceAll(/^(?:export )?type .*$/gm, "")))
    if (early !== undefined) {
      throw new CallError("CONFIGURATION_ERROR", `The type ${own} uses ${early} before that is made, which the package cannot write`, { details: { remedy: `put ${early} in front of ${own}; types that need each other are not supported` } })
    }
    made.add(own)
  }
}

function stub(input: string, names: readonly string[], namespace: string): string {
  const base = input.slice(0, -"Input".length)
  const output = names.includes(`${base}Output`) ? `${base}Output` : "Type.Unknown()"
  return `export const ${camelCase(base)} = defineOperation({
  namespace: ${stringLiteral(namespace)},
  name: ${stringLiteral(camelCase(base))},
  type: "mutation",
  inputSchema: ${input},
  outputSchema: ${output},
  handler: () => {
    throw new Error("${camelCase(base)} is not written yet")
  },
})
`
}
