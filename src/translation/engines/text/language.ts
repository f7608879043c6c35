import { eld } from 'eld/small'

const MAX_LANGUAGES = 5
/** Enough characters to detect a language; more would only take time. */
const CHARACTERS_READ = 5_000

/** The possible languages of a text, most likely first; empty if it gives no indication. */
export function detectLanguage({ text }: { text: string }) {
  const scores = Object.entries(eld.detect(text.slice(0, CHARACTERS_READ)).getScores())
  const ranked = scores.toSorted(([, one], [, other]) => other - one).slice(0, MAX_LANGUAGES)
  return ranked.map(([code, confidence]) => ({ code, confidence }))
}
