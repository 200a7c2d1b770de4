/**
 * Commands as each platform can start them. What a child on Windows gets is worked out here by the rules of its two readers:
 * cmd.exe, twice for a batch file that hands its arguments on, and the start of a C program.
 */
import { describe, expect, test } from "vitest"
import { spawnForm, type SpawnSurroundings } from "../../../src/from_mcp/stdio/spawn_form.js"

const windows = (files: string[], env: Record<string, string> = {}): SpawnSurroundings => ({
  platform: "win32",
  env: { Path: "C:\\Windows\\system32;C:\\node\\;", PATHEXT: ".COM;.EXE;.BAT;.CMD", ComSpec: "C:\\Windows\\system32\\cmd.exe", ...env },
  exists: (path) => files.includes(path),
})

describe("a command elsewhere than on Windows", () => {
  test("is started as it is given", () => {
    expect(spawnForm("npx", ["a b", "%PATH%", '"q"'], { platform: "linux", env: {}, exists: () => false })).toEqual({ command: "npx", args: ["a b", "%PATH%", '"q"'], verbatim: false })
  })
})

// vercel/ai#19157, MoonshotAI/kimi-code#3216
describe("a command on Windows", () => {
  test.each<[string, string, string[], string]>([
    ["a program by its bare name", "node", ["C:\\node\\node.exe"], "C:\\node\\node.exe"],
    ["a program with its extension", "node.EXE", ["C:\\node\\node.EXE"], "C:\\node\\node.EXE"],
    ["a program before a batch file of the same name", "uvx", ["C:\\node\\uvx.cmd", "C:\\node\\uvx.exe"], "C:\\node\\uvx.exe"],
    ["a program by its path", "C:\\my tools\\server.exe", ["C:\\my tools\\server.exe"], "C:\\my tools\\server.exe"],
    ["a program by its path, without extension", ".\\server", [".\\server.exe"], ".\\server.exe"],
    ["what is nowhere, so that its absence is told", "nothing", [], "nothing"],
  ])("%s needs no shell, and its arguments stay as they are", (_name, command, files, expected) => {
    expect(spawnForm(command, ["a b", "%PATH%"], windows(files))).toEqual({ command: expected, args: ["a b", "%PATH%"], verbatim: false })
  })

  test("that is a batch file is run by cmd.exe, its arguments unchanged", () => {
    const { command, args, verbatim } = spawnForm("npx", ["-y", "server", "a b", '"q"', "%PATH%", "&", "C:\\end\\"], windows(["C:\\node\\npx.cmd"]))
    expect([command, verbatim]).toEqual(["C:\\Windows\\system32\\cmd.exe", true])
    expect(args).toEqual([
      "/e:ON",
      "/v:OFF",
      "/d",
      "/s",
      "/c",
      `""C:\\node\\npx.cmd" "-y" "server" "a b" """q""" "%%cd:~,%PATH%%cd:~,%" "&" "C:\\end\\\\""`,
    ])
  })

  test.each(["", "a b", '"q"', "%PATH%", "%%", "&", "| more", "a&calc", '"&calc', '"" & calc', "^", "!x!", "(x)", "<a >b", "a\\", 'a\\"b', '\\\\"', "100%", "读取", "a;b,c=d", "'", "`"])("%j reaches the program as it is, and nothing else is run", (argument) => {
    const { args } = spawnForm("npx", ["first", argument, "last"], windows(["C:\\node\\npx.cmd"]))
    const line = args.at(-1) ?? ""
    // "/s /c" takes the outermost quotes away.
    const first = readByCmd(line.slice(1, -1), true)
    const handedOn = first.slice(`"C:\\node\\npx.cmd" `.length)
    // A batch file puts them in for %*, and its line is read again; percent signs have had their turn.
    const second = readByCmd(`"node.exe" "npx-cli.js" ${handedOn}`, false)
    expect(argumentsOf(second)).toEqual(["node.exe", "npx-cli.js", "first", argument, "last"])
  })

  test.each(["a\nb", "a\rb", "a\0b"])("that is a batch file cannot be given %j, and says so", (argument) => {
    expect(() => spawnForm("npx", [argument], windows(["C:\\node\\npx.cmd"]))).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
    expect(spawnForm("node", [argument], windows(["C:\\node\\node.exe"])).args).toEqual([argument])
  })
})

/** What cmd.exe makes of a line; throws where a part of it would be code. */
function readByCmd(line: string, expands: boolean): string {
  const text = expands ? expanded(line) : line
  let out = ""
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && "&|<>()".includes(char)) throw new Error(`${char} is code in ${text}`)
    else if (!isQuoted && char === "^") at++
    out += text[at] ?? ""
  }
  return out
}

/** Variables on a command line: one that is not set stays as it is written. */
function expanded(line: string): string {
  const variables: Record<string, string> = { PATH: "C:\\secret", "cd:~,": "" }
  let out = ""
  for (let at = 0; at < line.length; at++) {
    const end = line.indexOf("%", at + 1)
    const value = line[at] === "%" && end !== -1 ? variables[line.slice(at + 1, end)] : undefined
    if (value === undefined) out += line[at] ?? ""
    else {
      out += value
      at = end
    }
  }
  return out
}

/** The arguments that a C program sees. */
function argumentsOf(line: string): string[] {
  const all: string[] = []
  let at = 0
  while (at < line.length) {
    while (line[at] === " ") at++
    if (at >= line.length) break
    let argument = ""
    let isQuoted = false
    for (; at < line.length && (isQuoted || line[at] !== " "); at++) {
      let slashes = 0
      while (line[at] === "\\") {
        slashes++
        at++
      }
      if (line[at] !== '"') {
        argument += "\\".repeat(slashes)
        if (at < line.length && (isQuoted || line[at] !== " ")) argument += line[at] ?? ""
        else at--
        continue
      }
      argument += "\\".repeat(slashes >> 1)
      if (slashes % 2 === 1) argument += '"'
      else if (isQuoted && line[at + 1] === '"') {
        argument += '"'
        at++
      } else isQuoted = !isQuoted
    }
    all.push(argument)
  }
  return all
}
