/**
 * Names of tools: legal everywhere, unique, the same in every order of listing, and the way back to the operation.
 */
import { describe, expect, test } from "vitest"
import { toolName, toolNames } from "../../src/tools.js"

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/
const long = "read_the_whole_of_a_very_long_file_and_answer_with_a_summary_of_it_for_people_who"

function nameOf(id: string, ids: readonly string[], naming?: "qualified" | "short"): string | undefined {
  return [...toolNames(ids, naming)].find(([, each]) => each === id)?.[0]
}

describe("the name of one operation", () => {
  test.each([
    ["server and tool, where that says it without doubt", "files.read_text", "files__read_text"],
    ["a name with the mark in it, after the first one", "files.read__text", "files__read__text"],
    ["a namespace with a dash", "my-server.echo", "my-server__echo"],
    ["a name that begins like the mark", "a._c", "a___c"],
    ["64 characters", `s.${"a".repeat(61)}`, `s__${"a".repeat(61)}`],
  ])("is %s", (_what, id, name) => {
    expect(toolName(id)).toBe(name)
  })

  test.each([
    ["a slash (anomalyco/opencode#3842)", "s.greet/tool", /^s_greet_tool_[0-9a-f]{8}$/],
    ["dots", "s.my.resource.read", /^s_my_resource_read_[0-9a-f]{8}$/],
    ["a colon", "s.ns:action", /^s_ns_action_[0-9a-f]{8}$/],
    ["no Latin letter at all", "s.读取", /^s_[0-9a-f]{8}$/],
    ["nothing but marks", "_.读取", /^tool_[0-9a-f]{8}$/],
    ["65 characters (softwaremill/sttp-ai#520)", `s.${"a".repeat(62)}`, /^s_a{53}_[0-9a-f]{8}$/],
    ["a namespace that holds the mark", "a__b.c", /^a_b_c_[0-9a-f]{8}$/],
    ["a namespace that ends like the mark", "a_.c", /^a_c_[0-9a-f]{8}$/],
  ])("is a readable head and a digest for %s", (_what, id, name) => {
    expect(toolName(id)).toMatch(name)
    expect(toolName(id)).toMatch(LEGAL)
  })
})

describe("names of a set", () => {
  const ids = [
    "s1.send_email", "s2.send_email", "a_b.c", "a.b_c", "a__b.c", "a.b__c", "a_.c", "a._c", "s.greet/tool", "s.greet_tool", "s.greet.tool",
    `s.${long}1`, `s.${long}2`, "s.__proto__", "s.constructor", "a_b_c.x", "s.读取", "s.写入",
  ]

  test("are legal, different, and lead back to their operations", () => {
    const names = toolNames(ids)
    expect([...names.values()]).toEqual(ids)
    expect(names.size).toBe(ids.length)
    expect([...names.keys()].filter((name) => !LEGAL.test(name))).toEqual([])
  })

  test.each(["qualified", "short"] as const)("are the same in every order of listing: %s", (naming) => {
    const forwards = new Map([...toolNames(ids, naming)].map(([name, id]) => [id, name]))
    const backwards = new Map([...toolNames([...ids].reverse(), naming)].map(([name, id]) => [id, name]))
    for (const id of ids) expect(backwards.get(id)).toBe(forwards.get(id))
  })

  test("do not depend on what else is listed", () => {
    for (const id of ids) expect(nameOf(id, ids)).toBe(nameOf(id, [id]))
  })

  test("count an id that is given twice once", () => {
    expect([...toolNames(["a.b", "a.b"])]).toEqual([["a__b", "a.b"]])
  })

  test.each([
    ["unique", "a.only", ["a.only", "a.both", "b.both"], "only"],
    ["carried by two servers", "a.both", ["a.only", "a.both", "b.both"], "a__both"],
    ["the qualified name of another", "x.a__b", ["x.a__b", "a.b"], "x__a__b"],
    ["not legal as it is", "x.a b", ["x.a b"], nameOf("x.a b", ["x.a b"])],
  ])("asked to be short leave the server out unless the bare name is not: %s", (_what, id, all, name) => {
    expect(nameOf(id, all, "short")).toBe(name)
  })
})
