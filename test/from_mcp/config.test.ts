import { describe, expect, test } from "vitest"
import { isCallError, type CallError } from "../../src/error.js"
import { parseConfig, readConfig, type MCPConfig } from "../../src/from_mcp.js"

const env = { TOKEN: "s3cret-value", EMPTY: "", HOME: "/home/ann" }

function faultOf(run: () => unknown): CallError {
  try {
    run()
  } catch (error) {
    if (isCallError(error)) return error
    throw error
  }
  throw new Error("nothing was thrown")
}

/** A config as a plain value, so that prototypes do not count in comparisons. */
function plain(config: MCPConfig): unknown {
  return JSON.parse(JSON.stringify(config))
}

describe("forms of config", () => {
  test("Claude Desktop's and Cursor's mcpServers are read", () => {
    const text = `{
      "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "server", "/data"], "env": { "A": "1" }, "cwd": "/srv" },
        "web": { "url": "https://example.org/mcp", "headers": { "X-Org": "o" } }
      }
    }`
    expect(plain(parseConfig(text, { env }))).toEqual({
      servers: {
        files: { command: "npx", args: ["-y", "server", "/data"], env: { A: "1" }, cwd: "/srv" },
        web: { url: "https://example.org/mcp", headers: { "X-Org": "o" } },
      },
    })
  })

  test("VS Code's servers are read, with their type", () => {
    const text = `{
      "inputs": [],
      "servers": {
        "a": { "type": "stdio", "command": "node", "args": ["a.js"] },
        "b": { "type": "http", "url": "https://example.org/b" },
        "c": { "type": "sse", "url": "https://example.org/c" }
      }
    }`
    expect(plain(parseConfig(text, { env }))).toEqual({
      servers: {
        a: { command: "node", args: ["a.js"] },
        b: { url: "https://example.org/b", transport: "http" },
        c: { url: "https://example.org/c", transport: "sse" },
      },
    })
  })

  test.each([
    ["streamable-http", "http"],
    ["streamableHttp", "http"],
    ["http", "http"],
    ["sse", "sse"],
  ])("type %s is transport %s", (type, transport) => {
    const config = parseConfig(JSON.stringify({ mcpServers: { a: { type, url: "http://localhost/" } } }), { env })
    expect(config.servers["a"]).toEqual({ url: "http://localhost/", transport })
  })

  test("comments, trailing commas and a byte order mark are taken", () => {
    const text = `\uFEFF// mine
    { "mcpServers": { /* one */ "a": { "command": "x", "args": ["1", ], }, }, }`
    expect(plain(parseConfig(text, { env }))).toEqual({ servers: { a: { command: "x", args: ["1"] } } })
  })

  test("numbers and booleans in env and args are taken as text, null in env as absent", () => {
    const text = `{ "mcpServers": { "a": { "command": "x", "args": [1, true], "env": { "PORT": 3000, "ON": false, "OFF": null } } } }`
    expect(plain(parseConfig(text, { env }))).toEqual({ servers: { a: { command: "x", args: ["1", "true"], env: { PORT: "3000", ON: "false" } } } })
  })

  test("no servers are no fault", () => {
    expect(plain(parseConfig(`{ "mcpServers": {} }`, { env }))).toEqual({ servers: {} })
  })

  test("unknown members are kept out and listed, disabled servers are skipped and reported", () => {
    const text = `{ "mcpServers": {
      "a": { "command": "x", "autoApprove": ["*"], "timeout": 3, "disabled": false },
      "b/c": { "command": "y", "env": { "K": "\${NOT_SET_ANYWHERE}" }, "disabled": true }
    }, "theme": "dark" }`
    expect(plain(parseConfig(text, { env }))).toEqual({
      servers: { a: { command: "x" } },
      skipped: [{ name: "b/c", pointer: "/mcpServers/b~1c", reason: "disabled" }],
      ignored: ["/mcpServers/a/autoApprove", "/mcpServers/a/timeout"],
    })
  })
})

