/**
 * Which addresses count as private, in every way that they can be written.
 */
import { expect, test } from "vitest"
import { isPrivateAddress } from "../../../src/from_mcp/http/private_address.js"

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.127.255.255",
  "192.0.0.8",
  "198.19.0.1",
  "224.0.0.1",
  "239.255.255.255",
  "255.255.255.255",
  "::",
  "::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::ffff:0:127.0.0.1",
  "::127.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::",
  "2002:c0a8:101::5",
  "localhost",
  "",
])("%j is not on the public internet", (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "::ffff:1.1.1.1",
  "64:ff9b::8.8.8.8",
  "2002:808:808::1",
])("%j is", (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})
