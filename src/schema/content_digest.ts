/**
 * Names of texts that no other text has.
 *
 * In: text. Out: its SHA-256 (FIPS 180-4), or the first 128 bits of it, in hexadecimal. Written out here, since this room loads in runtimes
 * without `node:crypto`, and the one of browsers answers later. Strangers choose the texts, so a quick hash would not do: two
 * definitions of one name share a compiled function.
 */

/** The digest of a text. */
export function contentDigest(text: string): string {
  return sha256(text).slice(0, 32)
}

/** The whole SHA-256 of a text's UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const state = Uint32Array.from(START)
  const words = new Uint32Array(64)
  for (let offset = 0; offset < bytes.length; offset += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(offset + 4 * index)
    compress(state, words)
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("")
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = (Math.floor((bytes.length + 8) / 64) + 1) * 64
  const result = new Uint8Array(length)
  result.set(bytes)
  result[bytes.length] = 0x80
  new DataView(result.buffer).setBigUint64(length - 8, BigInt(bytes.length) * 8n)
  return result
}

function compress(state: Uint32Array, words: Uint32Array): void {
  for (let index = 16; index < 64; index++) {
    const [early, late] = [at(words, index - 15), at(words, index - 2)]
    const mixed = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    words[index] = at(words, index - 16) + mixed + at(words, index - 7) + (rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10))
  }
  let a = at(state, 0)
  let b = at(state, 1)
  let c = at(state, 2)
  let d = at(state, 3)
  let e = at(state, 4)
  let f = at(state, 5)
  let g = at(state, 6)
  let h = at(state, 7)
  for (let index = 0; index < 64; index++) {
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + at(CONSTANTS, index) + at(words, index)
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index++) state[index] = at(state, index) + at(added, index)
}

function at(words: ArrayLike<number>, index: number): number {
  return words[index] ?? 0
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes. */
const PRIMES = firstPrimes(64)
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const CONSTANTS = PRIMES.map((prime) => fraction(Math.cbrt(prime)))

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32) >>> 0
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  return primes
}
