/**
 * Bounds and steps of numbers.
 *
 * In: the keywords of a subschema. Out: rules that let everything pass that is no number.
 * A fractional step is taken in decimals: in binary floating point 0.07 is no multiple of 0.01.
 */
import type { SchemaNode } from "../../document/schema_node.js"
import { assertion, type Rule } from "../evaluation.js"

/** The rules of `minimum`, `maximum`, their exclusive forms (draft-04's booleans too) and `multipleOf`. */
export function numberRules({ schema, resource }: SchemaNode): Rule[] {
  if (!resource.validates) return []
  const rules: Rule[] = []
  const add = (keyword: string, message: string, fits: (value: number) => boolean) => {
    rules.push(assertion(keyword, (value) => typeof value !== "number" || fits(value), message))
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === "number") {
    if (exclusiveMinimum === true) add("exclusiveMinimum", `must be greater than ${minimum}`, (value) => value > minimum)
    else add("minimum", `must be at least ${minimum}`, (value) => value >= minimum)
  }
  if (typeof maximum === "number") {
    if (exclusiveMaximum === true) add("exclusiveMaximum", `must be less than ${maximum}`, (value) => value < maximum)
    else add("maximum", `must be at most ${maximum}`, (value) => value <= maximum)
  }
  if (typeof exclusiveMinimum === "number") add("exclusiveMinimum", `must be greater than ${exclusiveMinimum}`, (value) => value > exclusiveMinimum)
  if (typeof exclusiveMaximum === "number") add("exclusiveMaximum", `must be less than ${exclusiveMaximum}`, (value) => value < exclusiveMaximum)
  if (typeof multipleOf === "number" && multipleOf > 0) add("multipleOf", `must be a multiple of ${multipleOf}`, isMultipleOf(multipleOf))
  return rules
}

/** A check that numbers are a whole number of steps. */
function isMultipleOf(step: number): (value: number) => boolean {
  if (Number.isInteger(step)) return (value) => value % step === 0
  const decimalStep = toDecimal(step)
  return (value) => {
    if (value === 0) return true
    // JSON text can hold 1e400, which is read as Infinity.
    if (!Number.isFinite(value)) return false
    const decimal = toDecimal(value)
    // Both as whole numbers of the smaller power of ten.
    const shift = decimal.exponent - decimalStep.exponent
    const scaled = shift > 0 ? decimal.digits * 10n ** BigInt(shift) : decimal.digits
    const scaledStep = shift < 0 ? decimalStep.digits * 10n ** BigInt(-shift) : decimalStep.digits
    return scaled % scaledStep === 0n
  }
}

/** The shortest decimal that reads as this number: what its author wrote. */
function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
