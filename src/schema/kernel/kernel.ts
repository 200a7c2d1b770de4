/**
 * The exact evaluator of JSON Schema: closures, made of a document's nodes when they are first asked for.
 *
 * In: a document and what it asserts. Out: whether a value fits a node, and why not. No code is generated, so it works where
 * evaluation of strings is forbidden. It never throws: a value nested too deep, or in a circle, does not fit.
 */
import { ignoresRefSiblings } from "../document/keywords.js"
import type { SchemaDocument } from "../document/schema_document.js"
import type { SchemaNode, Subschema } from "../document/schema_node.js"
import type { SchemaIssue } from "../issue.js"
import { ANYTHING, Evaluated, NOTHING, Run, TooDeep, type Evaluator, type Rule, type WrongParts } from "./evaluation.js"
import { IssueSink } from "./issue_sink.js"
import { arrayRules } from "./rules/array_rules.js"
import { combiningRules } from "./rules/combining_rules.js"
import { numberRules } from "./rules/number_rules.js"
import { objectRules } from "./rules/object_rules.js"
import { referenceRules } from "./rules/reference_rules.js"
import { stringRules, type AssertOptions } from "./rules/string_rules.js"
import { unevaluatedRules, type UnevaluatedRule } from "./rules/unevaluated_rules.js"
import { valueRules } from "./rules/value_rules.js"

/** The evaluator of one document. */
export class Kernel {
  readonly #document: SchemaDocument
  readonly #asserts: AssertOptions
  readonly #evaluators = new Map<SchemaNode, Evaluator>()

  constructor(document: SchemaDocument, asserts: AssertOptions) {
    this.#document = document
    this.#asserts = asserts
  }

  /** The document whose nodes are evaluated. */
  get document(): SchemaDocument {
    return this.#document
  }

  /** True when the value fits the subschema. Undefined fits none: JSON has no such value. */
  fits(subschema: Subschema, value: unknown): boolean {
    if (value === undefined) return false
    const run = new Run(this.#document.limits.valueDepth)
    try {
      return this.#evaluatorOf(subschema).test(value, run, undefined)
    } catch (thrown) {
      if (isExhaustion(thrown)) return false
      throw thrown
    }
  }

  /**
   * What of the value does not fit, innermost cause first; empty when it fits. Paths start with `prefix`. With a guide reasons are
   * looked for only where it says.
   */
  issues(subschema: Subschema, value: unknown, limit: number, prefix = "", guide?: WrongParts): SchemaIssue[] {
    const sink = new IssueSink(limit)
    if (value === undefined) sink.add(undefined, "type", "is missing")
    else {
      const run = new Run(this.#document.limits.valueDepth, guide)
      run.guided = guide?.sorted.has(value) === true
      try {
        this.#evaluatorOf(subschema).explain(value, undefined, run, sink)
      } catch (thrown) {
        if (!isExhaustion(thrown)) throw thrown
        sink.add(undefined, "depth", `is nested deeper than ${run.maxDepth} levels, or in a circle`)
      }
    }
    return sink.toIssues(prefix)
  }

  readonly #evaluatorOf = (subschema: Subschema): Evaluator => {
    if (typeof subschema === "boolean") return subschema ? ANYTHING : NOTHING
    const known = this.#evaluators.get(subschema)
    if (known !== undefined) return known
    const evaluator = this.#scoped(subschema, this.#make(subschema))
    this.#evaluators.set(subschema, evaluator)
    return evaluator
  }

  #make(node: SchemaNode): Evaluator {
    if (this.#document.cuts.has(node)) return ANYTHING
    const references = referenceRules(node, this.#document, this.#evaluatorOf)
    if (typeof node.schema.$ref === "string" && ignoresRefSiblings(node.resource.dialect)) return together(references)
    const subschemaOf = (keyword: string, key?: string | number) => this.#evaluatorOf(this.#document.subschema(node, keyword, key))
    const rules = [
      ...valueRules(node),
      ...numberRules(node),
      ...stringRules(node, this.#asserts),
      ...objectRules(node, subschemaOf),
      ...arrayRules(node, subschemaOf),
      ...references,
      ...combiningRules(node, subschemaOf),
    ]
    const unevaluated = unevaluatedRules(node, subschemaOf)
    return unevaluated.length > 0 ? withUnevaluated(rules, unevaluated) : together(rules)
  }

  /** Where references go by dynamic scope, each node says which resource it belongs to. */
  #scoped(node: SchemaNode, evaluator: Evaluator): Evaluator {
    if (!this.#document.usesDynamicScope) return evaluator
    const { resource } = node
    const inScope = <T>(run: Run, evaluate: () => T): T => {
      const outer = run.scope
      if (outer?.resource === resource) return evaluate()
      run.scope = { resource, outer }
      const result = evaluate()
      run.scope = outer
      return result
    }
    return {
      test: (value, run, seen) => inScope(run, () => evaluator.test(value, run, seen)),
      explain: (value, at, run, sink) => inScope(run, () => evaluator.explain(value, at, run, sink)),
    }
  }
}

/** True for what a value can do to a stack: nest too deep for the limit, or for the engine. */
function isExhaustion(thrown: unknown): boolean {
  return thrown instanceof TooDeep || thrown instanceof RangeError
}

function together(rules: readonly Rule[]): Evaluator {
  const [first, second] = rules
  if (first === undefined) return ANYTHING
  if (second === undefined) return first
  const explain: Evaluator["explain"] = (value, at, run, sink) => {
    let fits = true
    for (const rule of rules) if (!rule.explain(value, at, run, sink)) fits = false
    return fits
  }
  if (rules.length === 2) return { test: (value, run, seen) => first.test(value, run, seen) && second.test(value, run, seen), explain }
  return {
    test(value, run, seen) {
      for (const rule of rules) if (!rule.test(value, run, seen)) return false
      return true
    },
    explain,
  }
}

function withUnevaluated(rules: readonly Rule[], unevaluated: readonly UnevaluatedRule[]): Evaluator {
  const inner = together(rules)
  return {
    test(value, run, seen) {
      const own = new Evaluated()
      if (!inner.test(value, run, own)) return false
      for (const rule of unevaluated) if (!rule.test(value, run, own)) return false
      seen?.merge(own)
      return true
    },
    explain(value, at, run, sink) {
      const own = new Evaluated()
      let fits = inner.explain(value, at, run, sink)
      // Where something else is wrong already, nobody knows what it would have evaluated.
      if (!inner.test(value, run, own)) return false
      for (const rule of unevaluated) if (!rule.explain(value, at, run, sink, own)) fits = false
      return fits
    },
  }
}
