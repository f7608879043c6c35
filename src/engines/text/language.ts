import { eld } from 'eld/small'

const MAX_LANGUAGES = 5
/** Enough to tell; the rest would only take time. */
const CHARACTERS_READ = 5_000

/** The languages that a text may be in, likeliest first; none when nothing in it tells. */
export function detectLanguage({ text }: { text: string }) {
  const scores = Object.entries(eld.detect(text.slice(0, CHARACTERS_READ)).getScores())
  const ranked = scores.toSorted(([, one], [, other]) => other - one).slice(0, MAX_LANGUAGES)
  return ranked.map(([code, confidence]) => ({ code, confidence }))
}
