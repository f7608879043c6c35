import { codePointsIn } from '../../wire/code-points.ts'

type Meter = {
  /** The provider bills in blocks of this many characters. */
  step: number
  /** The smallest billed amount. */
  least?: number
}

/** The billed characters of a text: a started block counts in full. */
export function billedCharacters(text: string, { step, least = step }: Meter): number {
  const characters = codePointsIn(text)
  return Math.max(least, Math.ceil(characters / step) * step)
}
