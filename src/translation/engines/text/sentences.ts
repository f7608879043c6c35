const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' })
/** A full stop after these abbreviations does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Inc|Ltd|[A-Z])\.$/
/** The longest abbreviation with its full stop and the character before it: the search looks back no further. */
const ABBREVIATION_LENGTH = 6

/** The sentences of a text, trimmed. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (const { segment, index } of SEGMENTER.segment(text)) {
    if (ABBREVIATION.test(segment.trimEnd().slice(-ABBREVIATION_LENGTH))) continue
    const end = index + segment.length
    sentences.push(text.slice(start, end).trim())
    start = end
  }
  return [...sentences, text.slice(start).trim()].filter((sentence) => sentence !== '')
}
