import type { TSchema } from "@sinclair/typebox"
import type { RandomSource } from "./random.mjs"
export const KEYS: readonly string[]
export function randomValue(random: RandomSource, depth?: number, keys?: readonly string[]): unknown
export function valueNear(
  random: RandomSource,
  schema: TSchema,
  options?: { mistakes?: number; definitions?: Record<string, TSchema>; depth?: number; keys?: readonly string[] },
): unknown
