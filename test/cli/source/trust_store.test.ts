import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { findConfig } from "../../../src/cli/source/found_config.js"
import { remember, trustFile, trustOf } from "../../../src/cli/source/trust_store.js"

let folder: string
let file: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-operations-")))
  file = trustFile({ XDG_CONFIG_HOME: folder })
})
afterEach(() => rm(folder, { recursive: true }))

describe("trust in configs", () => {
  test("stands in the user's config folder", () => {
    expect(trustFile({ XDG_CONFIG_HOME: "/x/config", HOME: "/home/u" })).toBe("/x/config/mcp-operations/trusted.json")
    expect(trustFile({ HOME: "/home/u" })).toBe("/home/u/.config/mcp-operations/trusted.json")
    expect(trustFile({ XDG_CONFIG_HOME: "relative", HOME: "/home/u" })).toBe("/home/u/.config/mcp-operations/trusted.json")
  })

  test("is by path and bytes", async () => {
    expect(await trustOf(file, "/a/.mcp.json", "11")).toBe("unknown")
    await remember(file, "/a/.mcp.json", "11")
    await remember(file, "/b/.mcp.json", "22")
    expect(await trustOf(file, "/a/.mcp.json", "11")).toBe("trusted")
    expect(await trustOf(file, "/a/.mcp.json", "22")).toBe("changed")
    expect(await trustOf(file, "/b/.mcp.json", "22")).toBe("trusted")
    expect(await trustOf(file, "/c/.mcp.json", "11")).toBe("unknown")
    await remember(file, "/a/.mcp.json", "33")
    expect(await trustOf(file, "/a/.mcp.json", "11")).toBe("changed")
    expect(await trustOf(file, "/a/.mcp.json", "33")).toBe("trusted")
  })

  test("is readable by the user alone, and leaves no drafts", async () => {
    await mkdir(dirname(file))
    await writeFile(file, "{}")
    await chmod(file, 0o644)
    await remember(file, "/a/.mcp.json", "11")
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(dirname(file))).toEqual(["trusted.json"])
  })

  test.each(["", "no json", "[]", "null", '{"trusted":{}}', '{"trusted":[null,{"path":1,"sha256":"11"},{"path":"/a/.mcp.json"}]}'])(
    "a file that says %j is no trust, and is replaced",
    async (text) => {
      await mkdir(dirname(file))
      await writeFile(file, text)
      expect(await trustOf(file, "/a/.mcp.json", "11")).toBe("unknown")
      await remember(file, "/a/.mcp.json", "11")
      expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ version: 1, trusted: [{ path: "/a/.mcp.json", sha256: "11" }] })
    },
  )
})

describe("the config of a folder", () => {
  test("is the first of three names, with the digest of its bytes", async () => {
    expect(await findConfig(folder)).toBeUndefined()
    await mkdir(join(folder, ".vscode"))
    await writeFile(join(folder, ".vscode/mcp.json"), "v")
    expect(await findConfig(folder)).toMatchObject({ path: join(folder, ".vscode/mcp.json"), text: "v" })
    await writeFile(join(folder, "mcp.json"), "m")
    expect(await findConfig(folder)).toMatchObject({ path: join(folder, "mcp.json") })
    await writeFile(join(folder, ".mcp.json"), "abc")
    expect(await findConfig(folder)).toEqual({
      path: join(folder, ".mcp.json"),
      text: "abc",
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    })
  })

  test("is not looked for above the folder", async () => {
    await writeFile(join(folder, ".mcp.json"), "{}")
    await mkdir(join(folder, "below"))
    expect(await findConfig(join(folder, "below"))).toBeUndefined()
  })

  test("is known by the path behind a link", async () => {
    await mkdir(join(folder, "real"))
    await writeFile(join(folder, "real/servers.json"), "{}")
    await symlink(join(folder, "real/servers.json"), join(folder, "mcp.json"))
    expect(await findConfig(folder)).toMatchObject({ path: join(folder, "real/servers.json") })
  })
})
