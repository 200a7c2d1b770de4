/**
 * TypeBox nodes by kind, and what TypeBox's own functions do with them where that decides whether a kind may be used.
 *
 * In: members of a node. Out: a frozen TypeBox schema. Nodes are made by hand, since TypeBox's constructors would copy every
 * property schema, and since a definition with an id of one's own has no constructor.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { EXACT_CHECK, EXACT_KIND, registerExactKind, type ExactCheck } from "../exact_kind.js"

/** A node of a native kind: its keywords behind its annotations, so that no annotation replaces a keyword. */
export function typeboxNode(kind: string, keywords: Record<string, unknown>, annotations?: Record<string, unknown>): TSchema {
  // TSchema is open: static and params exist for the compiler alone.
  return Object.freeze({ ...annotations, ...keywords, [Kind]: kind }) as unknown as TSchema
}

/** A node that is checked by a closure; `keywords` are what it shows as JSON. */
export function exactNode(check: ExactCheck, keywords: Record<string, unknown>): TSchema {
  registerExactKind()
  // As above.
  return Object.freeze({ ...keywords, [Kind]: EXACT_KIND, [EXACT_CHECK]: check }) as unknown as TSchema
}

/** The node that everything fits, with annotations. */
export function unknownNode(annotations?: Record<string, unknown>): TSchema {
  return typeboxNode("Unknown", {}, annotations)
}

/** The node that nothing fits. */
export function neverNode(annotations?: Record<string, unknown>): TSchema {
  return typeboxNode("Never", { not: Object.freeze({}) }, annotations)
}

/** The kind of a node. */
export function kindOf(schema: TSchema): string {
  return schema[Kind]
}

/**
 * True when TypeBox's check of this node alone says yes to undefined: then a required property of it may be missing, unless
 * TypeBox asks for the key as well, which it does for Unknown and for a Not at the top.
 */
export function acceptsUndefined(schema: TSchema, definition: (id: string) => TSchema | undefined): boolean {
  // Answers by definition: a hundred definitions that each refer twice to the next have 2^100 ways to the last.
  const known = new Map<string, boolean>()
  const visit = (node: TSchema): boolean => {
    switch (kindOf(node)) {
      case "Unknown":
        return true
      case "Not":
        return !visit(partOf(node, "not"))
      case "Union":
        return partsOf(node, "anyOf").some(visit)
      case "Intersect":
        return partsOf(node, "allOf").every(visit)
      case "Ref":
        return visitDefinition(String(node.$ref))
      default:
        return false
    }
  }
  const visitDefinition = (id: string): boolean => {
    const answered = known.get(id)
    if (answered !== undefined) return answered
    const target = definition(id)
    // An open definition is one around this node: assume the worst.
    if (target === undefined) return true
    known.set(id, true)
    const answer = visit(target)
    known.set(id, answer)
    return answer
  }
  return visit(schema)
}

/** True when a required property of this node is refused by TypeBox where it is missing. */
export function isSafeAsRequired(schema: TSchema, definition: (id: string) => TSchema | undefined): boolean {
  return kindOf(schema) === "Unknown" || extendsUndefined(schema) || !acceptsUndefined(schema, definition)
}

/** As TypeBox's own function of that name: where it says yes, the key is asked for as well. */
function extendsUndefined(schema: TSchema): boolean {
  switch (kindOf(schema)) {
    case "Not":
      return !extendsUndefined(partOf(schema, "not"))
    case "Union":
      return partsOf(schema, "anyOf").some(extendsUndefined)
    case "Intersect":
      return partsOf(schema, "allOf").every(extendsUndefined)
    default:
      return false
  }
}

/**
 * True when TypeBox compiles this node to code that reads `value[key]` inside a scope with a `key` of its own. Below an
 * `additionalProperties` schema that code reads the wrong member, so such a node must not stand there.
 */
export function scopesKeys(schema: TSchema): boolean {
  switch (kindOf(schema)) {
    case "Object": {
      if (typeof schema.additionalProperties === "object") return true
      // Made by this room: properties of an Object are nodes.
      return Object.values(schema.properties as Record<string, TSchema>).some(scopesKeys)
    }
    case "Union":
      return partsOf(schema, "anyOf").some(scopesKeys)
    case "Intersect":
      return partsOf(schema, "allOf").some(scopesKeys)
    case "Not":
      return scopesKeys(partOf(schema, "not"))
    case "Tuple":
      return partsOf(schema, "items").some(scopesKeys)
    default:
      return false
  }
}

function partOf(schema: TSchema, keyword: string): TSchema {
  // Made by this room: the part of such a kind is a node.
  return schema[keyword] as TSchema
}

function partsOf(schema: TSchema, keyword: string): readonly TSchema[] {
  // As above.
  return (schema[keyword] ?? []) as readonly TSchema[]
}
