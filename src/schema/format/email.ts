/**
 * The formats `email` (RFC 5321, `Mailbox`) and `idn-email` (RFC 6531).
 *
 * In: a text. Out: true where it is one address, without a display name. Whether it exists is not asked.
 */
import { isASCIIHostname, isInternationalHostname } from "./hostname.js"
import { isIPv4, isIPv6 } from "./ip_address.js"

/** The local part, in octets. */
const LONGEST_LOCAL_PART = 64
const ATOMS = /^[\w!#$%&'*+/=?^`{|}~.-]+$/
const QUOTED = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/
const ANY_ATOMS = /^(?:[\w!#$%&'*+/=?^`{|}~.-]|[^\0-\x7f])+$/u
const ANY_QUOTED = /^"(?:[ !#-[\]-~]|\\[ -~]|[^\0-\x7f])*"$/u

/** An address of ASCII characters. */
export function isEmail(text: string): boolean {
  const parts = splitAddress(text)
  return parts !== undefined && isLocalPart(parts.local, ATOMS, QUOTED) && isDomain(parts.domain, isASCIIHostname)
}

/** An address of any characters. */
export function isInternationalEmail(text: string): boolean {
  const parts = splitAddress(text)
  if (parts === undefined || !isLocalPart(parts.local, ANY_ATOMS, ANY_QUOTED)) return false
  // Software that sends has to normalise the domain; the address itself may be written in any form.
  return isDomain(parts.domain, (domain) => isInternationalHostname(domain.normalize("NFC")))
}

/** Only a quoted local part can hold another at sign, so the last one parts the address. */
function splitAddress(text: string): { local: string; domain: string } | undefined {
  const at = text.lastIndexOf("@")
  // In UTF-8 a character takes one octet or more, so what is too long by characters is too long.
  return at < 1 || at > LONGEST_LOCAL_PART ? undefined : { local: text.slice(0, at), domain: text.slice(at + 1) }
}

function isLocalPart(local: string, atoms: RegExp, quoted: RegExp): boolean {
  if (new TextEncoder().encode(local).length > LONGEST_LOCAL_PART) return false
  if (local.startsWith('"')) return quoted.test(local)
  return atoms.test(local) && !local.startsWith(".") && !local.endsWith(".") && !local.includes("..")
}

function isDomain(domain: string, isName: (domain: string) => boolean): boolean {
  if (domain.length > 2 * 253) return false
  const literal = /^\[(IPv6:)?([^\]]*)\]$/i.exec(domain)
  if (literal === null) return isName(domain)
  const address = literal[2] ?? ""
  return literal[1] === undefined ? isIPv4(address) : isIPv6(address)
}