describe("variables", () => {
  test.each([
    ["${TOKEN}", "s3cret-value"],
    ["${env:TOKEN}", "s3cret-value"],
    ["a ${HOME}/x ${TOKEN} b", "a /home/ann/x s3cret-value b"],
    ["${MISSING:-fallback}", "fallback"],
    ["${env:MISSING:-fallback}", "fallback"],
    ["${MISSING:-}", ""],
    ["${EMPTY}", ""],
    ["${EMPTY:-fallback}", "fallback"],
    ["${TOKEN:-fallback}", "s3cret-value"],
    ["${MISSING:-a:-b c}", "a:-b c"],
    ["$TOKEN", "$TOKEN"],
    ["${x%y}", "${x%y}"],
    ["${}", "${}"],
    ["${TOKEN", "${TOKEN"],
  ])("%s becomes %s", (written, value) => {
    const text = JSON.stringify({ mcpServers: { a: { command: "x", args: [written] } } })
    expect(parseConfig(text, { env }).servers["a"]).toEqual({ command: "x", args: [value] })
  })

  test("they are replaced in command, args, env, cwd, url and headers, and nowhere else", () => {
    const text = JSON.stringify({
      mcpServers: {
        "${HOME}": { command: "${HOME}/bin/x", args: ["${HOME}"], env: { "${HOME}": "${HOME}" }, cwd: "${HOME}" },
        b: { url: "https://${EMPTY:-example.org}/${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}" } },
      },
    })
    expect(plain(parseConfig(text, { env }))).toEqual({
      servers: {
        "${HOME}": { command: "/home/ann/bin/x", args: ["/home/ann"], env: { "${HOME}": "/home/ann" }, cwd: "/home/ann" },
        b: { url: "https://example.org/s3cret-value", headers: { Authorization: "Bearer s3cret-value" } },
      },
    })
  })

  test("what a variable holds is not read as a variable again", () => {
    const text = `{ "mcpServers": { "a": { "command": "\${OUTER}" } } }`
    expect(parseConfig(text, { env: { OUTER: "${TOKEN}", TOKEN: "t" } }).servers["a"]).toEqual({ command: "${TOKEN}" })
  })

  test("names of Object.prototype are no variables", () => {
    const error = faultOf(() => parseConfig(`{ "mcpServers": { "a": { "command": "\${constructor}" } } }`, { env }))
    expect(error.details["faults"]).toMatchObject([{ variable: "constructor" }])
  })

  test("without an environment given, that of the process counts", () => {
    const text = `{ "mcpServers": { "a": { "command": "\${PATH}" } } }`
    expect(parseConfig(text).servers["a"]).toEqual({ command: process.env["PATH"] })
  })

  test("all unset variables are named at once, each with server, pointer, line and column, and no value is shown", () => {
    const text = `{ "mcpServers": {
  "one": { "command": "x", "args": ["\${A_MISSING}", "\${TOKEN}"] },
  "two": { "url": "https://example.org", "headers": { "Authorization": "Bearer \${B_MISSING} \${env:C_MISSING}" } }
} }`
    const error = faultOf(() => parseConfig(text, { env, file: "mcp.json" }))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.details).toMatchObject({
      file: "mcp.json",
      faults: [
        { server: "one", variable: "A_MISSING", pointer: "/mcpServers/one/args/0", line: 2, column: 37 },
        { server: "two", variable: "B_MISSING", pointer: "/mcpServers/two/headers/Authorization", line: 3 },
        { server: "two", variable: "C_MISSING", pointer: "/mcpServers/two/headers/Authorization", line: 3 },
      ],
    })
    for (const part of ["mcp.json has 3 faults", 'server "one"', "A_MISSING", "/mcpServers/one/args/0", "B_MISSING", "C_MISSING"]) {
      expect(error.message).toContain(part)
    }
    expect(error.message).not.toContain("s3cret-value")
  })

  test.each([
    ["${input:api-key}", "input:api-key", "asks a person"],
    ["${command:pick}", "command:pick", "editor"],
    ["${workspaceFolder}/x", "workspaceFolder", "editor"],
  ])("%s of an editor is refused by name", (written, variable, words) => {
    const error = faultOf(() => parseConfig(JSON.stringify({ servers: { a: { command: "x", args: [written] } } }), { env }))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.details["faults"]).toMatchObject([{ server: "a", variable, pointer: "/servers/a/args/0" }])
    expect(error.message).toContain(words)
  })
})

