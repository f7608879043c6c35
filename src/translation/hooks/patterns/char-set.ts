// A character here is a UTF-16 unit, so that a text that is cut inside a surrogate pair is no special case.

export type Trait = 'digit' | 'space' | 'word'

/** The characters that one position of a pattern accepts. */
export type CharSet = {
  ranges: readonly (readonly [number, number])[]
  traits: readonly { trait: Trait; negated: boolean }[]
  negated: boolean
  /** It has all cases that count, also if cases are ignored elsewhere. */
  hasAllCases?: boolean
}

const TRAITS: Record<Trait, RegExp> = { digit: /[0-9]/, space: /\s/, word: /[\p{L}\p{M}\p{N}_]/u }

export function single(unit: number): CharSet {
  return { ranges: [[unit, unit]], traits: [], negated: false }
}

export function ofTrait(trait: Trait, negated: boolean): CharSet {
  return { ranges: [], traits: [{ trait, negated }], negated: false }
}

/** Every character except line ends. */
export const ANY: CharSet = {
  ranges: [
    [10, 10],
    [13, 13],
  ],
  traits: [],
  negated: true,
}

/** The character of a set that contains exactly one. */
export function onlyUnit({ ranges, traits, negated }: CharSet): number | undefined {
  const [range] = ranges
  const isOne = range !== undefined && ranges.length === 1 && range[0] === range[1]
  return isOne && traits.length === 0 && !negated ? range[0] : undefined
}

export function accepts(set: CharSet, unit: number, ignoreCase: boolean): boolean {
  const units = ignoreCase && !set.hasAllCases ? casesOf(unit) : [unit]
  return units.some((one) => isIn(set, one)) !== set.negated
}

export function isWord(unit: number): boolean {
  return TRAITS.word.test(String.fromCharCode(unit))
}

function isIn({ ranges, traits }: CharSet, unit: number): boolean {
  if (ranges.some(([from, to]) => unit >= from && unit <= to)) return true
  return traits.some(({ trait, negated }) => TRAITS[trait].test(String.fromCharCode(unit)) !== negated)
}

/** Only single-unit case variants: a set of single characters cannot equate ß and SS. */
export function casesOf(unit: number): number[] {
  const character = String.fromCharCode(unit)
  const cases = [character, character.toLowerCase(), character.toUpperCase()]
  return cases.filter((one) => one.length === 1).map((one) => one.charCodeAt(0))
}
