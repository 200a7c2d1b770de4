import type { TSchema } from "@sinclair/typebox"
import type { RandomSource } from "./random.mjs"
export const EVEN: string
export function randomSchema(random: RandomSource): { schema: TSchema; definitions: Record<string, TSchema> }
