import type { RandomSource } from "./random.mjs"
import type { SuiteCase } from "./suite_cases.mjs"

export function wrapSchema(random: RandomSource, first: SuiteCase, second: SuiteCase, id: string): { schema: unknown; hold: (value: unknown) => unknown }
