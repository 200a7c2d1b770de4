/**
 * The formats `ipv4` (RFC 2673, section 3.2) and `ipv6` (RFC 4291, section 2.2).
 *
 * In: a text. Out: true where it is an address, without brackets, zone or prefix length. Leading zeros in an IPv4 number are
 * refused: some readers take them for octal.
 */

const IPV4_NUMBER = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/
const IPV6_GROUP = /^[0-9a-fA-F]{1,4}$/
/** The longest address: six groups and an IPv4 address. */
const LONGEST = 45

/** Four decimal numbers up to 255. */
export function isIPv4(text: string): boolean {
  if (text.length > LONGEST) return false
  const numbers = text.split(".")
  return numbers.length === 4 && numbers.every((number) => IPV4_NUMBER.test(number))
}

/** Eight groups, `::` once for one or more groups of zeros, the last two groups perhaps an IPv4 address. */
export function isIPv6(text: string): boolean {
  if (text.length > LONGEST) return false
  const sides = text.split("::")
  if (sides.length > 2) return false
  const groups = sides.map((side, i) => countGroups(side, i === sides.length - 1))
  const total = groups.reduce((sum, count) => sum + count, 0)
  return sides.length === 2 ? total <= 7 : total === 8
}

/** The groups of one side of `::`; NaN where one of them is none. */
function countGroups(side: string, isLast: boolean): number {
  if (side === "") return 0
  const groups = side.split(":")
  const ipv4 = isLast && isIPv4(groups.at(-1) ?? "")
  const hexadecimal = ipv4 ? groups.slice(0, -1) : groups
  return hexadecimal.every((group) => IPV6_GROUP.test(group)) ? hexadecimal.length + (ipv4 ? 2 : 0) : NaN
}
