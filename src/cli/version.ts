/**
 * The version of this package, from its package.json: the same two folders above `src/cli` and `dist/cli`.
 */
import { createRequire } from "node:module"

// The package's own file, and npm refuses to publish one without a version.
const { version } = createRequire(import.meta.url)("../../package.json") as { version: string }

/** The version of this package. */
export const VERSION: string = version
