/**
 * Random TypeBox schemas, of every kind that conversion makes and of some that hosts write.
 *
 * In: a random source. Out: a schema, with the definitions its references name. Constraints and defaults are often at odds
 * with each other on purpose: what Cast makes of them has to be matched too.
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox"
import { KEYS, randomValue } from "./random_value.mjs"

/** A kind whose check is even numbers, the stand-in for kinds that Cast knows nothing of. */
export const EVEN = "test:Even"
TypeRegistry.Set(EVEN, (_, value) => typeof value === "number" && value % 2 === 0)

let unique = 0

export function randomSchema(random) {
  const definitions = {}
  const inner = () => anySchema(random, 3, [], definitions)
  const root = random.below(20)
  // Mostly objects, since Cast keeps no root that is a scalar.
  const schema =
    root < 3
      ? importSchema(random, definitions)
      : root < 10
        ? objectSchema(random, inner)
        : root < 12
          ? arraySchema(random, inner)
          : root < 14
            ? intersectSchema(random, inner)
            : root < 16
              ? recursiveSchema(random, 4, definitions)
              : anySchema(random, 4, [], definitions)
  return { schema, definitions }
}

function anySchema(random, depth, references, definitions) {
  if (depth <= 0) return leafSchema(random)
  const inner = () => anySchema(random, depth - 1 - random.below(2), references, definitions)
  const kind = random.below(22)
  if (kind < 7) return objectSchema(random, inner)
  if (kind < 9) return arraySchema(random, inner)
  if (kind < 10) return Type.Tuple(Array.from({ length: random.below(4) }, inner), withDefault(random))
  if (kind < 11) return recordSchema(random, inner)
  if (kind < 13) return unionSchema(random, inner)
  if (kind < 14) return intersectSchema(random, inner)
  if (kind < 15 && references.length > 0) return random.pick(references)()
  if (kind < 16 && depth > 1) return recursiveSchema(random, depth, definitions)
  return leafSchema(random)
}

/** A default now and then; more often than not one that the schema itself refuses. */
function withDefault(random, options = {}) {
  return random.chance(0.08) ? { ...options, default: randomValue(random, 2) } : options
}

function leafSchema(random) {
  const number = () => random.pick([0, 1, 2, 3, 5, 10])
  const options = () => withDefault(random)
  const numeric = () => ({
    ...options(),
    ...(random.chance(0.2) ? { minimum: number() } : {}),
    ...(random.chance(0.2) ? { maximum: number() } : {}),
    ...(random.chance(0.1) ? { exclusiveMinimum: number() } : {}),
    ...(random.chance(0.1) ? { multipleOf: random.pick([1, 2, 0.5]) } : {}),
  })
  const text = () => ({
    ...options(),
    ...(random.chance(0.2) ? { minLength: random.below(3) } : {}),
    ...(random.chance(0.2) ? { maxLength: random.below(8) } : {}),
    ...(random.chance(0.03) ? { pattern: "^[a-z]*$" } : {}),
    ...(random.chance(0.01) ? { format: "unregistered" } : {}),
  })
  return random.pick([
    () => Type.String(text()),
    () => Type.String(text()),
    () => Type.Number(numeric()),
    () => Type.Integer(numeric()),
    () => Type.Boolean(options()),
    () => Type.Null(options()),
    () => Type.Literal(random.pick(["a", "b", "open", 1, 2, true]), options()),
    () => Type.Union(random.some(["a", "b", "open", "closed"], 0.6).map((one) => Type.Literal(one)), options()),
    () => Type.Unknown(options()),
    () => Type.Any(),
    () => (random.chance(0.15) ? Type.Not(Type.String(), options()) : Type.String(text())),
    () => (random.chance(0.1) ? Type.Never() : Type.Number(numeric())),
    () => (random.chance(0.3) ? Type.Undefined() : Type.Integer(numeric())),
    () => (random.chance(0.4) ? Type.Unsafe({ [Kind]: EVEN, ...options() }) : Type.Boolean(options())),
  ])()
}

