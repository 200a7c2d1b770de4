/**
 * Patterns that are made when they are first asked.
 *
 * In: the source of a Unicode pattern. Out: its `test`.
 * An engine looks up Unicode properties when it reads a literal, even one in a function that never runs: a few of them took as long as the rest
 * of this room together, in programs that never see an internationalised name.
 */

/** A pattern with the flag `u`. */
export class LatePattern {
  readonly #source: string
  #made: RegExp | undefined

  constructor(source: string) {
    this.#source = source
  }

  /** True where the pattern is found in the text. */
  test(text: string): boolean {
    this.#made ??= new RegExp(this.#source, "u")
    return this.#made.test(text)
  }
}
