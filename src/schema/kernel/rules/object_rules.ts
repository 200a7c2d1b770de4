/**
 * Members of objects: which must be there, which may, and what they hold.
 *
 * In: a node and a way to its subschemas. Out: rules that let everything pass that is no object.
 * Own members alone count, and one that holds undefined counts as missing where a value is asked for: JSON has no undefined.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaNode } from "../../document/schema_node.js"
import { has, isArray, isObject, isSchema, type JSONObject } from "../../json_object.js"
import { readPattern } from "../../pattern.js"
import { assertion, descend, descendExplaining, type Evaluator, type Rule } from "../evaluation.js"
import type { SubschemaOf } from "./array_rules.js"

/** The rules of every keyword about objects but the conditional ones and `unevaluatedProperties`. */
export function objectRules(node: SchemaNode, subschemaOf: SubschemaOf): Rule[] {
  const { schema, resource } = node
  const rules: Rule[] = []
  const { minProperties, maxProperties } = schema
  if (resource.validates) {
    if (isArray(schema.required)) rules.push(requiredRule(schema.required.filter((key) => typeof key === "string")))
    if (typeof minProperties === "number") {
      rules.push(assertion("minProperties", (value) => !isObject(value) || Object.keys(value).length >= minProperties, `must have at least ${count(minProperties)}`))
    }
    if (typeof maxProperties === "number") {
      rules.push(assertion("maxProperties", (value) => !isObject(value) || Object.keys(value).length <= maxProperties, `must have at most ${count(maxProperties)}`))
    }
  }
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  if (names.length > 0) rules.push(propertiesRule(names.map((name) => ({ name, ...subschemaOf("properties", name) }))))
  const patterns = patternsOf(node, subschemaOf)
  if (patterns.known.length > 0) rules.push(patternPropertiesRule(patterns.known))
  const additional = schema.additionalProperties
  if (isSchema(additional) && !patterns.incomplete) {
    rules.push(additionalRule("additionalProperties", new Set(names), patterns.known, subschemaOf("additionalProperties"), additional === false))
  }
  if (isSchema(schema.propertyNames) && hasKeyword(resource.dialect, "propertyNames")) rules.push(propertyNamesRule(subschemaOf("propertyNames")))
  return rules
}

interface PatternRule extends Evaluator {
  readonly matches: (name: string) => boolean
}

/** The patterns that can be enforced; `incomplete` when one cannot, so that nobody knows which members are additional. */
function patternsOf({ schema }: SchemaNode, subschemaOf: SubschemaOf): { known: PatternRule[]; incomplete: boolean } {
  const known: PatternRule[] = []
  let incomplete = false
  if (isObject(schema.patternProperties)) {
    for (const source of Object.keys(schema.patternProperties)) {
      const check = readPattern(source)
      if (check.kind === "invalid" || check.kind === "unenforced") incomplete = true
      else known.push({ matches: (name) => check.test(name), ...subschemaOf("patternProperties", source) })
    }
  }
  return { known, incomplete }
}

function requiredRule(names: readonly string[]): Rule {
  return {
    keyword: "required",
    test: (value) => !isObject(value) || names.every((name) => has(value, name)),
    explain(value, at, _run, sink) {
      if (!isObject(value)) return true
      const missing = names.filter((name) => !has(value, name))
      for (const name of new Set(missing)) sink.add({ parent: at, key: name }, "required", "is required")
      return missing.length === 0
    },
  }
}

function propertiesRule(properties: readonly ({ readonly name: string } & Evaluator)[]): Rule {
  return {
    keyword: "properties",
    test(value, run, seen) {
      if (!isObject(value)) return true
      for (const { name, test } of properties) {
        if (!has(value, name)) continue
        if (!descend(test, value[name], run)) return false
        seen?.properties.add(name)
      }
      return true
    },
    explain(value, at, run, sink) {
      if (!isObject(value)) return true
      let fits = true
      for (const { name, explain } of properties) {
        if (has(value, name) && !descendExplaining(explain, value[name], { parent: at, key: name }, run, sink)) fits = false
      }
      return fits
    },
  }
}

function patternPropertiesRule(patterns: readonly PatternRule[]): Rule {
  return {
    keyword: "patternProperties",
    test(value, run, seen) {
      if (!isObject(value)) return true
      for (const name of Object.keys(value)) {
        for (const { matches, test } of patterns) {
          if (!matches(name)) continue
          if (!descend(test, value[name], run)) return false
          seen?.properties.add(name)
        }
      }
      return true
    },
    explain(value, at, run, sink) {
      if (!isObject(value)) return true
      let fits = true
      for (const name of Object.keys(value)) {
        for (const { matches, explain } of patterns) {
          if (matches(name) && !descendExplaining(explain, value[name], { parent: at, key: name }, run, sink)) fits = false
        }
      }
      return fits
    },
  }
}

function additionalRule(keyword: string, names: ReadonlySet<string>, patterns: readonly PatternRule[], { test, explain }: Evaluator, closed: boolean): Rule {
  const isAdditional = (name: string) => !names.has(name) && !patterns.some(({ matches }) => matches(name))
  return {
    keyword,
    test(value, run, seen) {
      if (!isObject(value)) return true
      for (const name of Object.keys(value)) {
        if (!isAdditional(name)) continue
        if (!descend(test, value[name], run)) return false
        seen?.properties.add(name)
      }
      return true
    },
    explain(value: unknown, at, run, sink) {
      if (!isObject(value)) return true
      let fits = true
      for (const name of additionalNames(value, isAdditional)) {
        const place = { parent: at, key: name }
        if (closed) {
          sink.add(place, keyword, "is not a known property")
          fits = false
        } else if (!descendExplaining(explain, value[name], place, run, sink)) fits = false
      }
      return fits
    },
  }
}

function additionalNames(value: JSONObject, isAdditional: (name: string) => boolean): string[] {
  return Object.keys(value).filter(isAdditional)
}

function propertyNamesRule({ test, explain }: Evaluator): Rule {
  return {
    keyword: "propertyNames",
    test: (value, run) => !isObject(value) || Object.keys(value).every((name) => test(name, run, undefined)),
    explain(value, at, run, sink) {
      if (!isObject(value)) return true
      const refused = Object.keys(value).filter((name) => !explain(name, { parent: at, key: name }, run, sink))
      for (const name of refused) sink.add({ parent: at, key: name }, "propertyNames", "is not an allowed property name")
      return refused.length === 0
    },
  }
}

function count(amount: number): string {
  return `${amount} ${amount === 1 ? "property" : "properties"}`
}
