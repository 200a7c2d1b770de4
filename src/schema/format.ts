/**
 * The formats that JSON Schema names, as functions of a string.
 *
 * In: a format's name and the dialect that reads it. Out: its check, or undefined for a format that is unknown, which accepts
 * everything. Each check takes time linear in the text. Nothing is registered with TypeBox: its registry belongs to the host.
 * An older dialect gets the formats of the newer ones too: who writes `uuid` means a uuid, and the dialects allow it.
 */
import { isAtLeast, type Dialect } from "./dialect.js"
import { isDate, isDateTime, isDuration, isTime } from "./format/date_time.js"
import { isEmail, isInternationalEmail } from "./format/email.js"
import { isASCIIHostname, isHostname, isInternationalHostname } from "./format/hostname.js"
import { isRegularExpression, isUUID } from "./format/identifier.js"
import { isIPv4, isIPv6 } from "./format/ip_address.js"
import { isJSONPointer, isRelativeJSONPointer } from "./format/json_pointer.js"
import { isIRI, isIRIReference, isURI, isURIReference } from "./format/uri.js"
import { isURITemplate } from "./format/uri_template.js"

/** True when the text is of the format. */
export type FormatCheck = (text: string) => boolean

/** The check of `name` as `dialect` knows it; undefined for a format that nobody defined. */
export function formatCheck(name: string, dialect: Dialect): FormatCheck | undefined {
  // RFC 1034, which the two oldest dialects name, knows no A-labels: to it they are labels as any other.
  if (name === "hostname" && !isAtLeast(dialect, "draft-07")) return isASCIIHostname
  return FORMATS.get(name)
}

const FORMATS: ReadonlyMap<string, FormatCheck> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["idn-email", isInternationalEmail],
  ["idn-hostname", isInternationalHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["iri", isIRI],
  ["iri-reference", isIRIReference],
  ["json-pointer", isJSONPointer],
  ["regex", isRegularExpression],
  ["relative-json-pointer", isRelativeJSONPointer],
  ["time", isTime],
  ["uri", isURI],
  ["uri-reference", isURIReference],
  ["uri-template", isURITemplate],
  ["uuid", isUUID],
])
