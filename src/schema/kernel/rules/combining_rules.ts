/**
 * `allOf`, `anyOf`, `oneOf`, `not`, `if`, and the dependencies: subschemas that look at the same value.
 *
 * In: a node and a way to its subschemas. Out: rules. A branch that fails leaves no marks of what it evaluated.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaNode } from "../../document/schema_node.js"
import { has, isArray, isObject, isSchema } from "../../json_object.js"
import { closestIssues } from "../closest_branch.js"
import { Evaluated, type Evaluator, type Rule } from "../evaluation.js"
import { IssueSink } from "../issue_sink.js"
import type { SubschemaOf } from "./array_rules.js"

/** The rules of the keywords that combine subschemas on one value. */
export function combiningRules(node: SchemaNode, subschemaOf: SubschemaOf): Rule[] {
  const { schema, resource } = node
  const rules: Rule[] = []
  const listed = (keyword: string) => {
    const list = schema[keyword]
    return isArray(list) ? list.map((_, index) => subschemaOf(keyword, index)) : undefined
  }
  const allOf = listed("allOf")
  if (allOf !== undefined) rules.push(allOfRule(allOf))
  const anyOf = listed("anyOf")
  if (anyOf !== undefined && anyOf.length > 0) rules.push(anyOfRule(anyOf))
  const oneOf = listed("oneOf")
  if (oneOf !== undefined && oneOf.length > 0) rules.push(oneOfRule(oneOf))
  if (isSchema(schema.not)) rules.push(notRule(subschemaOf("not")))
  if (isSchema(schema.if) && hasKeyword(resource.dialect, "if")) {
    rules.push(ifRule(subschemaOf("if"), isSchema(schema.then) ? subschemaOf("then") : undefined, isSchema(schema.else) ? subschemaOf("else") : undefined))
  }
  return [...rules, ...dependencyRules(node, subschemaOf)]
}

function allOfRule(branches: readonly Evaluator[]): Rule {
  return {
    keyword: "allOf",
    test(value, run, seen) {
      for (const branch of branches) if (!branch.test(value, run, seen)) return false
      return true
    },
    explain(value, at, run, sink) {
      let fits = true
      for (const branch of branches) if (!branch.explain(value, at, run, sink)) fits = false
      return fits
    },
  }
}

function anyOfRule(branches: readonly Evaluator[]): Rule {
  return {
    keyword: "anyOf",
    test(value, run, seen) {
      if (seen === undefined) {
        for (const branch of branches) if (branch.test(value, run, undefined)) return true
        return false
      }
      let fits = false
      for (const branch of branches) {
        const own = new Evaluated()
        if (!branch.test(value, run, own)) continue
        fits = true
        seen.merge(own)
      }
      return fits
    },
    explain(value, at, run, sink) {
      const sinks: IssueSink[] = []
      for (const branch of branches) {
        const own = new IssueSink(sink.limit)
        if (branch.explain(value, at, run, own)) return true
        sinks.push(own)
      }
      for (const issue of closestIssues(sinks, at)) sink.add(issue.at, issue.keyword, issue.message)
      sink.add(at, "anyOf", `must match ${branches.length === 1 ? "the one alternative" : `at least one of the ${branches.length} alternatives`}`)
      return false
    },
  }
}

function oneOfRule(branches: readonly Evaluator[]): Rule {
  return {
    keyword: "oneOf",
    test(value, run, seen) {
      let matched: Evaluated | undefined
      let matches = 0
      for (const branch of branches) {
        const own = seen === undefined ? undefined : new Evaluated()
        if (!branch.test(value, run, own)) continue
        if (++matches > 1) return false
        matched = own
      }
      if (matched !== undefined) seen?.merge(matched)
      return matches === 1
    },
    explain(value, at, run, sink) {
      const matches = branches.filter((branch) => branch.test(value, run, undefined)).length
      if (matches === 1) return true
      const words = `must match exactly one of the ${branches.length} alternatives`
      if (matches > 1) sink.add(at, "oneOf", `${words}, but matches ${matches}`)
      else {
        const sinks = branches.map((branch) => {
          const own = new IssueSink(sink.limit)
          branch.explain(value, at, run, own)
          return own
        })
        for (const issue of closestIssues(sinks, at)) sink.add(issue.at, issue.keyword, issue.message)
        sink.add(at, "oneOf", `${words}, but matches none`)
      }
      return false
    },
  }
}

function notRule({ test }: Evaluator): Rule {
  return {
    keyword: "not",
    test: (value, run) => !test(value, run, undefined),
    explain(value, at, run, sink) {
      if (!test(value, run, undefined)) return true
      sink.add(at, "not", "must not match what the schema excludes")
      return false
    },
  }
}

function ifRule(condition: Evaluator, then: Evaluator | undefined, otherwise: Evaluator | undefined): Rule {
  return {
    keyword: "if",
    test(value, run, seen) {
      const own = seen === undefined ? undefined : new Evaluated()
      const holds = condition.test(value, run, own)
      if (holds && own !== undefined) seen?.merge(own)
      const branch = holds ? then : otherwise
      return branch === undefined || branch.test(value, run, seen)
    },
    explain(value, at, run, sink) {
      const holds = condition.test(value, run, undefined)
      const branch = holds ? then : otherwise
      if (branch === undefined || branch.explain(value, at, run, sink)) return true
      sink.add(at, holds ? "then" : "else", `must match \`${holds ? "then" : "else"}\`, since it ${holds ? "matches" : "does not match"} \`if\``)
      return false
    },
  }
}

function dependencyRules({ schema, resource }: SchemaNode, subschemaOf: SubschemaOf): Rule[] {
  const rules: Rule[] = []
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const held = schema[keyword]
    if (!resource.validates || !isObject(held) || !hasKeyword(resource.dialect, keyword)) continue
    for (const trigger of Object.keys(held)) {
      const names = held[trigger]
      if (isArray(names)) rules.push(dependentRequiredRule(keyword, trigger, names.filter((name) => typeof name === "string")))
    }
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    const held = schema[keyword]
    if (!isObject(held) || !hasKeyword(resource.dialect, keyword)) continue
    for (const trigger of Object.keys(held)) {
      if (isSchema(held[trigger])) rules.push(dependentSchemaRule(keyword, trigger, subschemaOf(keyword, trigger)))
    }
  }
  return rules
}

function dependentRequiredRule(keyword: string, trigger: string, names: readonly string[]): Rule {
  return {
    keyword,
    test: (value) => !isObject(value) || !has(value, trigger) || names.every((name) => has(value, name)),
    explain(value, at, _run, sink) {
      if (!isObject(value) || !has(value, trigger)) return true
      const missing = names.filter((name) => !has(value, name))
      for (const name of missing) sink.add({ parent: at, key: name }, keyword, `is required where ${JSON.stringify(trigger)} is given`)
      return missing.length === 0
    },
  }
}

function dependentSchemaRule(keyword: string, trigger: string, { test, explain }: Evaluator): Rule {
  return {
    keyword,
    test: (value, run, seen) => !isObject(value) || !has(value, trigger) || test(value, run, seen),
    explain(value, at, run, sink) {
      if (!isObject(value) || !has(value, trigger) || explain(value, at, run, sink)) return true
      sink.add(at, keyword, `must match what is asked where ${JSON.stringify(trigger)} is given`)
      return false
    },
  }
}
