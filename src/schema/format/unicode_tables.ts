/**
 * Two properties of Unicode characters that regular expressions cannot ask for: the virama's combining class and the joining type.
 *
 * In: a character. Out: whether it has the property. The tables are ranges in hexadecimal, of Unicode 14 (`Joining_Type`) and 16
 * (`Canonical_Combining_Class=9`), read when first asked: hardly any host name needs them.
 */
import { has, type CharacterSet } from "../pattern/character_set.js"

const VIRAMA =
  "94d 9cd a4d acd b4d bcd c4d ccd d3b-d3c d4d dca e3a eba f84 1039-103a 1714-1715 1734 17d2 1a60 1b44 1baa-1bab " +
  "1bf2-1bf3 2d7f a806 a82c a8c4 a953 a9c0 aaf6 abed 10a3f 11046 11070 1107f 110b9 11133-11134 111c0 11235 112ea " +
  "1134d 113ce-113d0 11442 114c2 115bf 1163f 116b6 1172b 11839 1193d-1193e 119e0 11a34 11a47 11a99 11c3f " +
  "11d44-11d45 11d97 11f41-11f42 1612f "
/** Joining types D and L. */
const JOINS_NEXT =
  "620 626 628 62a-62e 633-63f 641-647 649-64a 66e-66f 678-687 69a-6bf 6c1-6c2 6cc 6ce 6d0-6d1 6fa-6fc 6ff " +
  "712-714 71a-71d 71f-727 729 72b 72d-72e 74e-758 75c-76a 76d-770 772 775-777 77a-77f 7ca-7ea 841-845 848 " +
  "84a-853 855 860 862-865 868 886 889-88d 8a0-8a9 8af-8b0 8b3-8b8 8ba-8c8 1807 1820-1878 1887-18a8 18aa " +
  "a840-a872 10ac0-10ac4 10acd 10ad3-10adc 10ade-10ae0 10aeb-10aee 10b80 10b82 10b86-10b88 10b8a-10b8b 10b8d " +
  "10b90 10bad-10bae 10d00-10d21 10d23 10f30-10f32 10f34-10f44 10f51-10f53 10f70-10f73 10f76-10f81 10fb0 " +
  "10fb2-10fb3 10fb8 10fbb-10fbc 10fbe-10fbf 10fc1 10fc4 10fca-10fcb 1e900-1e943 "
/** Joining types D and R. */
const JOINS_PREVIOUS =
  "620 622-63f 641-64a 66e-66f 671-673 675-6d3 6d5 6ee-6ef 6fa-6fc 6ff 710 712-72f 74d-77f 7ca-7ea 840-858 860 " +
  "862-865 867-86a 870-882 886 889-88e 8a0-8ac 8ae-8c8 1807 1820-1878 1887-18a8 18aa a840-a871 10ac0-10ac5 10ac7 " +
  "10ac9-10aca 10ace-10ad6 10ad8-10ae1 10ae4 10aeb-10aef 10b80-10b91 10ba9-10bae 10d01-10d23 10f30-10f44 " +
  "10f51-10f54 10f70-10f81 10fb0 10fb2-10fb6 10fb8-10fbf 10fc1-10fc4 10fc9-10fca 1e900-1e943 "

/** True for a mark that kills the vowel of its consonant. */
export const isVirama = property(VIRAMA)

/** True for a letter that is joined to the next one. */
export const joinsNext = property(JOINS_NEXT)

/** True for a letter that is joined to the one before. */
export const joinsPrevious = property(JOINS_PREVIOUS)

function property(table: string): (character: string | undefined) => boolean {
  let set: CharacterSet | undefined
  return (character) => {
    set ??= readTable(table)
    const point = character?.codePointAt(0)
    return point !== undefined && has(set, point)
  }
}

function readTable(table: string): CharacterSet {
  return table
    .trim()
    .split(" ")
    .flatMap((range) => {
      const [first = "", last = first] = range.split("-")
      return [parseInt(first, 16), parseInt(last, 16)]
    })
}
