/**
 * What `generate` can write, for the help: named here, so that the help loads no generator.
 */

/** The targets of `generate`. Those behind the first two are printed by the optional package `@sinclair/typebox-codegen`. */
export const GENERATE_TARGETS = ["typebox", "types", "zod", "valibot", "arktype", "effect", "io-ts", "yup"] as const
/** One of them. */
export type GenerateTarget = (typeof GENERATE_TARGETS)[number]
