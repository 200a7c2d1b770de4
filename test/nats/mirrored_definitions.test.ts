import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { MirroredDefinitions, type Definition } from "../../src/nats/mirrored_definitions.js"
import { defineOperation } from "../../src/operation.js"

/** `fs.read:A`: the id and a digest. */
function definition(text: string): Definition {
  const [id = "", digest = ""] = text.split(":")
  const [namespace = "", name = ""] = id.split(".")
  const operation = defineOperation({ namespace, name, inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler: () => null })
  return { id, digest, operation, holders: [], proven: false, anywhere: { digest } }
}

function holding(worlds: Readonly<Record<string, readonly string[]>>): MirroredDefinitions {
  const definitions = new MirroredDefinitions()
  for (const [worker, texts] of Object.entries(worlds)) definitions.set(worker, texts.map(definition))
  return definitions
}

const targets = (definitions: MirroredDefinitions, id: string, count = 6) =>
  [...new Set(Array.from({ length: count }, () => definitions.route(id)?.worker ?? "anywhere"))].sort()

describe("where a call goes", () => {
  test.each<[string, Record<string, string[]>, string[]]>([
    ["anywhere where all workers of the namespace hold the definition", { w1: ["fs.read:A"], w2: ["fs.read:A", "fs.more:A"] }, ["anywhere"]],
    ["anywhere whatever workers of other namespaces hold", { w1: ["fs.read:A"], w2: ["db.read:B"] }, ["anywhere"]],
    ["to each holder where one of the namespace lacks it", { w1: ["fs.read:A"], w2: ["fs.read:A"], w3: ["fs.other:A"] }, ["w1", "w2"]],
    ["to the holders of the definition seen longest", { w1: ["fs.read:A"], w2: ["fs.read:B"], w3: ["fs.read:A"] }, ["w1", "w3"]],
  ])("%s", (_, worlds, expected) => {
    expect(targets(holding(worlds), "fs.read")).toEqual(expected)
  })

  test("nowhere where nobody holds it", () => {
    expect(holding({ w1: ["fs.read:A"] }).route("fs.write")).toBeUndefined()
  })

  test("to others first where a worker did not take one, and to it again when that is forgiven or nobody else is left", () => {
    const definitions = holding({ w1: ["fs.read:A"], w2: ["fs.read:A"], w3: ["fs.other:A"] })
    definitions.avoid("w1", "fs.read")
    expect(targets(definitions, "fs.read")).toEqual(["w2"])
    definitions.drop("w2")
    expect(targets(definitions, "fs.read")).toEqual(["w1"])
    definitions.set("w2", [definition("fs.read:A")])
    definitions.forgive("w1", "fs.read")
    expect(targets(definitions, "fs.read")).toEqual(["w1", "w2"])
  })

  test("to a holder that has been heard, where a worker was lost before; to anybody where none has", () => {
    const definitions = holding({ w1: ["fs.read:A"], w2: ["fs.read:A"], w3: ["fs.read:A"] })
    expect(definitions.route("fs.read", (worker) => worker === "w3")).toEqual({ worker: "w3", digest: "A" })
    expect(definitions.route("fs.read", () => false)).toEqual({ digest: "A" })
  })

  test("with the digest that is meant", () => {
    const definitions = holding({ w1: ["fs.read:A"], w2: ["fs.read:B"] })
    expect(definitions.route("fs.read")).toEqual({ worker: "w1", digest: "A" })
    definitions.drop("w1")
    expect(definitions.route("fs.read")).toEqual({ digest: "B" })
  })
})

describe("which definition counts", () => {
  test("the one seen longest, for as long as any worker holds it; then the next one", () => {
    const definitions = holding({ w1: ["fs.read:A"], w2: ["fs.read:B"], w3: ["fs.read:C"], w4: ["fs.read:A"] })
    expect(definitions.conflicts()).toEqual([
      { operationId: "fs.read", kept: { digest: "A", workers: ["w1", "w4"] }, refused: [{ digest: "B", workers: ["w2"] }, { digest: "C", workers: ["w3"] }] },
    ])
    expect([...definitions.drop("w1").changed]).toEqual([])
    expect([...definitions.set("w4", []).changed]).toEqual(["fs.read"])
    expect(definitions.kept("fs.read")?.digest).toBe("B")
    expect([...definitions.set("w3", [definition("fs.read:B")]).changed]).toEqual([])
    expect(definitions.conflicts()).toEqual([])
  })

  test("a worker that changes its only definition changes what counts; one that comes back is the youngest", () => {
    const definitions = holding({ w1: ["fs.read:A"] })
    expect([...definitions.set("w1", [definition("fs.read:B")]).changed]).toEqual(["fs.read"])
    definitions.set("w2", [definition("fs.read:A")])
    expect(definitions.kept("fs.read")?.digest).toBe("B")
  })

  test("one that nobody ever answered a call of gives way when no call reaches its workers, and only to another one", () => {
    const definitions = holding({ w1: ["fs.read:A"], w2: ["fs.read:B"] })
    expect(definitions.giveWay("w1", "fs.read")).toBe(false)
    definitions.avoid("w1", "fs.read")
    expect(definitions.giveWay("w2", "fs.read")).toBe(false)
    expect(definitions.giveWay("w1", "fs.read")).toBe(true)
    expect(definitions.kept("fs.read")?.digest).toBe("B")
    const proven = definitions.kept("fs.read")
    if (proven !== undefined) proven.proven = true
    definitions.avoid("w2", "fs.read")
    expect(definitions.giveWay("w2", "fs.read")).toBe(false)
    definitions.drop("w1")
    expect(definitions.giveWay("w2", "fs.read")).toBe(false)
  })

  test("a conflict is told once when it begins", () => {
    const definitions = holding({ w1: ["fs.read:A"] })
    expect(definitions.set("w2", [definition("fs.read:B")]).conflicting).toEqual(["fs.read"])
    expect(definitions.set("w3", [definition("fs.read:B")]).conflicting).toEqual([])
  })

  test("the same definition read twice at the same time is one", () => {
    const definitions = new MirroredDefinitions()
    const [one, other] = [definition("fs.read:A"), definition("fs.read:A")]
    definitions.set("w1", [one])
    definitions.set("w2", [other])
    expect(definitions.conflicts()).toEqual([])
    expect(definitions.kept("fs.read")?.holders).toEqual(["w1", "w2"])
    expect([...definitions.drop("w1").changed, ...definitions.drop("w2").changed]).toEqual(["fs.read"])
    expect([...definitions.ids()]).toEqual([])
  })
})
