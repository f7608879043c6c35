import type { TaggedWord } from '../../engine-api/engines.ts'
import { readEnglish } from './tagged-spans.ts'

/** What the parser says about a word. A contraction has further words without a text of their own. */
type Term = { text: string; pre: string; post: string; normal: string; root?: string; tags?: ReadonlySet<string> }

/** The words of an English text and its punctuation, in their order, by rules and word lists. */
export function tagWords({ text }: { text: string }): TaggedWord[] {
  const read = readEnglish(text)
  read.compute('root')
  return (read.docs as unknown as Term[][]).flat().flatMap(wordsOf)
}

function wordsOf({ text, pre, post, normal, root, tags = NONE }: Term): TaggedWord[] {
  const word = { text, part: partOf(tags), lemma: root ?? normal, features: featuresOf(tags) }
  return [...marksIn(pre), ...(text === '' ? [] : [word]), ...marksIn(post)]
}

const NONE: ReadonlySet<string> = new Set()

function marksIn(between: string): TaggedWord[] {
  return Array.from(between.replace(/\s/g, ''), (mark) => {
    return { text: mark, part: 'PUNCT' as const, lemma: null, features: {} }
  })
}

function partOf(tags: ReadonlySet<string>): string {
  return PARTS.find(([tag]) => tags.has(tag))?.[1] ?? 'X'
}

/** The first tag that a word has decides: a pronoun is also a noun for the parser. */
const PARTS: readonly (readonly [tag: string, part: string])[] = [
  ['Pronoun', 'PRON'],
  ['Possessive', 'PRON'],
  ['Auxiliary', 'AUX'],
  ['Copula', 'AUX'],
  ['Modal', 'AUX'],
  ['Negative', 'PART'],
  ['ProperNoun', 'PROPN'],
  ['Value', 'NUM'],
  ['Verb', 'VERB'],
  ['Adjective', 'ADJ'],
  ['Adverb', 'ADV'],
  ['Noun', 'NOUN'],
  ['Determiner', 'DET'],
  ['Preposition', 'ADP'],
  ['Conjunction', 'CONJ'],
  ['QuestionWord', 'PRON'],
  ['Expression', 'INTJ'],
]

/** In the words that Google uses for the same. */
function featuresOf(tags: ReadonlySet<string>): Record<string, string> {
  const found = FEATURES.filter(([tag]) => tags.has(tag)).map(([, name, value]) => [name, value])
  return Object.fromEntries(found)
}

const FEATURES: readonly (readonly [tag: string, name: string, value: string])[] = [
  ['Singular', 'number', 'SINGULAR'],
  ['Plural', 'number', 'PLURAL'],
  ['PresentTense', 'tense', 'PRESENT'],
  ['PastTense', 'tense', 'PAST'],
  ['FutureTense', 'tense', 'FUTURE'],
  ['Gerund', 'form', 'GERUND'],
  ['Infinitive', 'form', 'INFINITIVE'],
]
