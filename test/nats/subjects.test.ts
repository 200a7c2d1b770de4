import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decodeToken, encodeToken, inboxPrefix, isOwnInbox, Subjects, tokenOrThrow } from "../../src/nats/subjects.js"

describe("tokens", () => {
  test.each([
    ["read_file", "read_file"],
    ["a.b", "a=2Eb"],
    ["a/b c", "a=2Fb=20c"],
    ["=", "=3D"],
    ["*", "=2A"],
    [">", "=3E"],
    ["ü", "=C3=BC"],
    ["🙂", "=F0=9F=99=82"],
  ])("%j is said as %j, and back", (text, token) => {
    expect(encodeToken(text)).toBe(token)
    expect(decodeToken(token)).toBe(text)
  })

  test("every text has one token of letters, digits, _, - and =, and comes back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        const token = encodeToken(text)
        expect(token).toMatch(/^[A-Za-z0-9_=-]+$/)
        expect(decodeToken(token)).toBe(text)
      }),
    )
  })

  test("two texts never have the same token", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme", minLength: 1 }), (one, other) => {
        expect(encodeToken(one) === encodeToken(other)).toBe(one === other)
      }),
    )
  })

  test.each(["", "=", "=4", "=61", "=2e", "a b", "a.b", "=FF", "=C3", "=EF=BB=BFa=GG"])("%j is no token of any text", (token) => {
    expect(decodeToken(token)).toBeUndefined()
  })

  test.each(["", "a.b", "a*", "a b", ">", "ü"])("%j is refused as a name", (name) => {
    expect(() => tokenOrThrow(name, "a worker")).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
  })
})

describe("subjects", () => {
  const subjects = new Subjects()

  test("are those of the protocol", () => {
    expect({
      call: subjects.call("alice", "fs.read file"),
      callTo: subjects.callTo("w1", "alice", "fs.a.b"),
      calls: subjects.calls("fs"),
      callsTo: subjects.callsTo("w1", "fs"),
      control: subjects.control("w1", "alice"),
      controlAll: subjects.controlAll("alice"),
      controls: subjects.controls("w1"),
      announce: subjects.announce("w1"),
      announcements: subjects.announcements(),
      catalogue: subjects.catalogue("w1", "alice"),
      catalogues: subjects.catalogues("w1"),
      inbox: inboxPrefix("alice"),
    }).toEqual({
      call: "ops.v1.call.alice.fs.read=20file",
      callTo: "ops.v1.to.w1.alice.fs.a=2Eb",
      calls: "ops.v1.call.*.fs.>",
      callsTo: "ops.v1.to.w1.*.fs.>",
      control: "ops.v1.ctl.w1.alice",
      controlAll: "ops.v1.ctl.all.alice",
      controls: ["ops.v1.ctl.w1.*", "ops.v1.ctl.all.*"],
      announce: "ops.v1.announce.w1",
      announcements: "ops.v1.announce.*",
      catalogue: "ops.v1.catalog.w1.alice",
      catalogues: "ops.v1.catalog.w1.*",
      inbox: "_INBOX.alice",
    })
  })

  test("another prefix gives another system", () => {
    expect(new Subjects("team-b").call("alice", "fs.read")).toBe("team-b.v1.call.alice.fs.read")
    expect(() => new Subjects("a.b")).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
  })

  test("an operation comes back out of its subject, whatever its name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), (name) => {
        expect(subjects.parseCall(subjects.call("bob", `ns.${name}`) ?? "")).toEqual({ caller: "bob", operationId: `ns.${name}` })
        expect(subjects.parseCall(subjects.callTo("w1", "bob", `ns.${name}`) ?? "")).toEqual({ caller: "bob", operationId: `ns.${name}` })
      }),
    )
  })

  test.each([
    "ops.v1.call.bob.ns",
    "ops.v1.call.bob.ns.a.b",
    "ops.v2.call.bob.ns.a",
    "other.v1.call.bob.ns.a",
    "ops.v1.to.bob.ns.a",
    "ops.v1.ctl.w1.bob.ns.a",
    "ops.v1.call.b=6Fb.ns.a",
    "ops.v1.call.bob.ns.=61",
    "",
  ])("%j is no subject of a call", (subject) => {
    expect(subjects.parseCall(subject)).toBeUndefined()
  })

  test("an id that is none, or too long for a subject, has no subject", () => {
    expect(subjects.call("bob", "nodot")).toBeUndefined()
    expect(subjects.call("bob", `ns.${"x".repeat(600)}`)).toBeUndefined()
    expect(subjects.call("bob", `ns.${"ü".repeat(90)}`)).toBeUndefined()
  })

  test.each<[string | undefined, boolean]>([
    ["_INBOX.bob.x.1", true],
    ["_INBOX.bob", false],
    ["_INBOX.bobby.x", false],
    ["_INBOX.alice.bob.", false],
    ["ops.v1.call.alice.fs.delete", false],
    [undefined, false],
  ])("%j is within bob's inbox: %s", (reply, own) => {
    expect(isOwnInbox("bob", reply)).toBe(own)
  })
})
