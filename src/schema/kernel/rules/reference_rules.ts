/**
 * `$ref`, `$dynamicRef`, `$recursiveRef`: subschemas that stand elsewhere.
 *
 * In: a node, its document, a way to the evaluator of any node. Out: rules. Targets are made when first reached, so recursion
 * in a schema is no recursion here. Where references multiply (a hundred levels that each refer twice to the next are 2^100
 * evaluations), answers are remembered by target and value.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaDocument } from "../../document/schema_document.js"
import type { SchemaNode, Subschema } from "../../document/schema_node.js"
import { Evaluated, TooDeep, type Evaluator, type Rule, type Run } from "../evaluation.js"

/** Gives the evaluator of any subschema. */
export type EvaluatorOf = (subschema: Subschema) => Evaluator

/** The rules of every keyword that refers. */
export function referenceRules(node: SchemaNode, document: SchemaDocument, evaluatorOf: EvaluatorOf): Rule[] {
  const { schema, resource } = node
  const rules: Rule[] = []
  if (typeof schema.$ref === "string") {
    const target = document.target(node)
    if (target !== undefined && !document.loops.has(node)) rules.push(staticRule("$ref", document, () => evaluatorOf(target)))
  }
  for (const keyword of ["$dynamicRef", "$recursiveRef"]) {
    const reference = schema[keyword]
    if (typeof reference !== "string" || !hasKeyword(resource.dialect, keyword) || document.loops.has(node)) continue
    const target = document.resolve(node, reference)
    if (target === undefined) continue
    const nameOf = typeof target === "boolean" ? undefined : dynamicName(target, keyword, reference)
    if (nameOf === undefined) rules.push(staticRule(keyword, document, () => evaluatorOf(target)))
    else rules.push(dynamicRule(keyword, target, nameOf, evaluatorOf))
  }
  return rules
}

/** Finds in a resource what a dynamic reference may lead to instead; undefined when the reference is an ordinary one. */
function dynamicName(target: SchemaNode, keyword: string, reference: string): ((from: SchemaNode["resource"]) => SchemaNode | undefined) | undefined {
  if (keyword === "$recursiveRef") {
    if (target.schema.$recursiveAnchor !== true) return undefined
    return ({ root }) => (root?.schema.$recursiveAnchor === true ? root : undefined)
  }
  const anchor = target.schema.$dynamicAnchor
  if (typeof anchor !== "string" || !reference.endsWith(`#${anchor}`)) return undefined
  return ({ dynamicAnchors }) => dynamicAnchors.get(anchor)
}

function dynamicRule(keyword: string, target: Subschema, find: (from: SchemaNode["resource"]) => SchemaNode | undefined, evaluatorOf: EvaluatorOf): Rule {
  const evaluatorIn = (run: Run) => {
    countHop(run)
    let outermost = target
    for (let scope = run.scope; scope !== undefined; scope = scope.outer) outermost = find(scope.resource) ?? outermost
    return evaluatorOf(outermost)
  }
  return {
    keyword,
    test: (value, run, seen) => evaluatorIn(run).test(value, run, seen),
    explain: (value, at, run, sink) => evaluatorIn(run).explain(value, at, run, sink),
  }
}

function staticRule(keyword: string, document: SchemaDocument, make: () => Evaluator): Rule {
  let made: Evaluator | undefined
  const patience = document.growth.multiplies ? PATIENCE_WITH_GROWTH : PATIENCE
  return {
    keyword,
    test(value, run, seen) {
      const target = (made ??= make())
      countHop(run)
      if (run.hops < patience || run.scope !== undefined) return target.test(value, run, seen)
      return seen === undefined ? remembered(target, value, run) : rememberedMarks(target, value, run, seen)
    },
    explain(value, at, run, sink) {
      const target = (made ??= make())
      countHop(run)
      if (run.hops < patience || run.scope !== undefined) return target.explain(value, at, run, sink)
      // Telling why multiplies as testing does, and cannot be remembered: from here on the answer has to do.
      if (remembered(target, value, run)) return true
      sink.add(at, keyword, "does not match the schema that is referred to")
      return false
    },
  }
}

/** References followed before answers are remembered. Only values that share parts, or are very large, come so far. */
const PATIENCE = 200_000
/** The same where the schema can multiply the work. */
const PATIENCE_WITH_GROWTH = 1_000
/** References followed where answers depend on the way, and cannot be remembered. */
const MAX_DYNAMIC_HOPS = 1_000_000

function countHop(run: Run): void {
  run.hops++
  if (run.hops > MAX_DYNAMIC_HOPS && run.scope !== undefined) throw new TooDeep()
}

function remembered(target: Evaluator, value: unknown, run: Run): boolean {
  const answers = (run.answers ??= new Map<Evaluator, Map<unknown, boolean | Evaluated>>())
  let ofTarget = answers.get(target)
  if (ofTarget === undefined) answers.set(target, (ofTarget = new Map<unknown, boolean | Evaluated>()))
  const known = ofTarget.get(value)
  if (known !== undefined) return known !== false
  const fits = target.test(value, run, undefined)
  ofTarget.set(value, fits)
  return fits
}

function rememberedMarks(target: Evaluator, value: unknown, run: Run, seen: Evaluated): boolean {
  const answers = (run.answers ??= new Map<Evaluator, Map<unknown, boolean | Evaluated>>())
  let ofTarget = answers.get(target)
  if (ofTarget === undefined) answers.set(target, (ofTarget = new Map<unknown, boolean | Evaluated>()))
  let known = ofTarget.get(value)
  if (known === undefined || known === true) {
    const own = new Evaluated()
    known = target.test(value, run, own) ? own : false
    ofTarget.set(value, known)
  }
  if (typeof known === "boolean") return known
  seen.merge(known)
  return true
}

