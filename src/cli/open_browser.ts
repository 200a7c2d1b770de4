/**
 * Opens a page in the user's browser.
 *
 * In: a url that a server gave. Out: nothing; what cannot be opened stays printed. No shell is asked: the url comes from a stranger.
 */
import { spawn } from "node:child_process"

/** The program that opens a page, and the words before its url. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
}

/** Opens it, if it is a page of the web at all. */
export function openBrowser(url: URL): void {
  if (url.protocol !== "https:" && url.protocol !== "http:") return
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"]
  const child = spawn(program, [...words, url.href], { stdio: "ignore", detached: true })
  child.on("error", () => undefined)
  child.unref()
}
