/**
 * Items of arrays: their number, their kinds, and whether they differ.
 *
 * In: a node and a way to its subschemas. Out: rules that let everything pass that is no array.
 * The two spellings of a tuple (`prefixItems` with `items`, array `items` with `additionalItems`) become the same rule.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaNode } from "../../document/schema_node.js"
import { isArray, isSchema } from "../../json_object.js"
import { assertion, descend, descendExplaining, type Evaluator, type Rule } from "../evaluation.js"
import { valueNames } from "../json_equal.js"

/** Gives the evaluator of a subschema. */
export type SubschemaOf = (keyword: string, key?: string | number) => Evaluator

/** The rules of every keyword about arrays but `unevaluatedItems`. */
export function arrayRules(node: SchemaNode, subschemaOf: SubschemaOf): Rule[] {
  const { schema, resource } = node
  const rules: Rule[] = []
  const add = (keyword: string, message: string, fits: (value: readonly unknown[]) => boolean) => {
    rules.push(assertion(keyword, (value) => !isArray(value) || fits(value), message))
  }
  const { minItems, maxItems } = schema
  if (resource.validates) {
    if (typeof minItems === "number") add("minItems", `must have at least ${count(minItems)}`, (value) => value.length >= minItems)
    if (typeof maxItems === "number") add("maxItems", `must have at most ${count(maxItems)}`, (value) => value.length <= maxItems)
  }
  const places = itemPlaces(node)
  if (places.prefix !== undefined) {
    const { keyword, length } = places.prefix
    rules.push(prefixRule(keyword, Array.from({ length }, (_, index) => subschemaOf(keyword, index))))
  }
  if (places.rest !== undefined) rules.push(restRule(places.rest, places.prefix?.length ?? 0, subschemaOf(places.rest)))
  if (isSchema(schema.contains) && hasKeyword(resource.dialect, "contains")) rules.push(containsRule(node, subschemaOf("contains")))
  if (resource.validates && schema.uniqueItems === true) add("uniqueItems", "must not hold the same item twice", areUnique)
  return rules
}

/** Where the subschemas of the first items stand, and where that of the others. */
export function itemPlaces({ schema, resource }: SchemaNode): {
  prefix: { keyword: "prefixItems" | "items"; length: number } | undefined
  rest: "items" | "additionalItems" | undefined
} {
  if (isArray(schema.prefixItems) && hasKeyword(resource.dialect, "prefixItems")) {
    return { prefix: { keyword: "prefixItems", length: schema.prefixItems.length }, rest: isSchema(schema.items) ? "items" : undefined }
  }
  if (isArray(schema.items)) {
    return { prefix: { keyword: "items", length: schema.items.length }, rest: isSchema(schema.additionalItems) ? "additionalItems" : undefined }
  }
  return { prefix: undefined, rest: isSchema(schema.items) ? "items" : undefined }
}

function prefixRule(keyword: string, evaluators: readonly Evaluator[]): Rule {
  return {
    keyword,
    test(value, run, seen) {
      if (!isArray(value)) return true
      const length = Math.min(value.length, evaluators.length)
      for (let index = 0; index < length; index++) {
        if (!descend(evaluators[index]?.test ?? passes, value[index], run)) return false
      }
      if (seen !== undefined) seen.itemCount = Math.max(seen.itemCount, length)
      return true
    },
    explain(value, at, run, sink) {
      if (!isArray(value)) return true
      let fits = true
      evaluators.slice(0, value.length).forEach(({ explain }, index) => {
        if (!descendExplaining(explain, value[index], { parent: at, key: index }, run, sink)) fits = false
      })
      return fits
    },
  }
}

function restRule(keyword: string, start: number, { test, explain }: Evaluator): Rule {
  return {
    keyword,
    test(value, run, seen) {
      if (!isArray(value)) return true
      for (let index = start; index < value.length; index++) if (!descend(test, value[index], run)) return false
      if (seen !== undefined) seen.allItems = true
      return true
    },
    explain(value, at, run, sink) {
      if (!isArray(value)) return true
      let fits = true
      for (let index = start; index < value.length && !(sink.isFull && !fits); index++) {
        if (!descendExplaining(explain, value[index], { parent: at, key: index }, run, sink)) fits = false
      }
      return fits
    },
  }
}

function containsRule({ schema, resource }: SchemaNode, { test }: Evaluator): Rule {
  const counts = resource.validates && hasKeyword(resource.dialect, "minContains")
  const least = counts && typeof schema.minContains === "number" ? schema.minContains : 1
  const most = counts && typeof schema.maxContains === "number" ? schema.maxContains : Infinity
  // Only in 2020-12 does `contains` evaluate the items that it matches.
  const marks = resource.dialect === undefined || resource.dialect === "2020-12"
  const limit = most === Infinity ? "" : ` and at most ${most}`
  const rule: Rule = {
    keyword: "contains",
    test(value, run, seen) {
      if (!isArray(value)) return true
      let matches = 0
      for (let index = 0; index < value.length; index++) {
        if (!descend(test, value[index], run)) continue
        matches++
        if (seen !== undefined && marks) seen.items.add(index)
        else if (most === Infinity && matches >= least) return true
      }
      return matches >= least && matches <= most
    },
    explain(value, at, run, sink) {
      if (rule.test(value, run, undefined)) return true
      sink.add(at, "contains", `must hold at least ${least}${limit} matching ${least === 1 && limit === "" ? "item" : "items"}`)
      return false
    },
  }
  return rule
}

function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>()
  const nameOf = valueNames()
  for (const item of items) {
    const name = nameOf(item)
    if (seen.has(name)) return false
    seen.add(name)
  }
  return true
}

const passes = () => true

function count(amount: number): string {
  return `${amount} ${amount === 1 ? "item" : "items"}`
}
