const WORDS = ['VERY_UNLIKELY', 'UNLIKELY', 'POSSIBLE', 'LIKELY', 'VERY_LIKELY']

/** Google's likelihood words on the scale from 1 to 5; null if unknown. */
export function googleLikelihood(word: string | undefined): number | null {
  return word !== undefined && WORDS.includes(word) ? WORDS.indexOf(word) + 1 : null
}
