/**
 * The type-level twin of `FromSchema`: which TypeBox type a literal JSON Schema becomes.
 *
 * In: the type of a schema, as `const` infers it. Out: a TypeBox type whose `Static` is what a person would write for it.
 * `TUnsafe` and not `TObject` and its like: the conversion is free to express a node in another way, so nothing but the static type is
 * promised. What the type system cannot say (`not`, `if`, patterns) is left out of the type, never guessed.
 */
import type { Kind, TSchema, TUnsafe } from "@sinclair/typebox"
import type { IsAny, StaticOf } from "./static_type/static_of.js"

/**
 * The TypeBox type of a JSON Schema literal: `Static` of it is the type of the values that fit.
 *
 * A schema whose type says nothing (JSON read at run time, `object`, `unknown`) gives `TSchema`, and so `unknown`.
 * Members of a tuple up to `minItems` are there for sure, the rest are optional: that is what the schema says. References lead within
 * the document; ten of them in a row that lead nowhere count as unknown.
 */
export type TFromSchema<S> = Twins<S>[IsWide<S> extends true ? "wide" : "literal"]

/**
 * Looked up instead of chosen by a conditional type: from that, TypeScript would infer `S` by what a caller expects back, and walk
 * through every branch below.
 */
interface Twins<S> {
  wide: TSchema
  literal: TUnsafe<StaticOf<S>>
}

/** True for types that hold no schema: nothing is known of the value. A TypeBox schema is known, though it has an index signature. */
type IsWide<S> =
  IsAny<S> extends true
    ? true
    : unknown extends S
      ? true
      : S extends { readonly [Kind]: string }
        ? false
        : boolean extends S
          ? true
          : S extends boolean
            ? false
            : string extends keyof S
              ? true
              : [keyof S] extends [never]
                ? true
                : false
