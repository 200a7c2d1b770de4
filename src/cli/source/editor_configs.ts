/**
 * Configs that MCP clients of this user keep outside of projects.
 *
 * In: the environment. Out: what each of them names, as it is written: nothing is expanded, and of `env` and `headers` only names are read.
 * A file that is not there, or cannot be read, is none.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { readConfig, type ServerPreview } from "../../from_mcp.js"

/** What one client keeps. */
export interface EditorConfig {
  readonly editor: string
  readonly path: string
  readonly servers: readonly ServerPreview[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** The clients and where each keeps its servers, by the documentation of each. */
function places({ HOME, USERPROFILE, APPDATA, XDG_CONFIG_HOME }: Environment, platform: NodeJS.Platform): readonly (readonly [editor: string, path: string])[] {
  const home = HOME ?? USERPROFILE
  if (home === undefined) return []
  const settings =
    platform === "win32" ? (APPDATA ?? join(home, "AppData/Roaming")) : platform === "darwin" ? join(home, "Library/Application Support") : (XDG_CONFIG_HOME ?? join(home, ".config"))
  return [
    ["Claude Desktop", join(settings, "Claude/claude_desktop_config.json")],
    ["Claude Code", join(home, ".claude.json")],
    ["Cursor", join(home, ".cursor/mcp.json")],
    ["VS Code", join(settings, "Code/User/mcp.json")],
    ["Windsurf", join(home, ".codeium/windsurf/mcp_config.json")],
  ]
}

/** The configs that name at least one server. */
export async function editorConfigs(env: Environment, platform: NodeJS.Platform): Promise<EditorConfig[]> {
  const found = await Promise.all(
    places(env, platform).map(async ([editor, path]): Promise<EditorConfig[]> => {
      try {
        const { servers } = readConfig(await readFile(path, "utf8"), { file: path })
        return servers.length === 0 ? [] : [{ editor, path, servers }]
      } catch {
        // Not there, or written for somebody else: it offers nothing.
        return []
      }
    }),
  )
  return found.flat()
}
