/** The formats, one by one: what they take and what they refuse, in this table and in the JSON Schema test suite. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { DIALECTS, type Dialect } from "../../src/schema/dialect.js"
import { formatCheck } from "../../src/schema/format.js"
import { sharedDir } from "../fixtures/shared.js"

const TABLE: Readonly<Record<string, { takes: readonly string[]; refuses: readonly string[] }>> = {
  date: {
    takes: ["2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"],
    refuses: ["1900-02-29", "2023-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-1-1", "20230101", " 2023-01-01", "2023-01-01\n", "٢٠٢٣-01-01"],
  },
  time: {
    takes: ["00:00:00Z", "23:59:60Z", "23:59:59.999999999z", "18:59:60-05:00", "12:00:00+23:59"],
    refuses: ["24:00:00Z", "12:00:00", "12:60:00Z", "12:00:60Z", "23:59:60+05:00", "12:00:00+24:00", "12:00:00.Z", "12:00Z", "12:00:00Z ", ""],
  },
  "date-time": {
    takes: ["2024-02-29T23:59:60Z", "2024-01-01t00:00:00z", "2024-01-01T00:00:00.1+05:30"],
    refuses: ["2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2023-02-29T00:00:00Z", "2024-01-01", "T", "2024-01-01T00:00:00+0530"],
  },
  duration: {
    takes: ["P1Y", "P1Y2M3DT4H5M6S", "PT0S", "P3W", "P1M2D", "PT36H"],
    refuses: ["P", "PT", "P1YT", "P1Y3D", "PT1H3S", "P1W1D", "1Y", "P-1D", "P1.5D", "p1d", "P1D\n"],
  },
  email: {
    takes: ["a@b", "a.b+c@d-e.example", '"a b"@c', String.raw`"a\"b"@c`, "a@[127.0.0.1]", "a@[IPv6:::1]", `${"a".repeat(64)}@b`, "A!#$%&'*+/=?^_`{|}~@b"],
    refuses: ["a", "@b", "a@", "a@@b", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b_c", "a@-b", "a@b.", "a@[300.0.0.1]", "a@[::1]", '"a"b"@c', "é@b", `${"a".repeat(65)}@b`],
  },
  "idn-email": {
    takes: ["δοκιμή@παράδειγμα.δοκιμή", "用户@例子.广告", "a@b", '"é f"@g', "a@xn--fsq.com"],
    refuses: ["用户", "é@", "@é", "é@é..é", "é@-é", `${"é".repeat(33)}@b`, "é@é@é"],
  },
  hostname: {
    takes: ["a", "A-1.b", "1.2.3.4", "xn--bcher-kva.example", `${"a".repeat(63)}.b`, Array.from({ length: 127 }, () => "a").join(".")],
    refuses: ["", ".", "a.", "-a", "a-", "a_b", "a..b", "a b", "bücher.example", "xn--", "xn--a", "a".repeat(64), Array.from({ length: 128 }, () => "a").join(".")],
  },
  "idn-hostname": {
    takes: ["bücher.example", "straße.de", "例え。テスト", "l·l", "a", "مثال.إختبار", "क्‍ष", "xn--bcher-kva", "ü", "Ꭰ"],
    refuses: ["Bücher.example", "ü\u0000", "", "-ü", "ü-", "ü..a", "ab--ü", "ª", "ﬁ", "ǆ", "ꭰ", "ᾳ", "ͅa", "a·l", "٠۰", "aא", "̈a", "ü".repeat(60), "☃", "a\u200db"],
  },
  ipv4: {
    takes: ["0.0.0.0", "255.255.255.255", "1.20.30.4"],
    refuses: ["1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "1.2.3.", "0x1.2.3.4", "1,2,3,4", "", "١.2.3.4"],
  },
  ipv6: {
    takes: ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "FE80::A"],
    refuses: [":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7:8::", "::1.2.3", "::1.2.3.4:5", "12345::", "::g", "fe80::1%eth0", "[::1]", "::1/64", "1.2.3.4::", ""],
  },
  uri: {
    takes: ["http://a", "a:", "a:b", "http://u:p@h:80/p?q#f", "http://[::1]:8080/", "http://[v1.a:b]/", "urn:isbn:1", "file:///etc", "http://h/%41?a=/?", "http://a:/", "x+y-z.1:"],
    refuses: ["", "a", "/a", "//a", "1a:b", "http://a b", "http://é/", "http://a/%4", "http://a/%zz", "http://[::1", "http://[1]/", "http://a:b/", "http://a#b#c", "http://a@b@c/", "http://h/[", "a:\\b", "http://a\n"],
  },
  "uri-reference": {
    takes: ["", "a", "/a", "//a/b", "?q", "#f", "./a:b", "a/b:c", "http://a"],
    refuses: ["a:b c", "1:a", ":a", "//[", "#a#b", "é", "a%"],
  },
  iri: {
    takes: ["http://é/é?é#é", "http://例え/テスト", "http://a/?\ue000", "urn:é"],
    refuses: ["é", "http://a/\ue000", "http://a b", "http://a/\ufdd0", "http://a/\ud800", "http://a/\u0080"],
  },
  "iri-reference": { takes: ["é", "#é", "//é", ""], refuses: ["é:b", "a\u2028\ufffe", "#\\", "é "] },
  "uri-template": {
    takes: ["", "a", "{a}", "{+a,b*,c:3}", "{/a.b}", "{%41}", "{?a}{&b}", "é{a}", "a%20b"],
    refuses: ["{", "}", "{}", "{a", "a}", "{{a}}", "{a b}", "{a:}", "{a:10000}", "{a*:1}", "{a:1*}", "{.}", "{a.}", "{a*b}", "a b", "%", "%4{a}1", '"', "<a>", "{+}", "{-a}"],
  },
  "json-pointer": { takes: ["", "/", "/a/b", "/~0~1", "/é", "//"], refuses: ["a", "#", "#/a", "/~", "/~2", "/a~"] },
  "relative-json-pointer": { takes: ["0", "1/a", "10#", "0/~0", "2/"], refuses: ["", "#", "/a", "01", "-1", "1#a", "1/~", "1a", "0##"] },
  regex: {
    takes: ["", "a+", "[a-z]*", String.raw`\p{L}`, "(?<a>b)", "(?<=a)b", "[]", String.raw`\p{Script=Greek}`],
    refuses: ["(", "[", "*", "a{2,1}", String.raw`\a`, String.raw`\p{Nothing}`, "(?P<a>b)", "a**", "\\", String.raw`[\p{L}-z]`],
  },
  uuid: {
    takes: ["00000000-0000-0000-0000-000000000000", "2EB8AA08-aa98-11ea-b4aa-73b441d16380", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    refuses: ["", "2eb8aa08aa9811eab4aa73b441d16380", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g", "2eb8aa08-aa98-11ea-b4aa-73b441d16380\n"],
  },
}

describe.each(Object.entries(TABLE))("%s", (name, { takes, refuses }) => {
  const check = formatCheck(name, "2020-12")

  test.each(takes)("takes %j", (text) => {
    expect(check?.(text)).toBe(true)
  })

  test.each(refuses)("refuses %j", (text) => {
    expect(check?.(text)).toBe(false)
  })
})

describe("a format", () => {
  test("that nobody defined is unknown in every dialect", () => {
    for (const dialect of DIALECTS) {
      for (const name of ["int64", "color", "", "toString", "__proto__", "Date", "unknown"]) expect(formatCheck(name, dialect)).toBeUndefined()
    }
  })

  test("of a newer dialect is known to the older ones", () => {
    expect(formatCheck("uuid", "draft-04")?.("no")).toBe(false)
  })

  test("hostname looks into A-labels from draft-07 on", () => {
    expect(DIALECTS.map((dialect) => formatCheck("hostname", dialect)?.("xn--x"))).toEqual([true, true, false, false, false])
  })

  test("takes time linear in the text, and no stack", () => {
    const parts = ["a", "1", ".", ":", "/", "%41", "@", "{", "{a}", "{a,", "~0", "P1Y", "(", "()", "[", "é", "😀", "ب\u200c", "\\1", "a|", String.raw`\p{L}`, "\ud800", "xn--"]
    const slow = Object.keys(TABLE).flatMap((name) =>
      parts.flatMap((part) => {
        const text = part.repeat(200_000 / part.length)
        // Other work of the machine makes one run slow, and not ten.
        let leastMs = Infinity
        for (let turn = 0; turn < 10 && leastMs > 500; turn++) {
          const before = process.cpuUsage()
          formatCheck(name, "2020-12")?.(text)
          formatCheck(name, "2020-12")?.(`http://a/${text}`)
          const { user, system } = process.cpuUsage(before)
          leastMs = Math.min(leastMs, (user + system) / 1_000)
        }
        return leastMs > 500 ? [`${name} on ${part}: ${leastMs} ms`] : []
      }),
    )
    expect(slow).toEqual([])
  })
})

const shared = sharedDir()
const FOLDERS: Readonly<Record<Dialect, string>> = {
  "draft-04": "draft4",
  "draft-06": "draft6",
  "draft-07": "draft7",
  "2019-09": "draft2019-09",
  "2020-12": "draft2020-12",
}

interface SuiteCase {
  readonly description: string
  readonly schema: { readonly format: string }
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

describe.skipIf(shared === undefined)("the JSON Schema test suite (skipped where shared/json-schema-test-suite is not beside the checkout)", () => {
  test.each(DIALECTS)("agrees with every format of %s", (dialect) => {
    const folder = join(shared ?? "", "json-schema-test-suite", "tests", FOLDERS[dialect], "optional", "format")
    let asked = 0
    const wrong: string[] = []
    for (const file of readdirSync(folder)) {
      // The suite's own shape.
      for (const { schema, tests } of JSON.parse(readFileSync(join(folder, file), "utf8")) as SuiteCase[]) {
        for (const { data, valid, description } of tests) {
          if (typeof data !== "string") continue
          asked++
          if ((formatCheck(schema.format, dialect)?.(data) ?? true) !== valid) wrong.push(`${schema.format}: ${description}`)
        }
      }
    }
    expect(asked).toBeGreaterThan(100)
    expect(wrong).toEqual([])
  })
})
