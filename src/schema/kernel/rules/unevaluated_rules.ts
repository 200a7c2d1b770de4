/**
 * `unevaluatedProperties` and `unevaluatedItems`: what no keyword beside them, however deep in place, has looked at.
 *
 * In: a node and a way to its subschemas. Out: rules that read the marks that the others left. They come last.
 */
import { hasKeyword } from "../../document/keywords.js"
import type { SchemaNode } from "../../document/schema_node.js"
import { isArray, isObject, isSchema } from "../../json_object.js"
import { descend, descendExplaining, type Evaluated, type Evaluator, type Run } from "../evaluation.js"
import type { IssueSink, Place } from "../issue_sink.js"
import type { SubschemaOf } from "./array_rules.js"

/** A rule that depends on what others have evaluated. */
export interface UnevaluatedRule {
  readonly test: (value: unknown, run: Run, seen: Evaluated) => boolean
  readonly explain: (value: unknown, at: Place, run: Run, sink: IssueSink, seen: Evaluated) => boolean
}

/** The rules of the two keywords, where the node has them. */
export function unevaluatedRules({ schema, resource }: SchemaNode, subschemaOf: SubschemaOf): UnevaluatedRule[] {
  const rules: UnevaluatedRule[] = []
  if (isSchema(schema.unevaluatedProperties) && hasKeyword(resource.dialect, "unevaluatedProperties")) {
    rules.push(propertiesRule(subschemaOf("unevaluatedProperties"), schema.unevaluatedProperties === false))
  }
  if (isSchema(schema.unevaluatedItems) && hasKeyword(resource.dialect, "unevaluatedItems")) {
    rules.push(itemsRule(subschemaOf("unevaluatedItems"), schema.unevaluatedItems === false))
  }
  return rules
}

function propertiesRule({ test, explain }: Evaluator, closed: boolean): UnevaluatedRule {
  const left = (value: unknown, seen: Evaluated) =>
    !isObject(value) || seen.allProperties ? [] : Object.keys(value).filter((name) => !seen.properties.has(name))
  return {
    test(value, run, seen) {
      if (!isObject(value)) return true
      for (const name of left(value, seen)) if (!descend(test, value[name], run)) return false
      seen.allProperties = true
      return true
    },
    explain(value, at, run, sink, seen) {
      if (!isObject(value)) return true
      let fits = true
      for (const name of left(value, seen)) {
        const place = { parent: at, key: name }
        if (closed) {
          sink.add(place, "unevaluatedProperties", "is not a known property")
          fits = false
        } else if (!descendExplaining(explain, value[name], place, run, sink)) fits = false
      }
      return fits
    },
  }
}

function itemsRule({ test, explain }: Evaluator, closed: boolean): UnevaluatedRule {
  const isLeft = (index: number, seen: Evaluated) => index >= seen.itemCount && !seen.items.has(index)
  return {
    test(value, run, seen) {
      if (!isArray(value)) return true
      if (!seen.allItems) {
        for (let index = 0; index < value.length; index++) if (isLeft(index, seen) && !descend(test, value[index], run)) return false
      }
      seen.allItems = true
      return true
    },
    explain(value, at, run, sink, seen) {
      if (!isArray(value) || seen.allItems) return true
      let fits = true
      value.forEach((item, index) => {
        if (!isLeft(index, seen)) return
        const place = { parent: at, key: index }
        if (closed) {
          sink.add(place, "unevaluatedItems", "is one item too many")
          fits = false
        } else if (!descendExplaining(explain, item, place, run, sink)) fits = false
      })
      return fits
    },
  }
}
