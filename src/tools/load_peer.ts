/**
 * Loads the package of an agent SDK when its toolset is asked for.
 *
 * In: the package's name and the import. Out: the module, or an error that names what to install.
 */
import { CallError } from "../error.js"

/** The module of an optional peer. @throws CallError CONFIGURATION_ERROR where it is not installed */
export async function loadPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new CallError("CONFIGURATION_ERROR", `The package "${name}" is not installed, and this toolset is made of its parts`, {
      details: { package: name, remedy: `npm install ${name}` },
      cause,
    })
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ERR_MODULE_NOT_FOUND" || cause.code === "MODULE_NOT_FOUND")
}
