/**
 * The type of the arrays that fit a schema.
 *
 * In: the type of a node and of its document. Out: an array type, or a tuple where the schema gives places a schema of their own
 * (`prefixItems`, and `items` as an array). A place up to `minItems` is there for sure, a later one may be missing.
 */
import type { IsAny, StaticOf } from "./static_of.js"

type List = readonly unknown[]

/** The type of an array that fits `S`. */
export type ArrayOf<S, Root, Followed extends List> = S extends { readonly prefixItems: infer Prefix extends List }
  ? TupleOf<Prefix, S extends { readonly items: infer Rest } ? Rest : true, S, Root, Followed>
  : S extends { readonly items: infer Items }
    ? IsAny<Items> extends true
      ? unknown[]
      : Items extends List
        ? TupleOf<Items, S extends { readonly additionalItems: infer Rest } ? Rest : true, S, Root, Followed>
        : Items extends false
          ? []
          : StaticOf<Items, Root, Followed>[]
    : unknown[]

type TupleOf<Prefix extends List, Rest, S, Root, Followed extends List> = number extends Prefix["length"]
  ? unknown[]
  : Rest extends false
    ? PlacesOf<Prefix, MinItemsOf<S>, Root, Followed>
    : [...PlacesOf<Prefix, MinItemsOf<S>, Root, Followed>, ...StaticOf<Rest, Root, Followed>[]]

type MinItemsOf<S> = S extends { readonly minItems: infer Min } ? Min : 0

/** `Done` is what came before; once it is as long as `minItems` says, places that may be missing follow. */
type PlacesOf<Prefix extends List, Min, Root, Followed extends List, Done extends List = []> = Done["length"] extends Min
  ? [...Done, ...Partial<AllPlacesOf<Prefix, Root, Followed>>]
  : Prefix extends readonly [infer First, ...infer Rest]
    ? PlacesOf<Rest, Min, Root, Followed, [...Done, StaticOf<First, Root, Followed>]>
    : Done

type AllPlacesOf<Prefix extends List, Root, Followed extends List> = { -readonly [I in keyof Prefix]: StaticOf<Prefix[I], Root, Followed> }
