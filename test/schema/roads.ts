/**
 * Asks a schema about a value on every road of TypeBox and of this library.
 *
 * Out: the one answer that all give; a test that meets two answers fails with all of them.
 */
import { expect } from "vitest"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { collectErrors, compile } from "../../src/schema.js"

/** True when the value fits, on all roads. */
export function fits(schema: TSchema, value: unknown): boolean {
  const check = Value.Check(schema, value)
  expect({
    compiled: TypeCompiler.Compile(schema).Check(value),
    errors: Value.Errors(schema, value).First() === undefined,
    own: compile(schema)(value),
    issues: collectErrors(schema, value).length === 0,
  }).toEqual({ compiled: check, errors: check, own: check, issues: check })
  return check
}
