import type { TSchema } from "@sinclair/typebox"
import type { Value } from "@sinclair/typebox/value"
import type { collectErrors, compile, conform, ConformPolicy } from "../../src/schema.js"
export const POLICIES: readonly ConformPolicy[]
export function checkReport(
  library: { readonly conform: typeof conform; readonly compile: typeof compile; readonly collectErrors: typeof collectErrors },
  typebox: { readonly Value: typeof Value },
  schema: TSchema,
  value: unknown,
  isFitting?: (value: unknown) => boolean,
): string | undefined
