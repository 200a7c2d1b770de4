/**
 * The address of a server over HTTP, and which other addresses count as the same place.
 *
 * In: the url of a config. Out: the url to ask, without user info, and how messages may show one.
 * User info becomes an Authorization header, because fetch refuses urls that hold it.
 */
import { CallError } from "../../error.js"

/** Where a server is, and the credentials that its url held. */
export interface Endpoint {
  readonly url: URL
  readonly authorization: string | undefined
}

/**
 * The endpoint for a url of a config.
 *
 * @throws CallError CONFIGURATION_ERROR where it is no http or https url.
 */
export function endpointOf(server: string, text: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new CallError("CONFIGURATION_ERROR", `Server "${server}": its url is no http or https url`, { details: { server, remedy: "write it as https://host/path" } })
  }
  const { username, password } = url
  url.username = url.password = ""
  url.hash = ""
  if (username === "" && password === "") return { url, authorization: undefined }
  const credentials = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`)
  return { url, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }
}

/** True where `to` is the origin of `from`, or the https form of it with both on their default ports. */
export function isWithinOrigin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.hostname === to.hostname && from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === ""
}

/** A url as messages show it: without user info, query and fragment. */
export function shownURL(url: URL): string {
  return `${url.origin}${url.pathname}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A percent sign that stands for itself.
    return part
  }
}
