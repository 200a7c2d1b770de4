/**
 * A config from a file.
 *
 * In: a path. Out: what `parseConfig` makes of its text, errors naming the file.
 * The only part of the config that touches a disk, so that the rest runs anywhere.
 */
import { readFile } from "node:fs/promises"
import { CallError } from "../error.js"
import { parseConfig, type MCPConfig } from "./config.js"

/**
 * The servers of a config file, variables taken from `process.env`. See `parseConfig` for what may stand in it.
 *
 * @throws CallError CONFIGURATION_ERROR where the file cannot be read or holds a fault.
 */
export async function loadConfigFile(path: string): Promise<MCPConfig> {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (cause) {
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined
    throw new CallError("CONFIGURATION_ERROR", `The config file ${path} cannot be read${typeof code === "string" ? ` (${code})` : ""}`, {
      details: { file: path, remedy: "give the path of a readable JSON file with mcpServers or servers" },
      cause,
    })
  }
  return parseConfig(text, { file: path })
}
