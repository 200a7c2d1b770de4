import type { RandomSource } from "./random.mjs"

export function valueFor(random: RandomSource, schema: unknown, root?: unknown, depth?: number): unknown
export function anyValue(random: RandomSource, depth?: number): unknown
export function mutated(random: RandomSource, value: unknown): unknown