describe("faults", () => {
  test("a slip of syntax is told with line and column", () => {
    const error = faultOf(() => parseConfig(`{\n  "mcpServers": {\n    "a" { }\n  }\n}`, { file: "x.json" }))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.details).toMatchObject({ file: "x.json", faults: [{ line: 3, column: 9, pointer: "" }] })
    expect(error.message).toBe("x.json:3:9: not valid JSON: colon expected")
  })

  test.each([
    ["", "config:1:1: not valid JSON: value expected"],
    ["// only a comment", "value expected"],
    ["[]", 'an object with a member "mcpServers" or "servers" is wanted'],
    ["{}", 'an object with a member "mcpServers" or "servers" is wanted'],
    [`{ "mcpServers": [] }`, "an object of servers is wanted here (/mcpServers)"],
    [`{ "mcpServers": { "a": 1 } }`, 'server "a": an object is wanted here (/mcpServers/a)'],
    [`{ "mcpServers": { "a": {} } }`, 'server "a": neither "command" nor "url" is given (/mcpServers/a)'],
    [`{ "mcpServers": { "a": { "command": "x", "url": "http://h/" } } }`, 'both "command" and "url" are given'],
    [`{ "mcpServers": { "a": { "type": "ws", "url": "http://h/" } } }`, '"ws" is unknown here'],
    [`{ "mcpServers": { "a": { "type": "stdio" } } }`, '"command" is missing'],
    [`{ "mcpServers": { "a": { "command": "" } } }`, "a text that is not empty is wanted here (/mcpServers/a/command)"],
    [`{ "mcpServers": { "a": { "command": "x", "args": "y" } } }`, "a list of texts is wanted here (/mcpServers/a/args)"],
    [`{ "mcpServers": { "a": { "command": "x", "args": [{}] } } }`, "a text is wanted here (/mcpServers/a/args/0)"],
    [`{ "mcpServers": { "a": { "command": "x", "env": { "K": [] } } } }`, "a text is wanted here (/mcpServers/a/env/K)"],
    [`{ "mcpServers": { "a": { "url": "ftp://h/" } } }`, "an http or https url is wanted here (/mcpServers/a/url)"],
    [`{ "mcpServers": { "a": { "url": "not a url" } } }`, "an http or https url is wanted here (/mcpServers/a/url)"],
    [`{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }`, "the name stands here a second time (/mcpServers/a)"],
    [`{ "mcpServers": { "a": { "command": "x" } }, "servers": { "a": { "command": "y" } } }`, "the name stands here a second time (/servers/a)"],
    [`{ "mcpServers": { "a.b": { "command": "x" }, "a b": { "command": "y" } } }`, 'meets server "a.b" in the namespace "a_b"'],
  ])("%s: %s", (text, message) => {
    const error = faultOf(() => parseConfig(text, { env }))
    expect(error.code).toBe("CONFIGURATION_ERROR")
    expect(error.message).toContain(message)
  })

  test("a text nested beyond all reason is refused, not a crash", () => {
    expect(faultOf(() => parseConfig(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)).code).toBe("CONFIGURATION_ERROR")
  })

  test("control characters of a name do not reach a terminal", () => {
    const error = faultOf(() => parseConfig(JSON.stringify({ mcpServers: { "a\u001b[2J": {} } }), { env }))
    expect(error.message).toContain("a\\u001b[2J")
    expect(error.message).not.toContain("\u001b")
  })
})

describe("names", () => {
  test("__proto__, constructor and toString are ordinary names of servers, variables and headers", () => {
    const text = `{ "mcpServers": {
      "__proto__": { "command": "x", "env": { "__proto__": "1", "constructor": "2" } },
      "constructor": { "url": "http://h/", "headers": { "__proto__": "3" } },
      "toString": { "command": "y" }
    } }`
    const { servers } = parseConfig(text, { env })
    expect(Object.keys(servers)).toEqual(["__proto__", "constructor", "toString"])
    expect(Object.entries(servers["__proto__"] ?? {})).toEqual([
      ["command", "x"],
      ["env", expect.anything()],
    ])
    expect(JSON.stringify(servers["__proto__"])).toBe('{"command":"x","env":{"__proto__":"1","constructor":"2"}}')
    expect(JSON.stringify(servers["constructor"])).toBe('{"url":"http://h/","headers":{"__proto__":"3"}}')
    expect(Reflect.get({}, "command")).toBeUndefined()
  })

  test("a name that no server has finds nothing, whatever it is", () => {
    const { servers } = parseConfig(`{ "mcpServers": { "a": { "command": "x" } } }`, { env })
    expect(servers["constructor"]).toBeUndefined()
    expect(servers["__proto__"]).toBeUndefined()
  })
})

describe("preview", () => {
  test("shows commands, urls and the names of variables, and expands nothing", () => {
    const text = `{ "mcpServers": {
      "a": { "command": "\${HOME}/x", "args": ["--key", "\${TOKEN}"], "env": { "K": "literal-secret", "L": "\${MISSING}" }, "cwd": "/c" },
      "b": { "url": "https://h/\${PATH_PART:-p}", "type": "sse", "headers": { "Authorization": "Bearer \${env:TOKEN}" } },
      "c": { "command": "z", "disabled": true }
    } }`
    const preview = readConfig(text, { file: ".mcp.json" })
    expect(preview).toEqual({
      file: ".mcp.json",
      servers: [
        { name: "a", command: "${HOME}/x", args: ["--key", "${TOKEN}"], cwd: "/c", env: ["K", "L"], headers: [], variables: ["HOME", "TOKEN", "MISSING"] },
        { name: "b", url: "https://h/${PATH_PART:-p}", transport: "sse", env: [], headers: ["Authorization"], variables: ["PATH_PART", "TOKEN"] },
      ],
      skipped: [{ name: "c", pointer: "/mcpServers/c", reason: "disabled" }],
    })
    expect(JSON.stringify(preview)).not.toContain("literal-secret")
  })

  test("faults of form are told as by parseConfig", () => {
    expect(faultOf(() => readConfig(`{ "mcpServers": { "a": {} } }`, { file: "f" })).message).toContain('neither "command" nor "url"')
  })
})
