import { describe, expect, test } from "vitest"
import { nameForCommand, nameForURL } from "../../../src/cli/source/server_name.js"

describe("the name of a server that was given without one", () => {
  test.each<[string, string]>([
    ["npx -y @modelcontextprotocol/server-everything stdio", "server-everything"],
    ["npx --yes @scope/files@1.2.3 .", "files"],
    ["npx files@latest", "files"],
    ["pnpm dlx @scope/files", "files"],
    ["npm exec -- files", "files"],
    ["bunx files", "files"],
    ["uvx mcp-server-git --repository .", "mcp-server-git"],
    ["uv tool run mcp-server-git", "mcp-server-git"],
    ["python -m mcp_server_time", "mcp_server_time"],
    ["/usr/bin/python3 /opt/servers/time.py", "time"],
    ["node ./dist/my.server.js", "my_server"],
    ["node --no-warnings server.mjs", "server"],
    ["/opt/bin/mcp-server-files /data", "mcp-server-files"],
    [String.raw`C:\tools\files.exe`, "files"],
    ["mcp.server", "mcp_server"],
    ["node", "node"],
    ["node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio", "server-everything"],
    ["node ../files/src/cli.ts", "files"],
    ["python /opt/time/__main__.py", "time"],
    [String.raw`node C:\servers\files\build\index.js`, "files"],
    ["node ./index.js", "index"],
    ["node ./files/", "files"],
    ["node build/index.js", "index"],
  ])("%s", (line, name) => {
    const [command = "", ...args] = line.split(" ")
    expect(nameForCommand(command, args)).toBe(name)
  })

  test.each([
    ["https://mcp.example.com/mcp?key=secret", "mcp_example_com"],
    ["http://localhost:3000/mcp", "localhost"],
    ["http://[::1]:3000/mcp", "_1_"],
    ["no url", "server"],
  ])("%s", (url, name) => {
    expect(nameForURL(url)).toBe(name)
  })
})
