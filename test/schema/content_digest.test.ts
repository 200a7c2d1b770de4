import { expect, test } from "vitest"
import { contentDigest } from "../../src/schema/content_digest.js"

test.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb924"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039"],
  ["a".repeat(1_000), "41edece42d63e8d9bf515a9ba6932e1c"],
])("the digest of %j is the first half of its SHA-256", (text, digest) => {
  expect(contentDigest(text)).toBe(digest)
})
