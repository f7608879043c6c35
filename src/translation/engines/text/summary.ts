import { sentencesIn } from './sentences.ts'
import { textRank } from './text-rank.ts'

/** Every sentence is compared with every other, so only the beginning of a longer text is ranked. */
const MAX_SENTENCES = 600
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The sentences that represent the text best, in the order of the text. Nothing is reworded. */
export function chooseSentences({ text, sentences: max }: { text: string; sentences: number }): string[] {
  const sentences = sentencesIn(text).slice(0, MAX_SENTENCES)
  if (sentences.length <= max) return sentences
  const ranks = textRank(tiesOf(sentences.map(wordsIn)))
  const best = [...ranks.keys()].toSorted((one, other) => ranks[other]! - ranks[one]!).slice(0, max)
  return best.toSorted((one, other) => one - other).map((index) => sentences[index]!)
}

function wordsIn(sentence: string): Set<string> {
  const words = [...WORDS.segment(sentence)].filter(({ isWordLike }) => isWordLike)
  return new Set(words.map(({ segment }) => segment.toLowerCase()))
}

/** A word that occurs in every sentence relates nothing, in any language. */
function tiesOf(sentences: readonly Set<string>[]): Map<number, number>[] {
  const counts = new Map<string, number>()
  for (const words of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const ties = sentences.map(() => new Map<number, number>())
  for (const [one, words] of sentences.entries()) {
    for (let other = one + 1; other < sentences.length; other++) {
      const weight = likeness(words, sentences[other]!, counts, sentences.length)
      if (weight > 0) ties[one]!.set(other, weight) && ties[other]!.set(one, weight)
    }
  }
  return ties
}

function likeness(one: Set<string>, other: Set<string>, counts: Map<string, number>, total: number): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared += Math.log(total / counts.get(word)!)
  return shared / (Math.log(one.size + 1) + Math.log(other.size + 1))
}