function objectSchema(random, inner) {
  const properties = {}
  for (const key of random.some(KEYS, 0.3)) properties[key] = random.chance(0.4) ? Type.Optional(inner()) : inner()
  return Type.Object(properties, {
    ...withDefault(random),
    ...(random.chance(0.3) ? { additionalProperties: random.pick([false, true, leafSchema(random), inner()]) } : {}),
    ...(random.chance(0.05) ? { minProperties: random.below(4) } : {}),
    ...(random.chance(0.05) ? { maxProperties: random.below(6) } : {}),
  })
}

function arraySchema(random, inner) {
  return Type.Array(inner(), {
    ...withDefault(random),
    ...(random.chance(0.25) ? { minItems: random.below(4) } : {}),
    ...(random.chance(0.25) ? { maxItems: random.below(4) } : {}),
    ...(random.chance(0.15) ? { uniqueItems: true } : {}),
    ...(random.chance(0.05) ? { contains: leafSchema(random) } : {}),
  })
}

function recordSchema(random, inner) {
  const key = random.pick([Type.String(), Type.String({ pattern: "^[a-c]$" }), Type.Number()])
  return Type.Record(key, inner(), {
    ...withDefault(random),
    ...(random.chance(0.25) ? { additionalProperties: random.pick([false, leafSchema(random)]) } : {}),
    ...(random.chance(0.05) ? { minProperties: random.below(3) } : {}),
  })
}

function unionSchema(random, inner) {
  const tagged = random.chance(0.5)
  const branches = Array.from({ length: 1 + random.below(3) }, (_, index) =>
    tagged ? Type.Object({ tag: Type.Literal(["a", "b", "c"][index]), [random.pick(KEYS)]: inner() }) : inner(),
  )
  return Type.Unsafe({ [Kind]: "Union", anyOf: branches, ...withDefault(random) })
}

function intersectSchema(random, inner) {
  const parts = Array.from({ length: 2 }, () => (random.chance(0.85) ? objectSchema(random, inner) : inner()))
  return Type.Unsafe({
    [Kind]: "Intersect",
    allOf: parts,
    ...withDefault(random),
    ...(parts.every((part) => part[Kind] === "Object") && random.chance(0.15) ? { unevaluatedProperties: random.pick([false, Type.Number()]) } : {}),
  })
}

function recursiveSchema(random, depth, definitions) {
  const $id = `Recursive${unique++}`
  const schema = Type.Recursive(
    (self) =>
      Type.Object({
        id: leafSchema(random),
        ...(random.chance(0.7) ? { children: Type.Array(self) } : {}),
        ...(random.chance(0.4) ? { next: Type.Optional(self) } : {}),
        ...(random.chance(0.3) ? { other: Type.Unsafe({ [Kind]: "Union", anyOf: [Type.Null(), self] }) } : {}),
        ...(random.chance(0.05) ? { always: self } : {}),
        [random.pick(KEYS)]: anySchema(random, depth - 2, [], definitions),
      }),
    { $id, ...withDefault(random) },
  )
  definitions[$id] = schema
  return schema
}

function importSchema(random, definitions) {
  const names = ["P", "Q", "R"].map((name) => `${name}${unique++}`)
  const references = names.map((name) => () => Type.Ref(name))
  const module = Object.fromEntries(
    names.map((name) => [
      name,
      random.chance(0.7)
        ? Type.Object({
            [random.pick(KEYS)]: anySchema(random, 2, references, definitions),
            [random.pick(KEYS)]: Type.Optional(random.pick(references)()),
            [random.pick(KEYS)]: Type.Array(random.pick(references)()),
          })
        : anySchema(random, 2, [], definitions),
    ]),
  )
  // Written out as FromSchema does, since Type.Module computes and would loop on some of these.
  const $defs = Object.fromEntries(names.map((name) => [name, { ...(module[name].$id === undefined ? module[name] : Type.Array(module[name])), $id: name }]))
  Object.assign(definitions, $defs)
  return Type.Unsafe({ [Kind]: "Import", $defs, $ref: names[0] })
}
