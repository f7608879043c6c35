import { BytePairs } from './byte-pairs.ts'

export type VocabularyName = 'o200k_base' | 'cl100k_base'

/** How a text is split into pieces, and the tokens of a piece. */
export type Vocabulary = { pattern: RegExp; pairs: BytePairs }

const vocabularies = new Map<VocabularyName, Promise<Vocabulary>>()

/** Up to 80 MB and a third of a second each, so vocabularies are loaded on first use, and only in the worker. */
export function vocabularyNamed(name: VocabularyName): Promise<Vocabulary> {
  const cached = vocabularies.get(name)
  if (cached) return cached
  const loading = load(name)
  vocabularies.set(name, loading)
  return loading
}

async function load(name: VocabularyName): Promise<Vocabulary> {
  const { O200K_TOKEN_SPLIT_REGEX, CL100K_TOKEN_SPLIT_REGEX } = await import('gpt-tokenizer/encodingParams/constants')
  const { default: tokens } = await TOKENS[name]()
  const { source } = name === 'o200k_base' ? O200K_TOKEN_SPLIT_REGEX : CL100K_TOKEN_SPLIT_REGEX
  return { pattern: asInTheOriginal(source), pairs: new BytePairs(ranksOf(tokens)) }
}

const TOKENS = {
  o200k_base: () => import('gpt-tokenizer/bpeRanks/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/bpeRanks/cl100k_base'),
}

/** JavaScript's `\s` includes U+FEFF and excludes U+0085; the original pattern follows Unicode. */
function asInTheOriginal(source: string): RegExp {
  return new RegExp(source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}'), 'gu')
}

/** Tokens are in the order of their ranks, as text or, if they are not valid text, as bytes. */
function ranksOf(tokens: readonly (string | readonly number[] | undefined)[]): Map<string, number> {
  const ranks = new Map<string, number>()
  tokens.forEach((token, rank) => {
    if (token !== undefined) ranks.set(typeof token === 'string' ? bytesOf(token) : String.fromCharCode(...token), rank)
  })
  return ranks
}

/** The bytes of a text in UTF-8, each written as one character. */
export function bytesOf(text: string): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.from(text, 'utf8').toString('latin1')
  }
  return text
}
