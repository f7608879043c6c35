/** The tags of Universal Dependencies that Amazon and Google use, and Google's own. */
const PARTS: Readonly<Record<string, string>> = {
  ADJ: 'Adjective',
  ADP: 'Adposition',
  ADV: 'Adverb',
  AFFIX: 'Affix',
  AUX: 'Auxiliary',
  CCONJ: 'Coordinating conjunction',
  CONJ: 'Conjunction',
  DET: 'Determiner',
  INTJ: 'Interjection',
  NOUN: 'Noun',
  NUM: 'Numeral',
  PART: 'Particle',
  PRON: 'Pronoun',
  PROPN: 'Proper noun',
  PRT: 'Particle',
  PUNCT: 'Punctuation',
  SCONJ: 'Subordinating conjunction',
  SYM: 'Symbol',
  VERB: 'Verb',
}

/** A part of speech in words. */
export function partOfSpeech(tag: string | undefined): string {
  return tag !== undefined && Object.hasOwn(PARTS, tag) ? PARTS[tag]! : 'Other'
}
