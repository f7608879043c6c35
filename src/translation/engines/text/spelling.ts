import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeTrie } from 'cspell-trie-lib'
import type { Finding } from '../../engine-api/engines.ts'
import { STOP_WORDS } from './stop-words.ts'

const DICTIONARY_FILE = new URL('./en_US.trie.gz', import.meta.resolve('@cspell/dict-en_us'))
const dictionary = decodeTrie(gunzipSync(readFileSync(DICTIONARY_FILE)))

const MAX_SUGGESTIONS = 5
/** Suggestions take a while per word, so words after this many get none. */
const MAX_WORDS_WITH_SUGGESTIONS = 100
const SEARCH = { numSuggestions: 20, changeLimit: 3, ignoreCase: false, includeTies: false, timeout: 2_000 }
/** The dictionary's cost of an added, missing or wrong letter; likely mistakes cost less. */
const ONE_LETTER = 100
const [COMMON_WORD, SAME_LETTERS, ONLY_APOSTROPHE] = [100, 50, 200]
/** URLs and email addresses are not words. */
const WEB_ADDRESS = /\b(?:https?:\/\/|www\.).+/s
const WORD = /(?<![\p{L}\p{N}_])\p{L}+(?:['’]\p{L}+)*(?![\p{N}_])/gu
const SENTENCE_START = /(?:^|[.!?]["”’)]*\s+|\n\s*)["“‘(]*$/

/** Words that the American English dictionary does not contain. */
export function checkSpelling({ text }: { text: string }): (Finding & { suggestions: string[] })[] {
  const plain = text.replace(/\S+/g, blankAddress)
  const suggestionsByWord = new Map<string, string[]>()
  return [...plain.matchAll(WORD)]
    .filter(({ 0: word, index }) => !isName(word, plain.slice(0, index)) && !isKnown(word))
    .map(({ 0: word, index }) => {
      const suggestions =
        suggestionsByWord.get(word) ?? (suggestionsByWord.size < MAX_WORDS_WITH_SUGGESTIONS ? suggestionsFor(word) : [])
      suggestionsByWord.set(word, suggestions)
      return { start: index, end: index + word.length, label: 'spelling', suggestions }
    })
}

/** A capital inside of a sentence marks a name; abbreviations are all capitals. */
function isName(word: string, before: string): boolean {
  if (!/\p{Lu}/u.test(word)) return false
  return /\p{Lu}/u.test(word.slice(1)) || !SENTENCE_START.test(before.slice(-20))
}

function isKnown(word: string): boolean {
  const plain = word.replaceAll('’', "'")
  return [plain, plain.toLowerCase(), plain.replace(/'s$/, '')].some((form) => dictionary.hasWord(form, true))
}

/** Suggestions with the fewest changes first; common words and words with the same letters come before others. */
function suggestionsFor(word: string): string[] {
  const typed = word.toLowerCase()
  const found = [...dictionary.suggestWithCost(typed, SEARCH), ...commonWordsFor(typed)]
  const ranked = found.map(({ word: intended, cost }) => ({
    intended,
    cost: cost - bonus(typed, intended.toLowerCase()),
  }))
  return ranked
    .toSorted((one, other) => one.cost - other.cost)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ intended }) => (typed === word ? intended : intended[0]!.toUpperCase() + intended.slice(1)))
}

/** For words of two letters the dictionary only tries swapped letters. */
function commonWordsFor(typed: string): { word: string; cost: number }[] {
  if (typed.length > 2) return []
  const common = [...STOP_WORDS].filter((word) => word.length === typed.length + 1 && isWithin(typed, word))
  return common.map((word) => ({ word, cost: ONE_LETTER }))
}

function bonus(typed: string, intended: string): number {
  if (intended.replace("'", '') === typed) return ONLY_APOSTROPHE
  const hasSameLetters = isWithin(typed, intended) || [...typed].sort().join() === [...intended].sort().join()
  return (STOP_WORDS.has(intended) ? COMMON_WORD : 0) + (hasSameLetters ? SAME_LETTERS : 0)
}

/** Whether all letters of one word occur in the other, in the same order. */
function isWithin(short: string, long: string): boolean {
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}

/** Replaces with spaces of the same length, so that later positions stay valid. */
function blankAddress(piece: string): string {
  const address = /.@./s.test(piece) ? piece : WEB_ADDRESS.exec(piece)?.[0]
  return address ? piece.slice(0, piece.length - address.length) + ' '.repeat(address.length) : piece
}
