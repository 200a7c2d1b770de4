/**
 * Random JSON values: from nothing, and nearly fitting a TypeBox schema.
 *
 * In: a random source, and for the second kind a schema. Out: a value. A nearly fitting value is a fitting one as far as that
 * is easy, with a few mistakes: what real servers send is mostly right.
 */
import { Kind } from "@sinclair/typebox"

export const KEYS = ["a", "b", "c", "tag", "id", "n", "x/y", "t~l", "", "0", "length"]
const LEAVES = [null, true, false, 0, 1, -1, 2, 5, 9, 10, 41.9, -0.5, 1e21, "", "a", "b", "open", "A1", "12.50", "x".repeat(12)]

export function randomValue(random, depth = 3, keys = KEYS) {
  if (depth <= 0 || random.chance(0.6)) return random.pick(LEAVES)
  const length = random.below(4)
  if (random.chance(0.4)) return Array.from({ length }, () => randomValue(random, depth - 1, keys))
  const made = {}
  for (let index = 0; index < length; index++) put(made, random.pick(keys), randomValue(random, depth - 1, keys))
  return made
}

/** `mistakes` is the chance, at each node, that something of another shape stands there. */
export function valueNear(random, schema, { mistakes = 0.08, definitions = {}, depth = 6, keys = KEYS } = {}) {
  const at = (node, left) => {
    if (left <= 0 || random.chance(mistakes)) return randomValue(random, 2, keys)
    const inner = (child) => at(child, left - 1)
    switch (node[Kind]) {
      case "Object":
        return objectNear(node, inner)
      case "Record": {
        const [member] = Object.values(node.patternProperties)
        return Object.fromEntries(random.some(keys, 0.25).map((key) => [key, inner(member)]))
      }
      case "Array": {
        const least = random.chance(0.8) ? (node.minItems ?? 0) : 0
        return Array.from({ length: least + random.below(3) }, () => inner(node.items))
      }
      case "Tuple": {
        const items = (node.items ?? []).map(inner)
        return random.chance(0.1) ? [...items, 1] : random.chance(0.1) ? items.slice(1) : items
      }
      case "Union":
        return inner(random.pick(node.anyOf))
      case "Intersect":
        // Spread makes own members, assignment would make __proto__ the prototype.
        return node.allOf.reduce((made, part) => ({ ...made, ...objectOnly(inner(part)) }), {})
      case "Import":
        return at(node.$defs[node.$ref], left - 1)
      case "Ref":
      case "This":
        return node.$ref in definitions ? inner(definitions[node.$ref]) : randomValue(random, 2, keys)
      default:
        return leafNear(node)
    }
  }
  const objectNear = (node, inner) => {
    const made = {}
    const required = new Set(node.required ?? [])
    for (const [key, property] of Object.entries(node.properties)) {
      if (random.chance(required.has(key) ? 0.93 : 0.5)) put(made, key, inner(property))
    }
    if (random.chance(0.25)) put(made, random.pick(keys), typeof node.additionalProperties === "object" ? inner(node.additionalProperties) : randomValue(random, 2, keys))
    return made
  }
  const leafNear = (node) => {
    switch (node[Kind]) {
      case "String":
        return random.pick(["", "a", "abc", "A1", "x".repeat(7), " "])
      case "Number":
      case "Integer":
        return random.pick([0, 1, 2, 3, 5, 8, 10, 12, -4])
      case "Boolean":
        return random.chance(0.5)
      case "Null":
        return null
      case "Literal":
        return node.const
      default:
        return randomValue(random, 2, keys)
    }
  }
  return at(schema, depth)
}

const objectOnly = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {})

/** Makes an own member whatever its name. */
function put(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
