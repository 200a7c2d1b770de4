import type { Type } from "@sinclair/typebox"
import type { TypeCompiler } from "@sinclair/typebox/compiler"
import type { Value } from "@sinclair/typebox/value"
import type { collectErrors, compile, FromSchema, FromSchemaOptions } from "../../src/schema.js"

export interface LibraryUnderTest {
  readonly FromSchema: typeof FromSchema
  readonly compile: typeof compile
  readonly collectErrors: typeof collectErrors
}
export interface TypeBox {
  readonly Type: typeof Type
  readonly Value: typeof Value
  readonly TypeCompiler: typeof TypeCompiler
}
export function roadsOf(
  library: LibraryUnderTest,
  typebox: TypeBox,
  schema: unknown,
  options: FromSchemaOptions,
): (value: unknown) => Record<string, unknown> | undefined
