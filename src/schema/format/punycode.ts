/**
 * Punycode (RFC 3492): the ASCII form of an internationalised label, without its `xn--`.
 *
 * In and out: code points and ASCII text. Takes time quadratic in the label, so the caller gives it short ones: a label has 63
 * characters at most. Knows nothing of which labels are allowed.
 */

const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_N = 128

/** The code points of a Punycode text; undefined where it is none. */
export function decodePunycode(text: string): number[] | undefined {
  const hyphen = text.lastIndexOf("-")
  const points = Array.from(text.slice(0, Math.max(hyphen, 0)), (character) => character.charCodeAt(0))
  if (points.some((point) => point >= INITIAL_N)) return undefined
  let n = INITIAL_N
  let i = 0
  let bias = INITIAL_BIAS
  for (let at = hyphen + 1; at < text.length; ) {
    const before = i
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at++))
      if (digit === undefined) return undefined
      i += digit * weight
      const threshold = thresholdAt(k, bias)
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = points.length + 1
    bias = adapt(i - before, length, before === 0)
    n += Math.floor(i / length)
    if (n > 0x10ffff) return undefined
    i %= length
    points.splice(i++, 0, n)
  }
  return points
}

/** The Punycode of a label. */
export function encodePunycode(points: readonly number[]): string {
  const basic = points.filter((point) => point < INITIAL_N)
  let text = String.fromCharCode(...basic) + (basic.length > 0 ? "-" : "")
  let n = INITIAL_N
  let delta = 0
  let bias = INITIAL_BIAS
  for (let done = basic.length; done < points.length; ) {
    const next = Math.min(...points.filter((point) => point >= n))
    delta += (next - n) * (done + 1)
    n = next
    for (const point of points) {
      if (point < n) delta++
      if (point !== n) continue
      text += variableLength(delta, bias)
      bias = adapt(delta, done + 1, done === basic.length)
      delta = 0
      done++
    }
    delta++
    n++
  }
  return text
}

function variableLength(delta: number, bias: number): string {
  let text = ""
  let rest = delta
  for (let k = BASE; ; k += BASE) {
    const threshold = thresholdAt(k, bias)
    if (rest < threshold) return text + letterOf(rest)
    text += letterOf(threshold + ((rest - threshold) % (BASE - threshold)))
    rest = Math.floor((rest - threshold) / (BASE - threshold))
  }
}

function thresholdAt(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX)
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}

/** a to z are 0 to 25, 0 to 9 are 26 to 35. */
function letterOf(digit: number): string {
  return String.fromCharCode(digit + (digit < 26 ? 97 : 22))
}

function digitOf(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x61 : undefined
}
