/**
 * The type of the values that fit a schema: one node, and how its keywords come together.
 *
 * In: the type of a node, of the document it stands in, and the references that were followed since the last member or item.
 * Out: a type. Members and items are looked at when they are asked for, so a document may refer to itself.
 */
import type { Kind } from "@sinclair/typebox"
import type { ArrayOf } from "./array_of.js"
import type { ObjectOf } from "./object_of.js"
import type { Resolve } from "./resolve.js"

/** True for `any`, which fits every question and must not become the answer. */
export type IsAny<T> = 0 extends 1 & T ? true : false

/** References that may be followed without coming to a member or an item; a flattened one counts for two. */
type MaxReferences = 10 | 11

/** The type of what fits `S`. */
export type StaticOf<S, Root = S, Followed extends readonly unknown[] = []> =
  IsAny<S> extends true
    ? unknown
    : S extends boolean
      ? S extends false
        ? never
        : unknown
      : S extends { readonly [Kind]: string; static: infer T }
        ? T
        : S extends object
          ? NodeOf<S, RootOf<S, Root>, Followed>
          : unknown

/** A node with an identifier of its own is what the references below it start from. */
type RootOf<S, Root> = S extends { readonly $id: `#${string}` } ? Root : S extends { readonly $id: string } ? S : Root

/**
 * Where keywords come together in one node their types are intersected and made flat. Only there: making flat asks for the types of
 * items, and a document that refers to itself through an array would be asked without end.
 */
type NodeOf<S, Root, Followed extends readonly unknown[]> = S extends { readonly $ref: infer Ref }
  ? S extends Keywords
    ? IgnoresSiblings<Root> extends true
      ? ReferenceOf<Ref, Root, Followed>
      : Flat<ReferenceOf<Ref, Root, [...Followed, Flattened]> & KeywordsOf<S, Root, [...Followed, Flattened]>>
    : ReferenceOf<Ref, Root, Followed>
  : S extends Combines
    ? S extends { readonly allOf: unknown } | TypeKeywords | { readonly anyOf: unknown; readonly oneOf: unknown }
      ? Flat<KeywordsOf<S, Root, [...Followed, Flattened]>>
      : KeywordsOf<S, Root, Followed>
    : BaseOf<S, Root, Followed>

/** Up to draft-07 nothing beside `$ref` counts. */
type IgnoresSiblings<Root> = Root extends { readonly $schema: `${string}/draft-0${string}` } ? true : false

type Combines = { readonly allOf: unknown } | { readonly anyOf: unknown } | { readonly oneOf: unknown }
type TypeKeywords = { readonly const: unknown } | { readonly enum: unknown } | { readonly type: unknown } | ObjectKeywords | ArrayKeywords
type Keywords = Combines | TypeKeywords

/** Stands in the list of references: what is found below is asked for its items, so they go on counting. */
type Flattened = "flattened"

/** The references that count for the items of an array. Without flattening they are looked at when asked for, and count anew. */
type InItems<Followed extends readonly unknown[]> = Flattened extends Followed[number] ? Followed : []

type ReferenceOf<Ref, Root, Followed extends readonly unknown[]> = Followed["length"] extends MaxReferences
  ? unknown
  : StaticOf<Resolve<Ref, Root>, Root, [...Followed, Ref]>

type KeywordsOf<S, Root, Followed extends readonly unknown[]> = BaseOf<S, Root, Followed> &
  (S extends { readonly allOf: infer All } ? AllOf<All, Root, Followed> : unknown) &
  (S extends { readonly anyOf: infer Any } ? OneOf<Any, Root, Followed> : unknown) &
  (S extends { readonly oneOf: infer One } ? OneOf<One, Root, Followed> : unknown)

type AllOf<All, Root, Followed extends readonly unknown[]> = All extends readonly [infer First, ...infer Rest]
  ? StaticOf<First, Root, Followed> & AllOf<Rest, Root, Followed>
  : unknown

type OneOf<Any, Root, Followed extends readonly unknown[]> = Any extends readonly unknown[]
  ? { [I in keyof Any]: StaticOf<Any[I], Root, Followed> }[number]
  : unknown

/** `const`, `enum`, `type`, or what the other keywords are only there for. */
type BaseOf<S, Root, Followed extends readonly unknown[]> = S extends { readonly const: infer C }
  ? Mutable<C>
  : S extends { readonly enum: readonly (infer E)[] }
    ? S extends { readonly type: infer T }
      ? OfTypes<Mutable<E>, T extends readonly (infer One)[] ? One : T>
      : Mutable<E>
    : S extends { readonly type: infer T }
      ? OfType<T extends readonly (infer One)[] ? One : T, S, Root, Followed>
      : S extends ObjectKeywords
        ? ObjectOf<S, Root>
        : S extends ArrayKeywords
          ? ArrayOf<S, Root, InItems<Followed>>
          : unknown

/** Nobody writes these and means that a text fits too. */
type ObjectKeywords =
  | { readonly properties: object }
  | { readonly required: readonly unknown[] }
  | { readonly additionalProperties: unknown }
  | { readonly patternProperties: object }
type ArrayKeywords = { readonly items: unknown } | { readonly prefixItems: readonly unknown[] }

type OfType<T, S, Root, Followed extends readonly unknown[]> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "object"
          ? ObjectOf<S, Root>
          : T extends "array"
            ? ArrayOf<S, Root, InItems<Followed>>
            : unknown

interface ValuesOfType {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  object: object
  array: readonly unknown[]
}

/** The values that are of one of the types too. */
type OfTypes<Value, T> = T extends keyof ValuesOfType ? Extract<Value, ValuesOfType[T]> : Value

/** The same value, as it would be typed without `as const` on its arrays and objects. */
type Mutable<T> = IsAny<T> extends true ? unknown : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T

/**
 * Intersections of objects as one object, each member of a union for itself. No JSON value is undefined, so what one side requires and
 * the other describes as optional is the described type.
 */
export type Flat<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]: Exclude<T[K], undefined> } : T
