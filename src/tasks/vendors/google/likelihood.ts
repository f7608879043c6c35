const WORDS = ['VERY_UNLIKELY', 'UNLIKELY', 'POSSIBLE', 'LIKELY', 'VERY_LIKELY']

/** Google's words on the scale from 1 to 5; null for what it does not say. */
export function googleLikelihood(word: string | undefined): number | null {
  return word !== undefined && WORDS.includes(word) ? WORDS.indexOf(word) + 1 : null
}
