/**
 * Files of this package, found by its name: from the built package as from its sources.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)
const packageFile = require.resolve("mcp-operations/package.json")

/** The path of a built program of this package, to be run by Node. */
export function programPath(name: "cli/demo_server"): string {
  return join(dirname(packageFile), "dist", `${name}.js`)
}

// The package's own file, and npm refuses to publish one without a version.
const { version } = require(packageFile) as { version: string }

/** The version of this package. */
export const VERSION: string = version
