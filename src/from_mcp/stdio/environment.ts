/**
 * The environment of a server's process.
 *
 * In: the host's environment and the config's. Out: a short list of harmless variables, and what the config names. Nothing else
 * of the host's environment reaches a server: that is where secrets of other programs live.
 */

const POSIX = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
const WINDOWS = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]

/** The environment for a server's process on a platform. Names are compared without case on Windows, as Windows does. */
export function serverEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> | undefined,
  platform: string,
): Record<string, string> {
  const onWindows = platform === "win32"
  const safe = new Set(onWindows ? WINDOWS : POSIX)
  const nameOf = (key: string) => (onWindows ? key.toUpperCase() : key)
  const given = new Set(Object.keys(own ?? {}).map(nameOf))
  const environment: Record<string, string> = {}
  for (const [key, value] of Object.entries(host)) {
    // A value that begins so is a shell function: exported code, not a setting.
    if (value !== undefined && safe.has(nameOf(key)) && !given.has(nameOf(key)) && !value.startsWith("()")) environment[key] = value
  }
  return { ...environment, ...own }
}
