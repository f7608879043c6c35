import { createRequire } from 'node:module'
import dictionary from 'dictionary-en'
import type { Finding } from '../contract/engines.ts'
import { STOP_WORDS } from './stop-words.ts'

type Speller = { correct(word: string): boolean; suggest(word: string): string[] }
type MakeSpeller = (aff: Buffer, dic: Buffer) => Speller

const makeSpeller: MakeSpeller = createRequire(import.meta.url)('nspell')
const speller = makeSpeller(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic))

const MOST_SUGGESTIONS = 5
/** Looking for suggestions takes a while per word: those after get none. */
const MOST_WORDS_WITH_SUGGESTIONS = 100
/** Addresses are no words. */
const ADDRESS = /\b(?:https?:\/\/|www\.)\S+|(?<!\S)\S+@\S+/g
const WORD = /(?<![\p{L}\p{N}_])\p{L}+(?:['’]\p{L}+)*(?![\p{N}_])/gu
const SENTENCE_START = /(?:^|[.!?]["”’)]*\s+|\n\s*)["“‘(]*$/

/** Words that an American English dictionary does not have. */
export function checkSpelling({ text }: { text: string }): (Finding & { suggestions: string[] })[] {
  const plain = text.replace(ADDRESS, (address) => ' '.repeat(address.length))
  const known = new Map<string, string[]>()
  return [...plain.matchAll(WORD)]
    .filter(({ 0: word, index }) => !isName(word, plain.slice(0, index)) && !isKnown(word))
    .map(({ 0: word, index }) => {
      const suggestions = known.get(word) ?? (known.size < MOST_WORDS_WITH_SUGGESTIONS ? suggestionsFor(word) : [])
      known.set(word, suggestions)
      return { start: index, end: index + word.length, label: 'spelling', suggestions }
    })
}

/** Inside a sentence a capital makes a name; abbreviations are all capitals. */
function isName(word: string, before: string): boolean {
  if (!/\p{Lu}/u.test(word)) return false
  return /\p{Lu}/u.test(word.slice(1)) || !SENTENCE_START.test(before.slice(-20))
}

function isKnown(word: string): boolean {
  const plain = word.replaceAll('’', "'")
  return speller.correct(plain) || speller.correct(plain.toLowerCase()) || speller.correct(plain.replace(/'s$/, ''))
}

/** Words that everybody uses first, then those that only add a letter. */
function suggestionsFor(word: string): string[] {
  const ranked = speller
    .suggest(word)
    .map((suggestion, order) => ({ suggestion, order: order + penalty(word, suggestion) }))
  return ranked
    .toSorted((one, other) => one.order - other.order)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ suggestion }) => suggestion)
}

function penalty(word: string, suggestion: string): number {
  const [typed, meant] = [word.toLowerCase(), suggestion.toLowerCase()]
  if (STOP_WORDS.has(meant)) return 0
  return isWithin(typed, meant) || [...typed].sort().join() === [...meant].sort().join() ? 100 : 200
}

/** Whether the letters of the one stand in the other, in this order. */
function isWithin(short: string, long: string): boolean {
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}
