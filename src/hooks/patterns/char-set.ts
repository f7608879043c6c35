// Characters are UTF-16 units here: a text that is cut in the middle of a pair is then no special case.

export type Trait = 'digit' | 'space' | 'word'

/** What one place of a pattern accepts. */
export type CharSet = {
  ranges: readonly (readonly [number, number])[]
  traits: readonly { trait: Trait; negated: boolean }[]
  negated: boolean
}

const TRAITS: Record<Trait, RegExp> = { digit: /[0-9]/, space: /\s/, word: /[\p{L}\p{M}\p{N}_]/u }

export function single(unit: number): CharSet {
  return { ranges: [[unit, unit]], traits: [], negated: false }
}

export function ofTrait(trait: Trait, negated: boolean): CharSet {
  return { ranges: [], traits: [{ trait, negated }], negated: false }
}

/** Everything but the end of a line. */
export const ANY: CharSet = {
  ranges: [
    [10, 10],
    [13, 13],
  ],
  traits: [],
  negated: true,
}

/** The one character that a set holds, where it holds just one. */
export function onlyUnit({ ranges, traits, negated }: CharSet): number | undefined {
  const [range] = ranges
  const isOne = range !== undefined && ranges.length === 1 && range[0] === range[1]
  return isOne && traits.length === 0 && !negated ? range[0] : undefined
}

export function accepts(set: CharSet, unit: number, ignoreCase: boolean): boolean {
  const units = ignoreCase ? casesOf(unit) : [unit]
  return units.some((one) => isIn(set, one)) !== set.negated
}

export function isWord(unit: number): boolean {
  return TRAITS.word.test(String.fromCharCode(unit))
}

function isIn({ ranges, traits }: CharSet, unit: number): boolean {
  if (ranges.some(([from, to]) => unit >= from && unit <= to)) return true
  return traits.some(({ trait, negated }) => TRAITS[trait].test(String.fromCharCode(unit)) !== negated)
}

/** Only cases of one unit: ß and SS are not the same to a set of single characters. */
export function casesOf(unit: number): number[] {
  const character = String.fromCharCode(unit)
  const cases = [character, character.toLowerCase(), character.toUpperCase()]
  return cases.filter((one) => one.length === 1).map((one) => one.charCodeAt(0))
}
