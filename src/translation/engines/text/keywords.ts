import { STOP_WORDS } from './stop-words.ts'
import { textRank } from './text-rank.ts'

/** Words within this distance are related. */
const WINDOW_WORDS = 3
const MAX_WORDS_IN_PHRASE = 3
const SHORTEST_WORD = 3
/** A run of words without punctuation in between. */
const CLAUSE = /[^.,;:!?()[\]{}"“”\n]+/g
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu

/** Neighbouring words that both carry meaning. */
type Run = string[]

/** The important phrases of a text, ranked by how their words are related to others. */
export function rankPhrases({ text, max }: { text: string; max: number }) {
  const runs = [...text.matchAll(CLAUSE)].flatMap(([clause]) => runsIn(clause))
  const ranks = rankWords(runs)
  const phrases = new Map<string, { phrase: string; weight: number }>()
  for (const run of runs) {
    const key = run.join(' ').toLowerCase()
    const weight = run.reduce((sum, word) => sum + ranks.get(word.toLowerCase())!, 0) / Math.sqrt(run.length)
    const existing = phrases.get(key)
    // A repeated phrase ranks slightly higher.
    phrases.set(key, {
      phrase: existing?.phrase ?? run.join(' '),
      weight: (existing?.weight ?? weight) + (existing ? 0.2 : 0),
    })
  }
  return scaled([...phrases.values()].toSorted((one, other) => other.weight - one.weight).slice(0, max))
}

function runsIn(clause: string): Run[] {
  const runs: Run[] = [[]]
  for (const [word] of clause.matchAll(WORD)) {
    if (!isTelling(word)) runs.push([])
    else if (runs.at(-1)!.length === MAX_WORDS_IN_PHRASE) runs.push([word])
    else runs.at(-1)!.push(word)
  }
  return runs.filter((run) => run.length > 0)
}

function isTelling(word: string): boolean {
  return word.length >= SHORTEST_WORD && /\p{L}/u.test(word) && !STOP_WORDS.has(word.toLowerCase().replace('’', "'"))
}

function rankWords(runs: readonly Run[]): Map<string, number> {
  const words = runs.flat().map((word) => word.toLowerCase())
  const numbers = new Map([...new Set(words)].map((word, index) => [word, index]))
  const ties = Array.from(numbers, () => new Map<number, number>())
  for (const [at, word] of words.entries())
    for (const near of words.slice(at + 1, at + WINDOW_WORDS)) tie(ties, numbers.get(word)!, numbers.get(near)!)
  const ranks = textRank(ties)
  return new Map(Array.from(numbers, ([word, number]) => [word, ranks[number]!]))
}

function tie(ties: Map<number, number>[], one: number, other: number): void {
  if (one === other) return
  ties[one]!.set(other, (ties[one]!.get(other) ?? 0) + 1)
  ties[other]!.set(one, (ties[other]!.get(one) ?? 0) + 1)
}

/** The first phrase has the weight 1. */
function scaled(phrases: { phrase: string; weight: number }[]) {
  return phrases.map(({ phrase, weight }) => ({ phrase, weight: weight / phrases[0]!.weight }))
}
