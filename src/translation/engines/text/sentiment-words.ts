import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// The word list of VADER (C.J. Hutto and E. Gilbert, 2014; MIT licence). Only this file of the package is read, and none of its
// code runs: docs/dependencies.md explains why.

/** English words and emoticons in lower case, with their mean ratings from -4 to 4. */
export const RATINGS: ReadonlyMap<string, number> = readRatings()

const STRONGER = words(
  `absolutely amazingly awfully completely considerably decidedly deeply enormously entirely especially exceptionally
  extremely fabulously fantastically fully greatly highly hugely incredibly insanely intensely majorly more most
  particularly purely quite really remarkably seriously so strongly substantially super thoroughly too totally
  tremendously truly unbelievably unusually utterly very`,
)
const WEAKER = words(
  'almost barely hardly kinda less little marginally nearly occasionally partly scarcely slightly somewhat sorta',
)
const NEGATIONS = words(
  `aint arent cannot cant couldnt despite didnt doesnt dont hadnt hardly hasnt havent isnt lack lacking lacks neither never
  no nobody none nor not nothing nowhere rarely seldom shouldnt wasnt werent without wont wouldnt`,
)

/** 1 for a word that strengthens the next one, -1 for a word that weakens it, otherwise 0. */
export function emphasisOf(word: string): number {
  if (STRONGER.has(word)) return 1
  return WEAKER.has(word) ? -1 : 0
}

export function isNegation(word: string): boolean {
  return NEGATIONS.has(word) || word.endsWith("n't")
}

/** Each line has a word, its mean rating, and two columns about single ratings that are not used. */
function readRatings(): Map<string, number> {
  const file = createRequire(import.meta.url).resolve('vader-sentiment/vader_lexicon.txt')
  const lines = readFileSync(file, 'utf8').split('\n')
  const rated = lines.map((line) => line.split('\t')).filter(([word, mean]) => word && mean)
  return new Map(rated.map(([word, mean]) => [word!.toLowerCase(), Number(mean)]))
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/))
}
