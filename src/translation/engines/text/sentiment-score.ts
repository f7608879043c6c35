import { emphasisOf, isNegation, RATINGS } from './sentiment-words.ts'

// The published rules of VADER (Hutto and Gilbert, 2014), reimplemented: every rated word counts, and the words around it
// strengthen, weaken or reverse it. The work is linear in the length of the text.

/** How much an adverb, capital letters or an exclamation mark change a rating, as measured by the authors. */
const [ADVERB, CAPITALS, EXCLAMATION] = [0.293, 0.733, 0.292]
const MAX_EXCLAMATIONS = 4
const REVERSED = -0.74
/** A word is influenced by the three before it; an adverb farther away counts less. */
const INFLUENCE = [1, 0.95, 0.9]
const [BEFORE_BUT, AFTER_BUT] = [0.5, 1.5]
/** Normalizes the sum to -1 … 1. */
const SPREAD = 15
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu
const CAPITAL_WORD = /^\p{Lu}{2,}$/u

type Words = { words: string[]; isShouted(index: number): boolean }

/** From -1 (negative) to 1 (positive); 0 if no word is rated. */
export function scoreSentence(sentence: string): number {
  const found = wordsIn(sentence)
  const but = found.words.lastIndexOf('but')
  const ratings = found.words.map((_, index) => ratingAt(index, found) * weightBeside(but, index))
  const sum = ratings.reduce((total, rating) => total + rating, 0)
  const emphasized = sum + Math.sign(sum) * EXCLAMATION * exclamationsIn(sentence)
  return Number((emphasized / Math.sqrt(emphasized ** 2 + SPREAD)).toFixed(4))
}

/** An emoticon counts as a word if spaces surround it; capitals matter only if not everything is in capitals. */
function wordsIn(sentence: string): Words {
  const written = sentence.split(/\s+/).flatMap((piece) => (RATINGS.has(piece.toLowerCase()) ? [piece] : split(piece)))
  const mayBeShouted = written.some((word) => word !== word.toUpperCase())
  return {
    words: written.map((word) => word.toLowerCase().replaceAll('’', "'")),
    isShouted: (index) => mayBeShouted && CAPITAL_WORD.test(written[index]!),
  }
}

function split(piece: string): string[] {
  return piece.match(WORD) ?? []
}

function ratingAt(index: number, { words, isShouted }: Words): number {
  const rating = influencesOnly(index, words) ? 0 : ratingOf(words[index]!)
  if (rating === 0) return 0
  const direction = Math.sign(rating)
  const before = INFLUENCE.map((weight, distance) => ({ weight, word: words[index - 1 - distance] ?? '' }))
  const adverbs = before.reduce((total, { weight, word }) => total + weight * emphasisOf(word), 0)
  const strength = rating + direction * (ADVERB * adverbs + (isShouted(index) ? CAPITALS : 0))
  return before.some(({ word }) => isNegation(word)) ? strength * REVERSED : strength
}

/** "No" has a rating; before a rated word it only reverses that word. */
function influencesOnly(index: number, words: string[]): boolean {
  const word = words[index]!
  return (isNegation(word) || emphasisOf(word) !== 0) && RATINGS.has(words[index + 1] ?? '')
}

/** A word with hyphens that is not rated as a whole is rated by its parts. */
function ratingOf(word: string): number {
  const rating = RATINGS.get(word)
  if (rating !== undefined || !word.includes('-')) return rating ?? 0
  return word.split('-').reduce((sum, part) => sum + (RATINGS.get(part) ?? 0), 0)
}

/** The part after "but" carries the meaning. */
function weightBeside(but: number, index: number): number {
  if (but < 0 || index === but) return 1
  return index < but ? BEFORE_BUT : AFTER_BUT
}

function exclamationsIn(sentence: string): number {
  return Math.min(sentence.split('!', MAX_EXCLAMATIONS + 1).length - 1, MAX_EXCLAMATIONS)
}
