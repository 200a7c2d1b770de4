import { stripVTControlCharacters } from "node:util"
import { describe, expect, test } from "vitest"
import { sink, hostOf } from "../fixtures/cli_host.js"
import { mcpEnvelope } from "../../src/envelope.js"
import { CallError } from "../../src/error.js"
import { question } from "../../src/cli/source/ask_trust.js"
import { envelopeView } from "../../src/cli/view/envelope_view.js"
import { errorView } from "../../src/cli/view/error_view.js"
import { flagTable, flagsToJSON } from "../../src/cli/view/flag_view.js"
import { toolFlags } from "../../src/cli/flags/tool_flags.js"
import { jsonView } from "../../src/cli/view/json_view.js"
import { printable, printableJSON, printableLine } from "../../src/cli/view/printable.js"
import { nameWidth, tableView } from "../../src/cli/view/table.js"
import { isJSONWanted, screenOf } from "../../src/cli/view/screen.js"

const screen = screenOf(hostOf({}), { ...sink, columns: 60 })
const escape = "\u001b"

describe("text of strangers", () => {
  test("control characters and marks that turn text are shown, not obeyed", () => {
    expect(printable(`a${escape}[31mb\u009b2Jc\u202ed\u2066e\rf\ud800`)).toBe("a\\u001b[31mb\\u009b2Jc\\u202ed\\u2066e\\u000df\\ud800")
    expect(printable("a\r\n\tb 読取 👩‍💻")).toBe("a\n\tb 読取 👩‍💻")
    expect(printableLine(" a\n  b\t\u0007 ")).toBe("a b \\u0007")
  })

  test("in JSON they are escapes of JSON, so the value stays", () => {
    const value = { "k\u009b": `a${escape}b\u202e\u2028\u007f` }
    const text = printableJSON(JSON.stringify(value))
    expect(text).toBe('{"k\\u009b":"a\\u001bb\\u202e\\u2028\\u007f"}')
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe("where output goes", () => {
  const terminal = { isTTY: true, columns: 80 }
  test.each([
    [{ stdout: terminal }, {}, false],
    [{ stdout: terminal }, { json: true }, true],
    [{}, {}, true],
    [{}, { text: true }, false],
  ])("%j with %j: JSON %s", (host, options, expected) => {
    expect(isJSONWanted(hostOf(host), options)).toBe(expected)
  })

  test.each<[string, Record<string, string>, { isTTY?: boolean }, boolean]>([
    ["a terminal", {}, terminal, true],
    ["a terminal with NO_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal, false],
    ["a terminal with an empty NO_COLOR", { NO_COLOR: "" }, terminal, true],
    ["a dumb terminal", { TERM: "dumb" }, terminal, false],
    ["a pipe", {}, {}, false],
    ["a pipe with FORCE_COLOR", { FORCE_COLOR: "1" }, {}, true],
  ])("%s", (_, env, stream, isColoured) => {
    const { paint } = screenOf(hostOf({ env }), { ...sink, ...stream })
    expect(paint.bad("x") !== "x").toBe(isColoured)
  })
})

describe("JSON for a reader", () => {
  test("stands on one line where it fits, and is broken where not", () => {
    const value = { a: 1, list: [1, "two", null, true], deep: { text: "x".repeat(50), empty: [{}, []] }, undef: undefined }
    expect(jsonView(value, screen)).toBe(
      ["{", '  "a": 1,', '  "list": [1, "two", null, true],', '  "deep": {', `    "text": "${"x".repeat(50)}",`, '    "empty": [{}, []]', "  }", "}"].join("\n"),
    )
    expect(JSON.parse(jsonView(value, screen))).toEqual({ a: 1, list: [1, "two", null, true], deep: { text: "x".repeat(50), empty: [{}, []] } })
  })

  test("no line is wider than the screen where it can be broken", () => {
    const value = Array.from({ length: 40 }, (_, at) => ({ name: `entry ${String(at)}`, values: Array.from({ length: at }, (_, n) => n) }))
    const lines = jsonView(value, screen).split("\n")
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    expect(JSON.parse(lines.join("\n"))).toEqual(value)
  })

  test("long texts are cut where that is asked for, and their length is said", () => {
    expect(jsonView({ data: "A".repeat(5000) }, { ...screen, clip: 8 })).toBe('{ "data": "AAAAAAAA"… (5,000 characters) }')
  })

  test("a value 500 levels deep is laid out", () => {
    let value: unknown = "end"
    for (let level = 0; level < 500; level++) value = [value]
    expect(JSON.parse(jsonView(value, screen))).toEqual(value)
  })
})

describe("a table", () => {
  const coloured = screenOf(hostOf({ env: { FORCE_COLOR: "1" } }), { ...sink, columns: 60 })

  test("is as wide with colours as without, and breaks names rather than cutting them", () => {
    const names = ["short", "a_name_that_is_longer_than_half_of_the_screen", "读取文件"]
    const rows = (paint: (text: string) => string) => names.map((text) => [{ text, paint }, { text: "one two three four five six seven eight" }])
    const plain = tableView(rows((text) => text), [nameWidth(names, screen)], screen)
    const colour = tableView(rows(coloured.paint.name), [nameWidth(names, coloured)], coloured)
    expect(plain).toBe(
      [
        "  short                           one two three four five",
        "                                  six seven eight",
        "  a_name_that_is_longer_than_hal  one two three four five",
        "  f_of_the_screen                 six seven eight",
        "  读取文件                        one two three four five",
        "                                  six seven eight",
      ].join("\n"),
    )
    expect(stripVTControlCharacters(colour)).toBe(plain)
  })
})

describe("flags for a reader", () => {
  test("show spelling, type, choices, defaults and what is required", () => {
    const flags = toolFlags({
      properties: {
        // anomalyco/opencode#12908
        format: { anyOf: [{ const: "json", description: "J" }, { const: "markdown" }] },
        maxItems: { type: "integer", default: 5 },
        to: { type: "array", items: { type: "string" }, description: "Who\ngets it" },
        note: { type: ["string", "null"] },
        "a b": {},
      },
      required: ["format"],
    })
    expect(flagTable(flags, { ...screen, columns: 90 })).toBe(
      [
        "  --format                 string          required; one of json (J), markdown",
        "  --maxItems, --max-items  integer         default 5",
        "  --to                     list of string  Who gets it",
        "  --note                   string or null",
        "  '--a b', --a-b           any",
      ].join("\n"),
    )
    expect(flagsToJSON(flags)[0]).toEqual({ property: "format", flags: ["--format"], type: "string", required: true, choices: ["json", "markdown"] })
    expect(flagsToJSON(flags)[1]).toEqual({ property: "maxItems", flags: ["--maxItems", "--max-items"], type: "integer", required: false, default: 5 })
  })
})

describe("an answer for a reader", () => {
  const envelope = (data: unknown, meta: Partial<Parameters<typeof mcpEnvelope>[1]>) =>
    mcpEnvelope(data, { isError: false, content: [], server: "srv", tool: "t", ...meta })

  test("data that fits is shown once, the text that repeats it is left out", () => {
    const data = { n: 1 }
    const shown = envelopeView("srv.t", envelope(data, { structuredContent: data, conformance: "exact", content: [{ type: "text", text: '{"n": 1}' }] }), screen)
    expect(shown).toBe('ok  srv.t: the data fits the output schema\n\n{ "n": 1 }')
  })

  test("a failure of the tool says so, with its text", () => {
    const content = [{ type: "text" as const, text: `No\ntable${escape}[2J` }]
    expect(envelopeView("srv.t", envelope(content, { isError: true, content }), screen)).toBe(
      "failed  srv.t: the tool reports an error\n\nNo\ntable\\u001b[2J",
    )
  })

  test("what did not fit and what was changed is listed", () => {
    const shown = envelopeView(
      "srv.t",
      envelope(
        { n: 0, b: false },
        {
          structuredContent: { n: "x", c: 1 },
          conformance: "cast",
          issues: [{ path: "/n", keyword: "type", message: "Expected integer" }],
          issuesTotal: 3,
          changes: [
            { path: "/n", kind: "replaced", from: "x", to: 0 },
            { path: "/b", kind: "added", to: false, origin: "default" },
            { path: "/c", kind: "removed", from: 1 },
          ],
        },
      ),
      screen,
    )
    expect(shown).toBe(
      [
        "ok  srv.t: the data did not fit the output schema and was brought to it",
        "",
        '{ "n": 0, "b": false }',
        "",
        "issue   /n: Expected integer",
        "  and 2 more",
        'change  /n: "x" became 0',
        "change  /b: false was filled in (the schema's default)",
        "change  /c: 1 was taken out",
      ].join("\n"),
    )
  })

  test("every kind of block has a form", () => {
    const content = [
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
      { type: "audio" as const, data: "A".repeat(40_000), mimeType: "audio/wav" },
      { type: "resource" as const, resource: { uri: "a://b", mimeType: "text/plain", text: "inside" } },
      { type: "resource" as const, resource: { uri: "a://c", blob: "AAA=" } },
      { type: "resource_link" as const, uri: "a://d", name: "D" },
    ]
    expect(envelopeView("srv.t", envelope(content, { content }), screen).split("\n\n").slice(1)).toEqual([
      "[image image/png, 3 bytes]",
      "[audio audio/wav, 30 kB]",
      "[resource a://b text/plain]\ninside",
      "[resource a://c, 2 bytes]",
      "[link to a://d] D",
    ])
  })
})

describe("an error for a reader", () => {
  test("holds message, code, issues and remedy", () => {
    const error = new CallError("VALIDATION_ERROR", "The input does not fit", {
      details: { issues: [{ path: "/a", keyword: "type", message: "Expected string" }], remedy: "give a text" },
    })
    expect(errorView(error, screen)).toBe("error  The input does not fit (VALIDATION_ERROR)\n  /a  Expected string\ntry    give a text")
  })
})

describe("the question before a config is used", () => {
  test("shows what would be started, reached and read, and hides nothing", () => {
    const text = question(
      "/p/.mcp.json",
      {
        servers: [
          { name: `files${escape}[8m`, command: "npx", args: ["-y", "my files", "${HOME}"], cwd: "/x", env: ["TOKEN"], headers: [], variables: ["HOME", "KEY"] },
          { name: "web", url: "https://example.com/${TEAM}", env: [], headers: ["Authorization"], variables: ["TEAM"] },
        ],
        skipped: [],
      },
      false,
      screen,
    )
    expect(text).toBe(
      [
        "/p/.mcp.json was not used before. It names 2 servers:",
        "",
        "  files\\u001b[8m",
        '    starts   npx -y "my files" ${HOME}',
        "    in       /x",
        "    sets     TOKEN",
        "    reads    HOME, KEY from your environment",
        "  web",
        "    reaches  https://example.com/${TEAM}",
        "    sends    Authorization",
        "    reads    TEAM from your environment",
        "",
        "Use it? The answer is remembered until the file changes. [y/N] ",
      ].join("\n"),
    )
  })
})
