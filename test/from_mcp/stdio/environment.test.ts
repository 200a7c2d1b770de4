import { describe, expect, test } from "vitest"
import { serverEnvironment } from "../../../src/from_mcp/stdio/environment.js"

describe("serverEnvironment", () => {
  test("passes on harmless variables and what the config names, and nothing else", () => {
    const host = { PATH: "/bin", HOME: "/home/u", AWS_SECRET_ACCESS_KEY: "s", NODE_OPTIONS: "--inspect", TZ: "UTC" }
    expect(serverEnvironment(host, { API_KEY: "k", HOME: "/srv" }, "linux")).toEqual({ PATH: "/bin", TZ: "UTC", API_KEY: "k", HOME: "/srv" })
  })

  test("leaves out shell functions that a variable carries", () => {
    expect(serverEnvironment({ TERM: "() { :; }; echo x", PATH: "/bin" }, undefined, "linux")).toEqual({ PATH: "/bin" })
  })

  test("on Windows passes on PATHEXT and COMSPEC, and compares names without case", () => {
    const host = { Path: "C:\\bin", PATHEXT: ".CMD", ComSpec: "cmd.exe", SystemRoot: "C:\\Windows", SECRET: "s", HOME: "x" }
    expect(serverEnvironment(host, { PATH: "C:\\own" }, "win32")).toEqual({ PATHEXT: ".CMD", ComSpec: "cmd.exe", SystemRoot: "C:\\Windows", PATH: "C:\\own" })
  })
})
