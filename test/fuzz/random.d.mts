export interface RandomSource {
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  some<T>(list: readonly T[], probability: number): T[]
}
export function randomSource(seed: number): RandomSource
