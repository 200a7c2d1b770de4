/**
 * A seeded source of random choices, so that a failing pair can be made again from its number.
 *
 * In: a seed. Out: choices. The generator is mulberry32.
 */
export function randomSource(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    some: (list, probability) => list.filter(() => next() < probability),
  }
}
