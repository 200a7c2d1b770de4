/**
 * The formats `uri` and `uri-reference` (RFC 3986), `iri` and `iri-reference` (RFC 3987).
 *
 * In: a text. Out: true where it is of the format. Follows the grammar, not what a browser makes of it: no scheme is known, and
 * nothing is repaired. Each part is searched once for a character that it may not hold.
 */
import { isIPv6 } from "./ip_address.js"
import { LatePattern } from "./late_pattern.js"

/** The characters that a part may not hold, and percent signs that begin no escape. */
interface Refused {
  readonly userInfo: LatePattern
  readonly host: LatePattern
  readonly path: LatePattern
  readonly query: LatePattern
  readonly fragment: LatePattern
}

const UCS_CHARACTERS =
  "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}" +
  Array.from({ length: 14 }, (_, i) => (i + 1).toString(16))
    .map((plane) => `\\u{${plane}${plane === "e" ? "1" : "0"}000}-\\u{${plane}fffd}`)
    .join("")
const PRIVATE_CHARACTERS = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}"

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
const FUTURE_ADDRESS = /^[vV][0-9a-fA-F]+\.[\w.~!$&'()*+,;=:-]+$/
const REFUSED_BY_URI = refused("", "")
const REFUSED_BY_IRI = refused(UCS_CHARACTERS, PRIVATE_CHARACTERS)

/** An absolute URI, fragment included. */
export function isURI(text: string): boolean {
  return SCHEME.test(text) && isReference(text, REFUSED_BY_URI)
}

/** A URI, or a reference relative to one. */
export function isURIReference(text: string): boolean {
  return isReference(text, REFUSED_BY_URI)
}

/** An absolute IRI, fragment included. */
export function isIRI(text: string): boolean {
  return SCHEME.test(text) && isReference(text, REFUSED_BY_IRI)
}

/** An IRI, or a reference relative to one. */
export function isIRIReference(text: string): boolean {
  return isReference(text, REFUSED_BY_IRI)
}

function refused(letters: string, inQuery: string): Refused {
  const common = `A-Za-z0-9._~!$&'()*+,;=${letters}`
  const except = (more: string) => new LatePattern(`[^%${common}${more}-]|%(?![0-9A-Fa-f]{2})`)
  return {
    userInfo: except(":"),
    host: except(""),
    path: except(":@/"),
    query: except(`:@/?${inQuery}`),
    fragment: except(":@/?"),
  }
}

function isReference(text: string, not: Refused): boolean {
  const [beforeFragment, fragment] = splitAt(text, "#")
  const [beforeQuery, query] = splitAt(beforeFragment, "?")
  if (not.fragment.test(fragment) || not.query.test(query)) return false
  const scheme = SCHEME.exec(beforeQuery)?.[0] ?? ""
  const rest = beforeQuery.slice(scheme.length)
  if (rest.startsWith("//")) {
    const end = rest.indexOf("/", 2)
    const authority = end === -1 ? rest.slice(2) : rest.slice(2, end)
    return isAuthority(authority, not) && !not.path.test(end === -1 ? "" : rest.slice(end))
  }
  // Without a scheme a colon in the first segment would make that segment one.
  const colon = scheme === "" ? rest.indexOf(":") : -1
  const slash = rest.indexOf("/")
  return (colon === -1 || (slash !== -1 && slash < colon)) && !not.path.test(rest)
}

function isAuthority(authority: string, not: Refused): boolean {
  const at = authority.indexOf("@")
  if (at !== -1 && not.userInfo.test(authority.slice(0, at))) return false
  const place = authority.slice(at + 1)
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(place)?.[1]
  if (bracketed !== undefined) return isIPv6(bracketed) || FUTURE_ADDRESS.test(bracketed)
  const [host, port] = splitAt(place, ":")
  return !not.host.test(host) && !/\D/.test(port)
}

/** The text before the first separator and the text behind it. */
function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}
