import { describe, expect, test } from "vitest"
import { createMask, maskValue } from "../../src/from_mcp/mask.js"

describe("createMask", () => {
  const mask = createMask({
    command: "server",
    args: ["--api-key", "arg-secret-1", "--password=arg-secret-2", "--root", "/home/user/folder", "positional"],
    env: { TOKEN: 'env"secret/1', SHORT: "true" },
  })

  test.each([
    ["values of env", 'token is env"secret/1!', "token is ***!"],
    ["values of env inside JSON", '{"t":"env\\"secret/1"}', '{"t":"***"}'],
    ["values of env inside a url", "x=env%22secret%2F1", "x=***"],
    ["the argument behind a secret flag", "got arg-secret-1", "got ***"],
    ["the argument joined to a secret flag", "got arg-secret-2", "got ***"],
    ["user info and query of a url", "GET https://user:pass@host:1/path?a=1&b=2 failed", "GET https://host:1/path?*** failed"],
    ["a token known by its shape", "auth ghp_0123456789abcdefghijABCDEFGHIJ012345 bad", "auth *** bad"],
    ["a JSON web token", "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-_1", "jwt ***"],
    ["a bearer token", "Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"],
  ])("masks %s", (_name, text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  test("leaves short values, other arguments and plain text alone", () => {
    const text = "true /home/user/folder positional --api-key http://host/path at 12:30"
    expect(mask(text)).toBe(text)
  })

  test("masks the values of headers, and the token behind a scheme", () => {
    const header = createMask({ url: "https://h/", headers: { Authorization: "Token sesame-open-it", "X-Org": "organisation-7" } })
    expect(header("sesame-open-it / Token sesame-open-it / organisation-7")).toBe("*** / *** / ***")
  })

  test("of two secrets the longer one is taken out first", () => {
    expect(createMask({ command: "c", env: { A: "password", B: "password-long" } })("password-long")).toBe("***")
  })
})

test("maskValue masks every text of a value, at any depth", () => {
  const mask = (text: string) => text.replaceAll("secret", "***")
  expect(maskValue({ a: ["my secret", 1, null, { b: "secret" }], secret: true }, mask)).toEqual({ a: ["my ***", 1, null, { b: "***" }], secret: true })
})
