/** Which patterns run as they are, which need care, which are not run; and that no text makes any of them slow. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readPattern, type PatternCheck } from "../../src/schema/pattern.js"
import { sharedDir } from "../fixtures/shared.js"
import { CATASTROPHIC, COMMON } from "./pattern_tables.js"

const LIMIT_MS = 100

/** Processor time, since other processes take turns on the machine: the least of ten runs, or the first one within the limit. */
function processorMs(run: () => unknown): number {
  let least = Infinity
  for (let turn = 0; turn < 10 && least >= LIMIT_MS; turn++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

function matches(check: PatternCheck, text: string): boolean {
  if (check.kind === "invalid") throw new Error("the pattern is invalid")
  return check.test(text)
}

describe("the kind of a pattern", () => {
  test.each(COMMON)("the everyday pattern %s is native", (source) => {
    expect(readPattern(source).kind).toBe("native")
  })

  test.each(CATASTROPHIC)("%s, known to hang an engine, is %s", (source, kind) => {
    expect(readPattern(source).kind).toBe(kind)
  })

  test.each([
    ["^.$", "a dot takes half of a pair without the flag"],
    ["^.{1,100}$", "so do counted dots"],
    ["^[^a][^b]$", "and negated classes beside each other"],
    [String.raw`^\p{L}+$`, "properties need the flag"],
    [String.raw`^\u{61}$`, "so do code points in braces"],
    ["^🐲*$", "and characters of two units"],
    [String.raw`^a\:b$`, "an escape that the flag forbids"],
    [String.raw`^[\w-.]+$`, "a range that the flag forbids"],
    ["^a\nb$", "TypeBox compiles no pattern that holds a line end"],
    [String.raw`^(.*)x\B`, "inside a pair there is no word boundary"],
  ])("%s needs an expression of our own: %s", (source) => {
    expect(readPattern(source).kind).toBe("unicode")
  })

  test.each(["(", "[a", "a{2,1}", "(?<n>a)(?<n>b)", "*a", String.raw`(?<a`, "(?P<name>x)"])("%s is no expression in any mode", (source) => {
    expect(readPattern(source)).toEqual({ kind: "invalid", reason: expect.any(String) as string })
  })

  test("a pattern of more than 1,000 characters is not enforced, and one of 1,000 is", () => {
    expect(readPattern("^" + "a".repeat(999)).kind).toBe("native")
    const long = readPattern("^" + "a".repeat(1_000))
    expect(long.kind).toBe("unenforced")
    expect(matches(long, "b")).toBe(true)
  })

  test("what is not or not wholly enforced says why", () => {
    for (const [source] of CATASTROPHIC) {
      const check = readPattern(source)
      expect(check.reason).toMatch(/enforced/)
    }
  })
})

describe("the check of a pattern", () => {
  /** The last one is let through: there are more ways to try it than is worth the time. */
  test.each([
    ["^.$", "😀", true],
    ["^.$", "ab", false],
    [String.raw`^\p{Letter}+$`, "héllo", true],
    [String.raw`^\p{Letter}+$`, "h1", false],
    [String.raw`^a\:b$`, "a:b", true],
    [String.raw`^a\:b$`, "a;b", false],
    ["^🐲*$", "🐲🐲", true],
    ["^🐲*$", "🐲x", false],
    ["es", "expression", true],
    ["^[^@]+@[^@]+$", "a@b", true],
    [String.raw`^\d+px$`, "12pt", false],
    [String.raw`^\s*(.*?)\s*$`, " a ", true],
    [String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`, "a@b", false],
    [String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`, "a@b.c", true],
    [String.raw`(\w+)\s\1\s\1`, "ab ab ac", false],
    ["^(a?){40}a{40}$", "b", false],
    ["^(a+)+$", "b", true],
    ["^(a?){40}a{40}$", "a".repeat(39), true],
  ])("%s on %j is %s", (source, text, expected) => {
    expect(matches(readPattern(source), text)).toBe(expected)
  })

  test("a bounded pattern is enforced up to 2,000 characters and not beyond", () => {
    const check = readPattern(String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`)
    expect(matches(check, "x".repeat(2_000))).toBe(false)
    expect(matches(check, "x".repeat(2_001))).toBe(true)
    expect(matches(check, "a@" + ".".repeat(1_997) + " ")).toBe(false)
  })

  test("no text makes a catastrophic pattern slow", () => {
    const slow = CATASTROPHIC.flatMap(([source, , text]) => {
      const check = readPattern(source)
      const ms = Math.max(processorMs(() => matches(check, text)), processorMs(() => matches(check, text.slice(0, 2_000))))
      return ms < LIMIT_MS ? [] : [`${source}: ${ms} ms`]
    })
    expect(slow).toEqual([])
  })

  test("no text of 100,000 characters makes an everyday pattern slow", () => {
    const texts = ["a", "a.", "a-", "1", ".", "a@", "-", " ", "/", "AbC1", "a,", "1:", "😀"].flatMap((part) => {
      const text = part.repeat(100_000 / part.length)
      return [text, `${text}!`, `a@${text}\n`, `http://${text}"`]
    })
    const slow = COMMON.flatMap((source) => {
      const check = readPattern(source)
      return texts.filter((text) => processorMs(() => matches(check, text)) >= LIMIT_MS).map((text) => `${source}: ${text.slice(0, 20)}`)
    })
    expect(slow).toEqual([])
  })

  test("a text of millions of characters never throws", () => {
    const check = readPattern("^(?:a|bc)*$")
    expect(() => matches(check, "abc".repeat(5_000_000) + "!")).not.toThrow()
  })
})

describe("the analysis", () => {
  const hostile: readonly (readonly [what: string, source: string])[] = [
    ["groups 500 deep", "(".repeat(499) + "a" + ")".repeat(499)],
    ["stars 330 deep", "(".repeat(330) + "a" + ")*".repeat(330)],
    ["a huge count", "a{1000000}"],
    ["huge counts in each other", "(?:(?:a{100000}){100000}){100000}"],
    ["many counts in a row", "[ab]{1,99}".repeat(99)],
    ["500 alternatives", Array.from({ length: 499 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("|")],
    ["240 alternatives repeated", `^(?:${Array.from({ length: 240 }, (_, i) => i.toString(36).padStart(3, "a")).join("|")})*$`],
    ["empty groups", "(|)".repeat(300)],
    ["optional characters", "a?".repeat(490)],
    ["optional characters repeated", `(?:${"a?".repeat(490)})*`],
    ["stars in a row", "a*".repeat(490)],
    ["240 letters apart", Array.from({ length: 240 }, (_, i) => String.fromCharCode(0x400 + i * 3) + "?").join("")],
    ["a combination for every subset", `^.*a${"[ab]".repeat(200)}$`],
    ["Unicode properties", String.raw`\p{L}`.repeat(190)],
    ["lookaheads in each other", "(?=a*".repeat(160) + ")".repeat(160)],
    ["references to references", String.raw`(a)(\1\1)(\2\2)(\3\3)(\4\4)(\5\5)(\6\6)(\7\7)(\8\8)(\9\9)(\10\10)(\11\11)(\12\12)(\13\13)`],
    ["references to a star", "(a*)" + String.raw`\1`.repeat(490)],
    ["lookbehinds", "(?<=a{30}b*)".repeat(70)],
    ["a reference inside its group", String.raw`(a\1)*`],
  ]

  test.each(hostile)("of %s ends soon", (_, source) => {
    // One more character, another one each time, makes it a pattern that was not read before.
    const more = ["q", "r", "s", "t", "u", "v", "w", "x", "y", "z"]
    expect(processorMs(() => readPattern(source + (more.pop() ?? "")))).toBeLessThan(LIMIT_MS)
    const check = readPattern(source)
    for (const text of ["a".repeat(2_000), "ab".repeat(1_000) + "!", "a".repeat(100_000)]) {
      expect(processorMs(() => matches(check, text))).toBeLessThan(LIMIT_MS)
    }
  })

  test("agrees with the engine on 1,500 random patterns, and is right about the flag", () => {
    const random = seeded(20_261_130)
    const disagreements: string[] = []
    const kinds = new Map<string, number>()
    for (let i = 0; i < 1_500; i++) {
      const source = randomPattern(random, 3)
      const check = readPattern(source)
      kinds.set(check.kind, (kinds.get(check.kind) ?? 0) + 1)
      const readings = ["u", ""].flatMap((flags) => compiled(source, flags))
      if ((check.kind === "invalid") !== (readings.length === 0)) disagreements.push(`${source} is ${check.kind}`)
      if (check.kind === "invalid" || check.kind === "unenforced") continue
      for (let k = 0; k < 12; k++) {
        const text = Array.from({ length: Math.floor(random() * 7) }, () => pick(random, CHARACTERS)).join("")
        const expected = readings[0]?.test(text)
        const same = check.kind !== "native" || (readings.length === 2 && readings[1]?.test(text) === expected)
        if (!same || check.test(text) !== expected) disagreements.push(`${source} (${check.kind}) on ${JSON.stringify(text)}`)
      }
    }
    expect(disagreements).toEqual([])
    for (const kind of ["native", "unicode", "bounded", "unenforced", "invalid"]) expect(kinds.get(kind)).toBeGreaterThan(20)
  })
})

const CHARACTERS = ["a", "b", "c", "-", "0", "é", "😀", "\n", " ", "A", "_", "{", "1", "]", "}", "\\", "\u0001", "\ud83d", "\ude00"]
const ATOMS = [
  ...["a", "b", "c", "-", "0", "é", "😀", ".", "[ab]", "[^a]", "[a-c]", "[^]", "[]", "[-a]", "]", "}", "{", "a{1", "*", "("],
  ...[String.raw`\d`, String.raw`\w`, String.raw`\W`, String.raw`\S`, String.raw`[\w-]`, String.raw`[^\d-]`, String.raw`\x61`],
  ...[String.raw`\u0062`, String.raw`\cA`, String.raw`[\b]`, String.raw`\-`, String.raw`\101`, String.raw`\c`, String.raw`\u{61}`],
  ...[String.raw`\ud83d\ude00`, String.raw`\p{L}`, String.raw`[^\p{Lu}]`, String.raw`\b`, String.raw`\B`, "(?=a)", "(?!.*b)", "(?<=a)"],
]

function randomPattern(random: () => number, depth: number): string {
  const inner = (): string => randomPattern(random, depth - 1)
  const kind = random()
  if (depth <= 0 || kind < 0.35) return pick(random, ATOMS)
  if (kind < 0.6) return inner() + inner()
  if (kind < 0.72) return `(?:${inner()}|${inner()})`
  if (kind < 0.76) return String.raw`(${inner()})\1`
  if (kind < 0.82) return pick(random, ["^", "$"]) + inner()
  return `(?:${inner()})${pick(random, ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?"])}`
}

function pick<T>(random: () => number, from: readonly T[]): T {
  const picked = from[Math.floor(random() * from.length)]
  if (picked === undefined) throw new Error("nothing to pick from")
  return picked
}

/** Numbers from 0 to 1 that are the same at every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state / 0x8000_0000
  }
}

function compiled(source: string, flags: string): RegExp[] {
  try {
    return [new RegExp(source, flags)]
  } catch {
    return []
  }
}

const shared = sharedDir()

describe.skipIf(shared === undefined)("the patterns of real tools (skipped where the folder shared/corpus is not beside the checkout)", () => {
  /** Quadratic, each of them: two loops beside each other that take the same characters. */
  const QUADRATIC = new Set([
    String.raw`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
    String.raw`^[a-zA-Z0-9._]+(?:[-._a-zA-Z0-9]*)$`,
    "^[a-z][a-z0-9-]*[a-z0-9]+$",
    String.raw`^(?!.*(?:^|,)(team|scim|mocks:deactivated),(?:.*,)?\1(?:$|,))(team|scim|mocks:deactivated)(,(team|scim|mocks:deactivated))*$`,
  ])

  test("are native, but for four that take quadratic time", () => {
    const folder = join(shared ?? "", "corpus")
    const sources = new Set<string>()
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
      collectPatterns(JSON.parse(readFileSync(join(folder, file), "utf8")), sources)
    }
    expect(sources.size).toBeGreaterThan(50)
    expect([...sources].filter((source) => readPattern(source).kind !== "native").sort()).toEqual([...QUADRATIC].sort())
    for (const source of QUADRATIC) expect(readPattern(source).kind).toBe("bounded")
  })
})

function collectPatterns(value: unknown, into: Set<string>): void {
  if (typeof value !== "object" || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === "pattern" && typeof member === "string") into.add(member)
    collectPatterns(member, into)
  }
}
