/**
 * The type of the objects that fit a schema.
 *
 * In: the type of a node and of its document. Out: an object type: members by `properties` and `required`, an index signature where
 * further members are spoken of. In TypeScript an index signature holds for the named members too, so it is widened by their types.
 */
import type { Flat, IsAny, StaticOf } from "./static_of.js"

/** The type of an object that fits `S`. */
export type ObjectOf<S, Root> = MembersOf<PropertiesOf<S>, RequiredOf<S>, S, Root>

type PropertiesOf<S> = S extends { readonly properties: infer P extends object } ? (IsAny<P> extends true ? unknown : P) : unknown

/** The required names; none where they are not literals. */
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never

type MembersOf<P, R, S, Root> = [keyof P | R] extends [never]
  ? { [key: string]: Further<S> extends "unsaid" ? unknown : FurtherOf<S, Root> }
  : Further<S> extends "said"
    ? Flat<Named<P, R, S, Root> & { [key: string]: FurtherOf<S, Root> | Named<P, R, S, Root>[keyof Named<P, R, S, Root>] }>
    : Named<P, R, S, Root>

type Named<P, R, S, Root> = Flat<
  { -readonly [K in keyof P as IsRequired<K, R> extends true ? K : never]: StaticOf<P[K], Root> } & {
    -readonly [K in keyof P as IsRequired<K, R> extends true ? never : K]?: StaticOf<P[K], Root>
  } & { [K in UndescribedOf<P, R>]: Further<S> extends "said" ? FurtherOf<S, Root> : unknown }
>

/** A numeric name is a number in a type and a text in `required`. */
type IsRequired<K, R> = K extends string | number ? (`${K}` extends R ? true : false) : false

/** Required names that `properties` does not describe. */
type UndescribedOf<P, R> = R extends string ? (R extends keyof P ? never : R extends `${Extract<keyof P, number>}` ? never : R) : never

/** Whether the schema speaks of further members. Asked apart from their type, which may lead back to the object itself. */
type Further<S> = S extends { readonly patternProperties: object }
  ? "said"
  : S extends { readonly additionalProperties: infer A }
    ? A extends false
      ? "forbidden"
      : "said"
    : "unsaid"

type FurtherOf<S, Root> =
  | (S extends { readonly additionalProperties: infer A } ? StaticOf<A, Root> : unknown)
  | (S extends { readonly patternProperties: infer P } ? { [K in keyof P]: StaticOf<P[K], Root> }[keyof P] : never)
