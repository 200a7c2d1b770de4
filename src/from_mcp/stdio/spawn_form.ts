/**
 * A command in the form in which the platform can start it.
 *
 * In: command and arguments as a config gives them. Out: what `spawn` is to be given, without a shell wherever there is a way.
 * On Windows a bare name such as `npx` is a `.cmd` file, which only cmd.exe can run; it reads the arguments as code, and reads them
 * again when the file hands them on. So each one is quoted in a way that stays quoted through both readings.
 */
import { CallError } from "../../error.js"

/** What `spawn` is given. */
export interface SpawnForm {
  readonly command: string
  readonly args: readonly string[]
  /** Windows: the arguments stand as they are to be read, and nothing is to be quoted any more. */
  readonly verbatim: boolean
}

/** What of the surroundings decides. */
export interface SpawnSurroundings {
  readonly platform: string
  /** The environment of the new process. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly exists: (path: string) => boolean
}

/** The form for a platform. @throws CallError CONFIGURATION_ERROR for an argument that no batch file can be given */
export function spawnForm(command: string, args: readonly string[], surroundings: SpawnSurroundings): SpawnForm {
  const asGiven = { command, args, verbatim: false }
  if (surroundings.platform !== "win32") return asGiven
  const file = found(command, surroundings)
  if (!/\.(cmd|bat)$/i.test(file)) return { ...asGiven, command: file }
  const unfit = [file, ...args].findIndex((text) => /[\0\r\n]/.test(text))
  if (unfit !== -1) {
    throw new CallError("CONFIGURATION_ERROR", `"${command}" is a batch file, and its argument ${unfit} holds a line break: there is no way to hand it over`, {
      details: { command, remedy: "name the program that the batch file starts" },
    })
  }
  const line = [`"${file}"`, ...args.map(quoted)].join(" ")
  // Extensions on, for the form that stands for a percent sign; delayed expansion off, or "!" would be code.
  return { command: valueOf("COMSPEC", surroundings.env) ?? "cmd.exe", args: ["/e:ON", "/v:OFF", "/d", "/s", "/c", `"${line}"`], verbatim: true }
}

/** The file that Windows would start, by PATH and PATHEXT; the name itself where there is none, so that its absence is told. */
function found(command: string, { env, exists }: SpawnSurroundings): string {
  const extensions = (valueOf("PATHEXT", env) ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((extension) => extension !== "")
  const hasOwn = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()))
  const names = hasOwn ? [command] : extensions.map((extension) => command + extension.toLowerCase())
  const folders = /[\\/]/.test(command) ? [""] : (valueOf("PATH", env) ?? "").split(";").filter((folder) => folder !== "").map((folder) => `${folder.replace(/[\\/]$/, "")}\\`)
  for (const folder of folders) {
    for (const name of names) if (exists(folder + name)) return folder + name
  }
  return command
}

/**
 * An argument in quotes. A quote within is doubled, which leaves cmd.exe inside the quotes and is one quote to the program; a percent
 * sign is followed by a variable that is always empty, so that no name between two of them is found.
 */
function quoted(argument: string): string {
  const text = argument
    // Backslashes count only in front of a quote, the closing one among them.
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    .replaceAll("%", "%%cd:~,%")
  return `"${text}"`
}

function valueOf(name: string, env: SpawnSurroundings["env"]): string | undefined {
  for (const [key, value] of Object.entries(env)) if (key.toUpperCase() === name) return value
  return undefined
}
