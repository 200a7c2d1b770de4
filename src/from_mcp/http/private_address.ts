/**
 * Which addresses are not part of the public internet.
 *
 * In: an IP address as text. Out: whether it is this machine, a private or local network, or nothing that one host answers for.
 * An IPv6 address that carries one of IPv4 is judged by that: it is how a filter for IPv4 alone is walked around.
 * Follows https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net"

const BLOCKED = new BlockList()
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Holds 169.254.169.254, where clouds answer with credentials.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  // Multicast, then what is reserved, with the broadcast address.
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  BLOCKED.addSubnet(network, prefix, "ipv4")
}
for (const [network, prefix] of [
  ["::", 128],
  ["::1", 128],
  ["100::", 64],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  BLOCKED.addSubnet(network, prefix, "ipv6")
}

/** Prefixes of IPv6, in groups of 16 bits, behind which an IPv4 address stands. */
const CARRIERS: readonly (readonly number[])[] = [
  // IPv4-mapped, the older IPv4-compatible form, SIIT, NAT64 with its local form, 6to4.
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x64, 0xff9b, 1, 0, 0, 0],
  [0x2002],
]

/** True for an address that a server of the public internet cannot have. Text that is no address counts as one. */
export function isPrivateAddress(text: string): boolean {
  const address = text.replace(/%.*$/, "")
  if (isIPv4(address)) return BLOCKED.check(address, "ipv4")
  if (!isIPv6(address)) return true
  const groups = groupsOf(address)
  const carrier = CARRIERS.find((prefix) => prefix.every((group, at) => group === groups[at]))
  const carried = carrier === undefined ? undefined : groups.slice(carrier.length, carrier.length + 2)
  return BLOCKED.check(address, "ipv6") || (carried !== undefined && BLOCKED.check(dotted(carried), "ipv4"))
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::")
  const left = groupsIn(head)
  if (tail === undefined) return left
  const right = groupsIn(tail)
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

function groupsIn(text: string): number[] {
  if (text === "") return []
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function dotted(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join(".")
}
