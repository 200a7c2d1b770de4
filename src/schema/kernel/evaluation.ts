/**
 * What one evaluation carries along: how deep it is, what it has seen, and by which way it came.
 *
 * Shapes of the closures that the kernel is made of. `test` answers, `explain` answers and says why not; both read the same
 * schema, and `test` is the one that runs on every call.
 */
import type { SchemaResource } from "../document/schema_node.js"
import type { IssueSink, Place } from "./issue_sink.js"

/** True when the value fits. Marks in `seen`, where given, what it has evaluated; on false the marks mean nothing. */
export type Test = (value: unknown, run: Run, seen: Evaluated | undefined) => boolean

/** As `Test`, and puts into the sink what does not fit, innermost cause first. */
export type Explain = (value: unknown, at: Place, run: Run, sink: IssueSink) => boolean

/** A subschema, ready to be asked. */
export interface Evaluator {
  readonly test: Test
  readonly explain: Explain
}

/** One keyword of a subschema, ready to be asked. */
export interface Rule extends Evaluator {
  readonly keyword: string
}

/** The resources that an evaluation came through, innermost first. */
export interface Scope {
  readonly resource: SchemaResource
  readonly outer: Scope | undefined
}

/** Thrown inside an evaluation, and caught where it began: the value is nested deeper than its limit. */
export class TooDeep extends Error {}

/**
 * What is known of a value that does not fit: the objects and lists that are wrong somewhere inside, and those of them whose own
 * parts were sorted, so that parts which are not among the wrong ones are right.
 */
export interface WrongParts {
  readonly wrong: ReadonlySet<unknown>
  readonly sorted: ReadonlySet<unknown>
}

/** The state of one evaluation. */
export class Run {
  depth = 0
  /** References followed so far: the measure of work that a schema can multiply. */
  hops = 0
  scope: Scope | undefined = undefined
  /** Answers of references by target and value, once `hops` says that the schema multiplies. */
  answers: Map<Evaluator, Map<unknown, boolean | Evaluated>> | undefined = undefined

  constructor(
    readonly maxDepth: number,
    /** Where to look for reasons; everywhere when undefined. */
    readonly guide?: WrongParts,
  ) {}

  /** True while the parts of the value at hand are sorted into right and wrong ones. */
  guided = false
}

/** Which members and items of one value have been evaluated: what `unevaluated…` must leave alone. */
export class Evaluated {
  allProperties = false
  allItems = false
  /** Items before this index are evaluated. */
  itemCount = 0
  readonly properties = new Set<string>()
  readonly items = new Set<number>()

  merge(other: Evaluated): void {
    this.allProperties ||= other.allProperties
    this.allItems ||= other.allItems
    this.itemCount = Math.max(this.itemCount, other.itemCount)
    for (const key of other.properties) this.properties.add(key)
    for (const index of other.items) this.items.add(index)
  }
}

/** Asks about a member or an item, one level deeper in the value. */
export function descend(test: Test, value: unknown, run: Run): boolean {
  if (typeof value !== "object" || value === null) return test(value, run, undefined)
  if (++run.depth > run.maxDepth) throw new TooDeep()
  const fits = test(value, run, undefined)
  run.depth--
  return fits
}

/** As `descend`, with reasons. */
export function descendExplaining(explain: Explain, value: unknown, at: Place, run: Run, sink: IssueSink): boolean {
  if (typeof value !== "object" || value === null) return explain(value, at, run, sink)
  const { guide, guided } = run
  if (guide !== undefined) {
    if (guided && !guide.wrong.has(value)) return true
    run.guided = guided && guide.sorted.has(value)
  }
  if (++run.depth > run.maxDepth) throw new TooDeep()
  const fits = explain(value, at, run, sink)
  run.depth--
  run.guided = guided
  return fits
}

/** A rule that looks at the value alone and always says the same. */
export function assertion(keyword: string, fits: (value: unknown) => boolean, message: string): Rule {
  return {
    keyword,
    test: fits,
    explain(value, at, _run, sink) {
      if (fits(value)) return true
      sink.add(at, keyword, message)
      return false
    },
  }
}

/** The schema that everything fits. */
export const ANYTHING: Evaluator = { test: () => true, explain: () => true }

/** The schema that nothing fits. */
export const NOTHING: Evaluator = {
  test: () => false,
  explain(_value, at, _run, sink) {
    sink.add(at, "false", "is not allowed here")
    return false
  },
}
